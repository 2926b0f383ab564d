"""`jit file`: who holds which file, and the operator's hand. `why` and `history` are in `file_story`.

A path is turned into the one name that the file gate uses, so it may be written in any way and need not exist. Whoever reads
takes no lock, creates nothing, and asks this machine which owners are still alive.
"""

from __future__ import annotations

from jit.cli.table import Column
from jit.errors import Invalid, NotFound, NotPermitted
from jit.kernel.commands import Evict, Release
from jit.kernel.events import Lapsed, Refused
from jit.kernel.instant import elapsed_ms
from jit.kernel.lease import Evidence
from jit.kernel.record import record
from jit.systems.files.commands import Resume
from jit.systems.files.names import file_resource, is_wait, path_of, scope_of, waited_for
from jit.systems.files.wait import wait_of
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
    from jit.kernel.ledger import Ledger
    from jit.kernel.lease import Lease

REPOSITORY = "repo"
FILES = (Column("FILE", "id"), Column("HELD BY"), Column("PID", right=True), Column("FOR", right=True),
         Column("STATE"), Column("WORKTREE"), Column("LEASE", "id"))  # fmt: skip
WAITERS = (Column("FILE", "id"), Column("WAITS"), Column("FOR", right=True), Column("STATE"), Column("HELD BY"),
           Column("RETRY AT"), Column("WAIT", "id"))  # fmt: skip
BLOCKERS = (Column("FILE", "id"), Column("BLOCKED"), Column("HELD BY"), Column("FOR", right=True), Column("WHY"),
            Column("BLOCKER", "id"))  # fmt: skip
STATES: dict[str, Role] = {"held": "ok", "stopped": "warn", "lapsed": "dim", "waiting": "warn", "queued": "warn",
                           "blocked": "bad", "deadlock": "bad", "free": "ok"}  # fmt: skip


@record
class Named:
    """A file as the gate knows it: in its worktree, and perhaps for the whole repository."""

    path: str
    resources: tuple[str, ...]


def list_all(call: Call) -> int:
    ledger = call.workspace.snapshot().ledger
    evidence = observe(call.workspace, ledger)
    leases = files.of_files(ledger) if call.parsed.flag("--all") else files.held(ledger, evidence)
    call.out.data({"files": [files.file_row(lease, evidence) for lease in leases], "count": len(leases)})
    call.out.table(FILES, [_file_cells(lease, evidence) for lease in leases], empty="no file is leased")
    return 0


def release(call: Call) -> int:
    space = call.workspace
    ledger = space.snapshot().ledger
    own = [_own(space, ledger, find_file(space, text)) for text in call.parsed.many("path")]
    unique = {lease.lease_id: lease for lease in own}.values()
    reason = call.parsed.text("--reason")
    rows = [_give_back(call, lease, reason) for lease in unique]
    call.out.data({"released": rows, "count": len(rows)})
    return 0


def evict(call: Call) -> int:
    space, reason = call.workspace, call.parsed.text("--reason")
    named = find_file(space, call.parsed.text("path"))
    if not reason.strip():
        raise Invalid("taking a file away needs a reason", hint=f'jit file evict {named.path} --reason "why"')
    lease = _standing_first(space, space.snapshot().ledger, named)
    outcome = space.engine.submit(Evict(lease.lease_id, space.owner, reason))
    lapsed = isinstance(outcome.answer, Lapsed)
    _expect(outcome, lease)
    row = files.file_row(lease, observe(space, [lease])) | {"lapsed": lapsed}
    call.out.data({"evicted": row, "lapsed": lapsed, "sequence": outcome.sequence})
    how = "had lapsed already" if lapsed else "evicted"
    call.out.line(f"{call.out.paint('warn', how)}: {lease.owner.agent}'s lease on {named.path}")
    return 0


def waiters(call: Call) -> int:
    space = call.workspace
    text = call.parsed.text("path")
    resources = find_file(space, text).resources if text else ()
    ledger = space.snapshot().ledger
    evidence = observe(space, ledger)
    pairs = [
        (wait, files.awaited(ledger, wait, evidence)) for wait in files.waits(ledger, evidence, resources=resources)
    ]
    call.out.data({"waiters": [files.wait_row(*pair) for pair in pairs], "count": len(pairs)})
    call.out.table(WAITERS, [wait_cells(*pair, evidence) for pair in pairs], empty="nobody waits")
    return 0


