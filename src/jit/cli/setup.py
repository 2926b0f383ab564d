"""`jit init`, `version`, `completion`: the first minute, and what the shell asks."""

from __future__ import annotations

import os

from jit.errors import NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jit.app import Workspace
    from jit.cli.call import Call
    from jit.cli.setup_hooks import Step
    from jit.install.originals import Originals

ATTRIBUTES = (
    "*.jsonl merge=union",
    "**/*-set.jsonl merge=union",
    "**/*-or-set.jsonl merge=union",
    "**/*.sqlite binary",
    "**/cache/*.db binary",
    "*.json merge=text",
    "*.md merge=text",
)
MARK = "# jit: append-only files of several agents merge line by line"
SETTINGS = """\
# Settings of this repository, shared by everybody who works in it. What is not set here comes from
# ~/.config/jit/config.toml, /etc/jit/config.toml or the defaults: see `jit config show`.

[worktree]
# strict: a write without a claim is refused; warn: reported; off: allowed
enforce_leases = "strict"

[coordination]
# how long a claim lasts if nobody says, in seconds
default_ttl_secs = 600
# claims without end (--ttl 0): how many there may be at once; 0 forbids them
max_indefinite_leases_per_agent = 2
max_indefinite_leases_per_repo = 10
"""


def init(call: Call) -> int:
    """Make what is missing, leave what is there, and say which was which."""
    from jit.cli.setup_hooks import set_up_clients, set_up_git
    from jit.install.originals import Originals

    space = call.workspace
    named = os.path.exists(f"{space.repo.worktree}/.jit/worktree.json")
    plane = _control_plane(space)
    settings = _settings(space)
    records = Originals(f"{space.shared_dir}/installed")
    attributes = _attributes(space, records)
    _name_worktree(space, records)
    steps: list[Step] = [
        ("control plane", space.plane.root, plane),
        ("settings", space.paths.repository, settings),
        ("merge rules", f"{space.repo.worktree}/.gitattributes", attributes),
        ("worktree identity", space.identity.worktree_id, not named),
    ]
    troubles: list[str] = []
    steps += [] if call.parsed.flag("--no-git-hooks") else set_up_git(call, troubles)
    steps += [] if call.parsed.flag("--no-clients") else set_up_clients(call, troubles)
    _tell(call, steps, troubles)
    return 0


def _tell(call: Call, steps: list[Step], troubles: list[str]) -> None:
    space = call.workspace
    rows = [{"what": what, "where": where, "made": made} for what, where, made in steps]
    you = {"agent_id": space.agent.id, "worktree_id": space.identity.worktree_id}
    call.out.data({"initialised": rows, **you, "warnings": troubles})
    for what, where, made in steps:
        mark = call.out.paint("ok", "made") if made else call.out.paint("dim", "kept")
        call.out.line(f"{mark}  {what}: {where}")
    call.out.line(f"you are {space.agent.id} (from {space.agent.source}) in {space.identity.worktree_id}")
    for trouble in troubles:
        call.out.warn(trouble)
    call.out.note('next: jit issue create --title "…", then: jit claim next')


def version(call: Call) -> int:
    from jit import __version__

    call.out.data({"version": __version__})
    call.out.line(f"jit {__version__}")
    return 0


def completion(call: Call) -> int:
    from jit.cli.completion import script

    text = script(call.parsed.text("shell"))
    call.out.data({"shell": call.parsed.text("shell"), "script": text})
    call.out.line(text.rstrip("\n"))
    return 0


def complete(call: Call) -> int:
    from jit.cli.commands import GROUPS
    from jit.cli.completion import candidates

    for value, meaning in candidates(list(call.parsed.trailing), GROUPS, _live(call)):
        call.out.line(f"{value}\t{meaning}")
    return 0


def _control_plane(space: Workspace) -> bool:
    made = not os.path.exists(space.plane.log)
    with space.store.exclusive():
        pass
    return made


def _settings(space: Workspace) -> bool:
    from jit.app import shared_files

    path = space.paths.repository
    if not path:
        raise NotFound(
            "a bare repository has no worktree to set up", hint="git worktree add ../work, then there: jit init"
        )
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return not os.path.exists(path) and shared_files().create(path, SETTINGS.encode())


def _attributes(space: Workspace, records: Originals) -> bool:
    from jit.app import shared_files
    from jit.install.changes import read
    from jit.install.originals import Kept
    from jit.install.repository import without_block

    path = f"{space.repo.worktree}/.gitattributes"
    before = read(path)
    text = (before or b"").decode("utf-8", "surrogateescape")
    have = {line.strip() for line in text.splitlines()}
    missing = [line for line in ATTRIBUTES if line not in have]
    if not missing:
        return False
    gap = "" if not text or text.endswith("\n") else "\n"
    written = (text + gap + "\n".join([MARK, *missing, ""])).encode("utf-8", "surrogateescape")
    original = without_block(text, MARK, ATTRIBUTES).encode("utf-8", "surrogateescape")
    with records.locked():
        records.keep(Kept(path, "init", "attributes", None if before is None else original, written))
        shared_files().write(path, written)
    return True


def _name_worktree(space: Workspace, records: Originals) -> None:
    """Give the worktree its identity. Git is told to ignore it, in a file of the person's, which is kept."""
    from jit.install.changes import missing_folders, read
    from jit.install.originals import Kept

    path = os.path.realpath(f"{space.repo.common_dir}/info/exclude")
    before, made = read(path), missing_folders(path)
    space.identity  # noqa: B018  made on first use
    after = read(path)
    if after is None or after == before:
        return
    with records.locked():
        records.keep(Kept(path, "init", "exclude", before, after, made))


def _live(call: Call) -> dict[str, Callable[[], Iterable[tuple[str, str]]]]:
    """Ids for completion; where they cannot be had, there are none: a completion must never complain."""
    from jit.errors import JitError
    from jit.views.active import is_claim

    def quietly(find: Callable[[Workspace], list[tuple[str, str]]]) -> list[tuple[str, str]]:
        try:
            return find(call.workspace)
        except (JitError, OSError):
            return []

    return {
        "issue": lambda: quietly(lambda space: [(issue.id, issue.title) for issue in space.issues.all()]),
        "lease": lambda: quietly(
            lambda space: [(x.lease_id, x.owner.agent) for x in space.snapshot().ledger if is_claim(x)]
        ),
        "agent": lambda: quietly(lambda space: sorted({(x.owner.agent, "") for x in space.snapshot().ledger})),
        "worktree": lambda: quietly(_worktrees),
        "key": _keys,
    }


def _worktrees(space: Workspace) -> list[tuple[str, str]]:
    from jit.world.git_questions import worktrees
    from jit.world.worktree_file import read

    found = [(read(listed.path), listed.path) for listed in worktrees(space.repo) if not listed.bare]
    return [(identity.worktree_id, path) for identity, path in found if identity is not None]


def _keys() -> list[tuple[str, str]]:
    from jit.world.config_keys import KEYS

    return [(key.name, key.help) for key in KEYS.values()]
