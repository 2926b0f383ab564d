"""The hooks of git: what a commit or a push must not do, and what it brings to an end.

Git runs a shim, the shim runs `entry.py --git HOOK …`, and that ends here. `pre-commit` and `pre-push` may stop git;
`prepare-commit-msg` and `post-commit` never do. Nothing here stages, commits, or moves HEAD: the only file of git's
that a hook changes is the commit message, and that only where the settings ask for it.

A repository without a control plane is not jit's business. When jit itself fails, git goes on with one line of warning,
unless the settings say that it must not.
"""

from __future__ import annotations

import os
import sys

from jit.errors import JitError, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from jit.hooks.git_site import Complaint, Site

GUARDS = ("pre-commit", "pre-push")
HOOKS = (*GUARDS, "prepare-commit-msg", "post-commit")
WAY_OUT = {"pre-commit": "git commit --no-verify", "pre-push": "git push --no-verify"}


def run(words: list[str]) -> int:
    """Answer one call of a git hook; 1 stops git."""
    hook, args = "".join(words[:1]), words[1:]
    if hook not in HOOKS or not has_control_plane(os.environ):
        return 0
    try:
        return _answer(hook, args)
    except Exception as error:  # noqa: BLE001  the one boundary of this surface
        return _fail(hook, error)


def has_control_plane(environ: Mapping[str, str]) -> bool:
    """Was jit set up here? Asked before anything else is loaded."""
    from jit.world.git import find

    try:
        repo = find(os.getcwd(), environ)
    except (Unavailable, OSError):
        return False
    places = (f"{repo.common_dir}/jit", f"{repo.worktree}/.jit/local" if repo.worktree else "")
    return any(os.path.exists(f"{place}/claims.jsonl") for place in places if place)


def _answer(hook: str, args: list[str]) -> int:
    from jit.hooks.git_site import Site

    site = Site(os.getcwd(), os.environ)
    try:
        return _tell(hook, _complaints(hook, site, args))
    finally:
        site.close()


def _complaints(hook: str, site: Site, args: list[str]) -> Iterable[Complaint]:
    if hook == "pre-commit":
        from jit.hooks.git_commit import guard

        return guard(site)
    if hook == "pre-push":
        from jit.hooks.git_push import guard as guard_push

        return guard_push(site, args, sys.stdin.buffer.read())
    if hook == "post-commit":
        from jit.hooks.git_commit import release

        release(site)
    else:
        from jit.hooks.git_trailers import add_trailers

        add_trailers(site, args)
    return ()


def _tell(hook: str, complaints: Iterable[Complaint]) -> int:
    stopped = False
    for complaint in complaints:
        say(f"jit: {complaint.what}", *complaint.lines)
        stopped = stopped or complaint.stops
    if stopped:
        say(f"jit: this {hook.removeprefix('pre-')} was stopped; nothing was changed")
    return int(stopped)


def say(*lines: str) -> None:
    """Words for people, with names of files in the very bytes that they have."""
    os.write(2, b"".join(os.fsencode(line) + b"\n" for line in lines))


def _fail(hook: str, error: Exception) -> int:
    from jit.hooks.intent import Intent
    from jit.hooks.mishap import write_down

    what = error.message if isinstance(error, JitError) else f"{type(error).__name__}: {error}"
    write_down(Intent("git", "other", "", tool=hook), [], what, error)
    if hook in GUARDS and _must_deny():
        say(
            f"jit: {hook} could not be checked, and files.on_failure is deny: {what}. Run: jit doctor;"
            f" to go on without: {WAY_OUT[hook]}, or: jit config set files.on_failure allow"
        )
        return 1
    say(f"jit: {hook} failed, and git goes on without it: {what}. Run: jit doctor")
    return 0


def _must_deny() -> bool:
    from jit.app import Workspace

    try:
        return Workspace(os.getcwd(), os.environ).settings.text("files.on_failure") == "deny"
    except (JitError, OSError):
        return False
