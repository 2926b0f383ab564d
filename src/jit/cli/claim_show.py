"""`jit claim status`, `list` and `history`: reading, without a lock."""

from __future__ import annotations

from jit.cli.table import Column
from jit.views.active import active, active_row, duration, remaining_ms, subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.cli.call import Call
    from jit.cli.table import Cell
    from jit.kernel.lease import Evidence, Lease

COLUMNS = (
    Column("ISSUE", "id"),
    Column("AGENT"),
    Column("WORKTREE"),
    Column("BRANCH"),
    Column("LEFT", right=True),
    Column("LEASE", "id"),
)


def status(call: Call) -> int:
    issue = call.parsed.text("--issue")
    if issue:
        from jit.cli.resolve import find_issue

        issue = find_issue(call.workspace, issue)
    return tell(call, issue=issue, agent=call.parsed.text("--agent"))


def status_all(call: Call) -> int:
    return tell(call)


def tell(call: Call, *, issue: str = "", agent: str = "") -> int:
    space = call.workspace
    evidence = space.evidence()
    snapshot = space.snapshot()
    leases = active(snapshot.ledger, evidence, issue=issue, agent=agent)
    recorded = snapshot.recorded or {}
    rows = [active_row(lease, evidence) | {"sequence": recorded.get(lease.lease_id)} for lease in leases]
    call.out.data({"leases": rows, "count": len(rows)})
    empty = "no active claims; take one with: jit claim next"
    call.out.table(COLUMNS, [lease_cells(lease, evidence) for lease in leases], empty=empty)
    return 0


def lease_cells(lease: Lease, evidence: Evidence) -> tuple[Cell, ...]:
    owner = lease.owner
    return subject(lease), owner.agent, owner.worktree, lease.branch, left_cell(lease, evidence), lease.lease_id


def left_cell(lease: Lease, evidence: Evidence) -> Cell:
    """How long it still lasts, in the colour of its urgency."""
    row = active_row(lease, evidence)
    left = remaining_ms(lease, evidence.now)
    if left is None:
        return ("bad", "stale") if row["stale"] else "no end"
    ttl_ms = getattr(lease.policy, "ttl_ms", left)
    return ("warn" if left * 10 < ttl_ms else "ok", duration(left))


def history(call: Call) -> int:
    from jit.cli.log import tell_history
    from jit.cli.resolve import find_issue

    issue = find_issue(call.workspace, call.parsed.text("issue"))
    return tell_history(call, issue=issue)
