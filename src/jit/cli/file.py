"""`jit file list`, `release` and `evict`: who holds which file, giving it back, taking it away.

A path is turned into the one name that the file gate uses, so it may be written in any way and need not exist. Whoever
reads takes no lock, creates nothing, and asks this machine which owners are still alive.
"""

from __future__ import annotations

from jit.cli.style import printable
from jit.cli.table import Column
from jit.errors import Invalid, NotFound, NotPermitted
from jit.kernel.events import Lapsed, Refused
from jit.kernel.instant import elapsed_ms
from jit.kernel.lease import Evidence
from jit.kernel.record import Record
from jit.systems.files.commands import Free
from jit.systems.files.names import REPOSITORY, file_resource, path_of, scope_of
from jit.views import files
from jit.views.active import clock_text, duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from jit.app import Workspace
    from jit.cli.call import Call
    from jit.cli.style import Role
    from jit.cli.table import Cell
    from jit.engine import Outcome
    from jit.kernel.lease import Lease
    from jit.kernel.ledger import Ledger
    from jit.views.files import Row

FILES = (Column("FILE", "id"), Column("HELD BY"), Column("PID", right=True), Column("FOR", right=True),
         Column("STATE"), Column("WORKTREE"), Column("LEASE", "id"))  # fmt: skip
STATES: dict[str, Role] = {"held": "ok", "stopped": "warn", "lapsed": "dim", "waiting": "warn", "queued": "warn",
                           "blocked": "bad", "deadlock": "bad", "free": "ok"}  # fmt: skip


class Named(Record):
    """A file as the gate knows it, in its worktree and perhaps for the whole repository, and as it was typed."""

    path: str
    resources: tuple[str, ...]
    typed: str


def list_all(call: Call) -> int:
    ledger = call.workspace.snapshot().ledger
    evidence = observe(call.workspace, ledger)
    leases = files.of_files(ledger) if call.parsed.flag("--all") else files.held(ledger, evidence)
    call.out.data({"files": [files.file_row(lease, evidence) for lease in leases], "count": len(leases)})
    call.out.table(FILES, [file_cells(lease, evidence) for lease in leases], empty="no file is leased")
    return 0


def release(call: Call) -> int:
    """All are looked at before the first is given back."""
    space = call.workspace
    ledger = space.snapshot().ledger
    own = {
        lease.lease_id: lease
        for text in call.parsed.many("path")
        for lease in _own(space, ledger, find_file(space, text))
    }
    rows = [_give_back(call, lease, call.parsed.text("--reason")) for lease in own.values()]
    call.out.data({"released": rows, "count": len(rows)})
    return 0


def evict(call: Call) -> int:
    space, reason = call.workspace, call.parsed.text("--reason")
    named = find_file(space, call.parsed.text("path"))
    if not reason.strip():
        raise Invalid("taking a file away needs a reason", hint=f'jit file evict {named.typed} --reason "why"')
    leases = leases_on(space.snapshot().ledger, named)
    if not leases:
        raise _unheld(named)
    standing = files.held(leases, observe(space, leases))
    rows = [_take_away(call, lease, reason) for lease in standing or leases]
    call.out.data({"evicted": rows, "count": len(rows)})
    return 0


def observe(space: Workspace, leases: Iterable[Lease]) -> Evidence:
    """The time, and which of the leases' owners are alive."""
    processes = {lease.owner.process for lease in leases if lease.owner.process is not None}
    return Evidence(space.world.now(), {process: space.world.liveness(process) for process in processes})


def find_file(space: Workspace, text: str) -> Named:
    """The file that a path means, from wherever it was typed."""
    from shlex import quote

    from jit.world.paths import locate
    from jit.world.worktree_file import read

    spot = locate(text, space.cwd, space.repo)
    if spot is None:
        raise Invalid(
            f"{text} is not a file of this repository, so nobody can lease it",
            hint="jit file list",
            details={"path": text},
        )
    identity = read(spot.root)
    scopes = [identity.worktree_id, REPOSITORY] if identity else [REPOSITORY]
    return Named(spot.path, tuple([file_resource(scope, spot.path) for scope in scopes]), quote(text))