def blockers(call: Call) -> int:
    space = call.workspace
    ledger = space.snapshot().ledger
    evidence = observe(space, ledger)
    retry_secs = space.settings.number("files.retry_interval_secs")
    pairs = [(wait, files.awaited(ledger, wait, evidence)) for wait in files.blockers(ledger, evidence)]
    rows = [files.blocker_row(wait, holder, evidence, retry_secs) for wait, holder in pairs]
    call.out.data({"blockers": rows, "count": len(rows)})
    cells = [_blocker_cells(wait, holder, evidence) for wait, holder in pairs]
    call.out.table(BLOCKERS, cells, empty="nobody is blocked")
    for wait, _ in pairs[:1]:
        path = path_of(waited_for(wait))
        call.out.note(f'look: jit file why {path}; then: jit file resume {path}, or: jit file evict {path} --reason "…"')
    return 0


def resume(call: Call) -> int:
    space, word = call.workspace, call.parsed.text("blocker")
    waits = _halted(space, word)
    reason = call.parsed.text("--reason")
    rows: list[dict[str, object]] = []
    for wait in waits:
        outcome = space.engine.submit(Resume(wait.lease_id, space.owner, reason))
        _expect(outcome, wait)
        path = path_of(waited_for(wait))
        owner = files.placed(wait.owner, waited_for(wait))
        rows.append({"blocker_id": wait.lease_id, "file": path, "blocked": owner, "sequence": outcome.sequence})
        call.out.line(f"{call.out.paint('ok', 'resumed')}: {wait.owner.agent} may try {path} again")
    call.out.data({"resumed": rows, "count": len(rows)})
    return 0


def observe(space: Workspace, leases: Iterable[Lease]) -> Evidence:
    """The time, and which of the leases' owners are alive."""
    processes = {lease.owner.process for lease in leases if lease.owner.process is not None}
    return Evidence(space.world.now(), {process: space.world.liveness(process) for process in processes})


def find_file(space: Workspace, text: str) -> Named:
    """The file that a path means, from wherever it was typed."""
    from jit.world.paths import locate
    from jit.world.worktree_file import read

    spot = locate(text, space.cwd, space.repo)
    if spot is None:
        raise Invalid(
            f"{text} is not a file of this repository, so nobody can lease it", hint="jit file list", details={"path": text}
        )
    identity = read(spot.root)
    scopes = [identity.worktree_id, REPOSITORY] if identity else [REPOSITORY]
    return Named(spot.path, tuple([file_resource(scope, spot.path) for scope in scopes]))


def leases_on(ledger: Ledger, named: Named) -> list[Lease]:
    return [lease for resource in named.resources for lease in ledger.holders(resource)]


def wait_cells(wait: Lease, holder: Lease | None, evidence: Evidence) -> tuple[Cell, ...]:
    told, state = wait_of(wait), files.state_of(wait, holder)
    return (
        path_of(waited_for(wait)),
        wait.owner.agent,
        _age(wait, evidence),
        (STATES[state], state),
        holder.owner.agent if holder else "nobody",
        clock_text(told.due.wall_ms) if told.due and state == "waiting" else "",
        wait.lease_id,
    )


def _file_cells(lease: Lease, evidence: Evidence) -> tuple[Cell, ...]:
    state = "lapsed" if files.has_lapsed(lease, evidence) else "stopped" if lease.stopped else "held"
    process, resource = lease.owner.process, lease.resources[0]
    pid = str(process.pid) if process else ""
    place, age = scope_of(resource), _age(lease, evidence)
    return path_of(resource), lease.owner.agent, pid, age, (STATES[state], state), place, lease.lease_id


def _blocker_cells(wait: Lease, holder: Lease | None, evidence: Evidence) -> tuple[Cell, ...]:
    phase = wait_of(wait).phase
    held_by, age = (holder.owner.agent, _age(holder, evidence)) if holder else ("nobody", "")
    why: Cell = ("bad", "deadlock" if phase == "deadlock" else "held after one retry")
    return path_of(waited_for(wait)), wait.owner.agent, held_by, age, why, wait.lease_id


