"""Trailers of a commit message: under which claims the work was done, where the settings ask for it.

    JIT-Lease: 01…   JIT-Issue: 01…   JIT-Agent: agent:name   JIT-Worktree: wt:12345678

Git's own tool writes them, so that they stand where other tools look for them and none stands there twice. An empty
message stays empty: trailers alone would turn a commit that somebody gives up in the editor into one that happens. A
commit that is only made again, by a rebase or a cherry-pick, keeps what it says of the work it came from.
"""

from __future__ import annotations

import os

from jit.kernel.lease import same_owner
from jit.systems.claims import ISSUE
from jit.views.active import active, subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.git_site import Site

REPEATING = ("rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD")


def add_trailers(site: Site, args: list[str]) -> None:
    """`args` are git's: the file with the message, and where the message came from."""
    if not args or not site.space.settings.flag("commits.trailers") or not site.repo.worktree or _is_repeated(site):
        return
    path = os.path.join(site.cwd, args[0])
    trailers = find_trailers(site)
    if not trailers or not _has_words(site, path):
        return
    _end_with_a_line(path)
    options = [word for name, value in trailers for word in ("--trailer", f"{name}: {value}")]
    site.git("interpret-trailers", "--in-place", "--if-exists", "addIfDifferent", *options, path)


def find_trailers(site: Site) -> list[tuple[str, str]]:
    """What the active claims of this agent in this worktree say."""
    owner = site.space.owner
    claims = [
        lease
        for lease in active(site.ledger, site.space.evidence(), agent=owner.agent)
        if same_owner(lease.owner, owner) and lease.resources[0].startswith(ISSUE)
    ]
    if not claims:
        return []
    pairs = [pair for x in claims for pair in (("JIT-Lease", x.lease_id), ("JIT-Issue", subject(x)))]
    return [*pairs, ("JIT-Agent", owner.agent), ("JIT-Worktree", owner.worktree)]


def _is_repeated(site: Site) -> bool:
    return any(os.path.exists(f"{site.repo.git_dir}/{name}") for name in REPEATING)


def _has_words(site: Site, path: str) -> bool:
    """Is there anything in the message that git will not strip?"""
    with open(path, "rb") as file:
        return bool(site.git("stripspace", "--strip-comments", feed=file.read()).strip())


def _end_with_a_line(path: str) -> None:
    """The message of a merge may lack its last line end; git's tool would then glue the trailers to the subject."""
    with open(path, "r+b") as file:
        if not file.read().endswith(b"\n"):
            file.write(b"\n")
