"""`jit doctor --coverage`: what the installed hooks block, what they only detect, and where they are blind.

Nothing here is believed because a file says so: every hook is run, in a scratch repository that is gone afterwards.
"""

from __future__ import annotations

from jit.cli.table import Column
from jit.errors import ConfigError, Unavailable
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.cli.call import Call
    from jit.cli.style import Role
    from jit.cli.table import Cell
    from jit.install.command import Program
    from jit.install.entries import Installed
    from jit.install.installation import Level
    from jit.install.probe import Sight
    from jit.install.scratch import Scratch
    from jit.world.git import Repository

COLUMNS = (Column("CLIENT", "id"), Column("WAY", "id"), Column("STATE", "id"), Column("PROOF"))
ROLES: dict[str, Role] = {"blocked": "ok", "detected": "warn", "blind": "bad"}


class Row(Record):
    """One place where hooks of a client may stand, with what was seen; `next` is how to get them there."""

    client: str
    path: str
    sights: tuple[Sight, ...] = ()
    next: str = ""


def coverage(call: Call) -> int:
    """Probe every client and git; tell what was seen."""
    from jit.install.command import installed
    from jit.install.scratch import Scratch

    program = installed()
    repo = _repository(call)
    with Scratch(call.environ) as scratch:
        git = _git(repo, scratch, program)
        rows = [row for name in _names() for row in _client(call, name, repo, scratch, git)]
    rows.append(git)
    call.out.data({"coverage": [_document(row) for row in rows], "count": len(rows)})
    call.out.table(COLUMNS, [line for row in rows for line in _lines(row)])
    for row in rows:
        if row.sights:
            call.out.note(f"{row.client}: {row.path}")
    return 0


def _names() -> tuple[str, ...]:
    from jit.install.clients import PLACES

    return tuple(PLACES)


def _repository(call: Call) -> Repository | None:
    from jit.world.git import find

    try:
        return find(call.cwd, call.environ)
    except Unavailable:
        return None


def _client(call: Call, name: str, repo: Repository | None, scratch: Scratch, git: Row) -> list[Row]:
    """A row for each place that has hooks of ours; if none has, one that says so."""
    from jit.install.clients import path_of
    from jit.install.installation import project_level, user_level

    call.out.progress(f"probing {name}")
    levels = [user_level(call.environ)]
    if repo is not None and repo.worktree:
        levels.append(project_level(call.environ, repo.worktree, f"{repo.common_dir}/jit"))
    rows = [_place(name, path_of(name, call.environ, level.worktree), level, scratch, git) for level in levels]
    return [row for row in rows if row.sights] or rows[:1]


def _place(name: str, path: str, level: Level, scratch: Scratch, git: Row) -> Row:
    from jit.install.command import installed
    from jit.install.entries import look_up
    from jit.install.probe import probe_client

    try:
        found: Installed = look_up(name, path, level, installed())
    except ConfigError as error:
        return Row(name, path, next=f"{error.hint}, then: jit setup {name}")
    if not found.entries:
        return Row(name, path, next=f"jit setup {name}")
    return Row(name, path, (*probe_client(found, scratch), _commit(git)))


def _git(repo: Repository | None, scratch: Scratch, program: Program) -> Row:
    from jit.install.git_hooks import hooks_folder
    from jit.install.probe import has_git_hook, probe_git

    if repo is None:
        return Row("git", "", next="in a repository: jit hooks install")
    folder = hooks_folder(repo)
    if not has_git_hook(folder):
        return Row("git", folder, next="jit hooks install")
    return Row("git", folder, (probe_git(folder, scratch, program),))


def _commit(git: Row) -> Sight:
    """What git says about a commit holds for whoever makes it."""
    from jit.install.probe import Sight
    from jit.install.ways import COMMIT

    return git.sights[0] if git.sights else Sight(COMMIT, "blind", f"git has no hook of jit: {git.next}")


def _document(row: Row) -> dict[str, object]:
    ways = [{"way": sight.way, "state": sight.state, "proof": sight.proof} for sight in row.sights]
    return {"client": row.client, "installed": bool(ways), "path": row.path, "ways": ways, "next": row.next}


def _lines(row: Row) -> list[tuple[Cell, ...]]:
    if not row.sights:
        return [(row.client, "", ("dim", "not installed"), row.next)]
    return [(row.client, sight.way, (ROLES[sight.state], sight.state), sight.proof) for sight in row.sights]
