"""`jit file waiters`, `blockers` and `resume`: who waits for which file, and who waits for an instruction."""

from __future__ import annotations

from jit.cli.file import STATES, age_of, expect, find_file, observe
from jit.cli.style import printable
from jit.cli.table import Column
from jit.errors import Invalid, NotFound
from jit.systems.files.commands import Resume
from jit.systems.files.names import is_wait, path_of, waited_for
from jit.systems.files.wait import wait_of
from jit.views import files
from jit.views.active import clock_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.app import Workspace
    from jit.cli.call import Call
    from jit.cli.table import Cell
    from jit.kernel.lease import Evidence, Lease
    from jit.views.files import Row

WAITERS = (Column("FILE", "id"), Column("WAITS"), Column("FOR", right=True), Column("STATE"), Column("HELD BY"),
           Column("RETRY AT"), Column("WAIT", "id"))  # fmt: skip
BLOCKERS = (Column("FILE", "id"), Column("BLOCKED"), Column("HELD BY"), Column("FOR", right=True), Column("WHY"),
            Column("BLOCKER", "id"))  # fmt: skip


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
        path = printable(path_of(waited_for(wait)))
        call.out.note(f'next: jit file resume {wait.lease_id}; or: jit file evict {path} --reason "…"')
    return 0


def resume(call: Call) -> int:
    space, word = call.workspace, call.parsed.text("blocker")
    waits = _halted(space, word)
    reason = call.parsed.text("--reason")
    rows: list[Row] = []
    for wait in waits:
        outcome = space.engine.submit(Resume(wait.lease_id, space.owner, reason))
        expect(outcome, wait)
        path = path_of(waited_for(wait))
        owner = files.placed(wait.owner, waited_for(wait))
        rows.append({"blocker_id": wait.lease_id, "file": path, "blocked": owner, "sequence": outcome.sequence})
        call.out.line(f"{call.out.paint('ok', 'resumed')}: {wait.owner.agent} may try {printable(path)} again")
    call.out.data({"resumed": rows, "count": len(rows)})
    return 0


def wait_cells(wait: Lease, holder: Lease | None, evidence: Evidence) -> tuple[Cell, ...]:
    told, state = wait_of(wait), files.state_of(wait, holder)
    return (
        path_of(waited_for(wait)),
        wait.owner.agent,
        age_of(wait, evidence),
        (STATES[state], state),
        holder.owner.agent if holder else "nobody",
        clock_text(told.due.wall_ms) if told.due and state == "waiting" else "",
        wait.lease_id,
    )


def _blocker_cells(wait: Lease, holder: Lease | None, evidence: Evidence) -> tuple[Cell, ...]:
    phase = wait_of(wait).phase
    held_by, age = (holder.owner.agent, age_of(holder, evidence)) if holder else ("nobody", "")
    why: Cell = ("bad", "deadlock" if phase == "deadlock" else "held after one retry")
    return path_of(waited_for(wait)), wait.owner.agent, held_by, age, why, wait.lease_id


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
        told = wait_of(wait)
        due = told.due if told.phase == "waiting" else None
        until = f"its one retry is due at {clock_text(due.wall_ms)}" if due else "it stands in the queue"
        what = f"{wait.owner.agent} is not blocked at {path_of(waited_for(wait))}: it waits, and {until}"
        return Invalid(what, hint=f"jit file waiters {path_of(waited_for(wait))}", details={"wait_id": wait.lease_id})
    return NotFound(f"there is no blocker {word!r}, nor is anybody blocked at such a file", hint="jit file blockers")