def _age(lease: Lease, evidence: Evidence) -> str:
    return duration(max(0, elapsed_ms(lease.acquired, evidence.now)))


def _own(space: Workspace, ledger: Ledger, named: Named) -> Lease:
    """The caller's own lease on a file. Any of its subagents' is its own: a shell does not know which one started it."""
    leases = leases_on(ledger, named)
    mine = [lease for lease in leases if lease.owner.agent == space.agent.id]
    if mine:
        return mine[0]
    standing = files.held(leases, observe(space, leases))
    if not standing:
        raise _unheld(named)
    holder = standing[0]
    raise NotPermitted(
        f"{named.path} is held by {holder.owner.agent} since {clock_text(holder.acquired.wall_ms)};"
        f" you are {space.agent.id}",
        hint=f'jit file why {named.path}; if its holder is gone: jit file evict {named.path} --reason "…"',
        details=files.file_row(holder, observe(space, [holder])),
    )


def _give_back(call: Call, lease: Lease, reason: str) -> dict[str, object]:
    outcome = call.workspace.engine.submit(Release(lease.lease_id, lease.owner, reason))
    lapsed = any(isinstance(event, Lapsed) for event in outcome.events)
    if not lapsed:
        _expect(outcome, lease)
    path = path_of(lease.resources[0])
    call.out.line(f"{call.out.paint('ok', 'released')} {path}{', which had lapsed already' if lapsed else ''}")
    row = files.file_row(lease, observe(call.workspace, [lease]))
    return row | {"lapsed": lapsed, "sequence": outcome.sequence}


def _standing_first(space: Workspace, ledger: Ledger, named: Named) -> Lease:
    leases = leases_on(ledger, named)
    if not leases:
        raise _unheld(named)
    return (files.held(leases, observe(space, leases)) or leases)[0]


def _unheld(named: Named) -> NotFound:
    return NotFound(f"nobody holds {named.path}", hint="jit file list", details={"file": named.path})


def _halted(space: Workspace, word: str) -> list[Lease]:
    """The waits that a blocker's id, the beginning of one, or a path names."""
    waits = [lease for lease in space.snapshot().ledger if is_wait(lease)]
    wanted = word.strip().upper()
    hits = [wait for wait in waits if wanted and wait.lease_id.startswith((wanted, f"W{wanted}"))]
    if len(hits) > 1:
        names = sorted(wait.lease_id for wait in hits)
        what = f"{word!r} could be any of {len(names)} blockers: {', '.join(names[:5])}"
        raise Invalid(what, hint="jit file blockers", details={"candidates": names})
    hits = hits or [wait for wait in waits if waited_for(wait) in _resources(space, word)]
    halted = [wait for wait in hits if wait_of(wait).phase in files.HALTED]
    if not halted:
        raise _not_halted(word, hits)
    return halted


def _resources(space: Workspace, word: str) -> tuple[str, ...]:
    try:
        return find_file(space, word).resources
    except Invalid:
        return ()


def _not_halted(word: str, waits: list[Lease]) -> NotFound | Invalid:
    for wait in waits:
        due = wait_of(wait).due
        until = f"its one retry is due at {clock_text(due.wall_ms)}" if due else "it stands in the queue"
        what = f"{wait.owner.agent} is not blocked at {path_of(waited_for(wait))}: it waits, and {until}"
        return Invalid(what, hint=f"jit file waiters {path_of(waited_for(wait))}", details={"wait_id": wait.lease_id})
    return NotFound(f"there is no blocker {word!r}, nor is anybody blocked at such a file", hint="jit file blockers")


def _expect(outcome: Outcome, lease: Lease) -> None:
    """Somebody may have ended the lease between the look and the deed."""
    if isinstance(outcome.answer, Refused):
        raise NotFound(
            f"lease {lease.lease_id} of {lease.owner.agent} has ended meanwhile",
            hint="jit file list",
            details={"lease_id": lease.lease_id},
        )