def leases_on(ledger: Ledger, named: Named) -> list[Lease]:
    return [lease for resource in named.resources for lease in ledger.holders(resource)]


def file_cells(lease: Lease, evidence: Evidence) -> tuple[Cell, ...]:
    state = "lapsed" if files.has_lapsed(lease, evidence) else "stopped" if lease.stopped else "held"
    process, resource = lease.owner.process, lease.resources[0]
    pid = str(process.pid) if process else ""
    place, age = scope_of(resource), age_of(lease, evidence)
    return path_of(resource), lease.owner.agent, pid, age, (STATES[state], state), place, lease.lease_id


def age_of(lease: Lease, evidence: Evidence) -> str:
    return duration(max(0, elapsed_ms(lease.acquired, evidence.now)))


def _own(space: Workspace, ledger: Ledger, named: Named) -> list[Lease]:
    """The caller's own leases on a file. That of any subagent counts: a shell does not know which one started it."""
    leases = leases_on(ledger, named)
    mine = [lease for lease in leases if lease.owner.agent == space.agent.id]
    if mine:
        return mine
    standing = files.held(leases, observe(space, leases))
    if not standing:
        raise _unheld(named)
    holder = standing[0]
    raise NotPermitted(
        f"{named.path} is held by {holder.owner.agent} since {clock_text(holder.acquired.wall_ms)};"
        f" you are {space.agent.id}",
        hint=f'jit file why {named.typed}; if its holder is gone: jit file evict {named.typed} --reason "…"',
        details=files.file_row(holder, observe(space, [holder])),
    )


def _give_back(call: Call, lease: Lease, reason: str) -> Row:
    outcome = _submit(call.workspace, lease, Free(lease.lease_id, lease.owner, reason))
    row = _ended(call, lease, outcome)
    late = ", which had lapsed already" if row["lapsed"] else ""
    call.out.line(f"{call.out.paint('ok', 'released')} {printable(str(row['file']))}{late}")
    return row


def _take_away(call: Call, lease: Lease, reason: str) -> Row:
    outcome = _submit(call.workspace, lease, Free(lease.lease_id, call.workspace.owner, reason, forced=True))
    row = _ended(call, lease, outcome)
    how = "had lapsed already" if row["lapsed"] else "evicted"
    call.out.line(f"{call.out.paint('warn', how)}: {lease.owner.agent}'s lease on {printable(str(row['file']))}")
    return row


def _submit(space: Workspace, lease: Lease, command: Free) -> Outcome:
    """Through the gate, which looks at what the file holds now: whoever loses it has seen that much."""
    from jit.engine import Engine
    from jit.hooks.place import FileWorld
    from jit.world.worktree import find_by_id

    resource = lease.resources[0]
    scope = scope_of(resource)
    there = None if scope in (REPOSITORY, space.identity.worktree_id) else find_by_id(space.repo, scope)
    world = FileWorld()
    world.paths[resource] = f"{there.root if there else space.repo.worktree}/{path_of(resource)}"
    return Engine(space.store, world).submit(command)


def _ended(call: Call, lease: Lease, outcome: Outcome) -> Row:
    """The row of a lease that is over, whether by this command or by itself just before."""
    lapsed = any(isinstance(event, Lapsed) for event in outcome.events)
    if not lapsed:
        expect(outcome, lease)
    row = files.file_row(lease, observe(call.workspace, [lease]))
    return row | {"lapsed": lapsed, "sequence": outcome.sequence}


def _unheld(named: Named) -> NotFound:
    return NotFound(f"nobody holds {named.path}", hint="jit file list", details={"file": named.path})


def expect(outcome: Outcome, lease: Lease) -> None:
    """Somebody may have ended the lease between the look and the deed."""
    if isinstance(outcome.answer, Refused):
        raise NotFound(
            f"lease {lease.lease_id} of {lease.owner.agent} has ended meanwhile",
            hint="jit file list",
            details={"lease_id": lease.lease_id},
        )
