"""Who holds which file, who waits for it, and who is blocked: what `jit file` shows.

Standing is judged from evidence, as everywhere: a lease whose owner is dead or idle for too long holds nothing, even if
nobody has recorded its end yet. A wait is shown with the lease it waits for; when that one is gone the file is `free`
for the waiter, because its next attempt is granted or begins a new round.
"""

from __future__ import annotations

from jit.kernel.instant import rfc3339
from jit.kernel.lease import lease_standing
from jit.systems.files.names import is_file, is_wait, path_of, scope_of, waited_for
from jit.systems.files.wait import wait_of
from jit.views.blocker import owner_row, report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    from jit.kernel.lease import Evidence, Lease, Owner
    from jit.kernel.ledger import Ledger

    Row = dict[str, object]
    State = Literal["waiting", "queued", "blocked", "deadlock", "free"]

HALTED = ("blocked", "deadlock")


def held(leases: Iterable[Lease], evidence: Evidence) -> list[Lease]:
    """The file leases that stand, by file."""
    return [lease for lease in of_files(leases) if not has_lapsed(lease, evidence)]


def of_files(leases: Iterable[Lease]) -> list[Lease]:
    """The file leases of the ledger, lapsed ones among them, by file."""
    chosen = [lease for lease in leases if is_file(lease)]
    return sorted(chosen, key=lambda lease: (path_of(lease.resources[0]), lease.resources[0]))


def waits(leases: Iterable[Lease], evidence: Evidence, *, resources: tuple[str, ...] = ()) -> list[Lease]:
    """The waits whose owners are still there, the oldest first; only for these files if some are named."""
    chosen = [
        lease
        for lease in leases
        if is_wait(lease) and (not resources or waited_for(lease) in resources) and not has_lapsed(lease, evidence)
    ]
    return sorted(chosen, key=lambda lease: (lease.acquired.wall_ms, lease.lease_id))


def blockers(ledger: Ledger, evidence: Evidence) -> list[Lease]:
    """The waits that need an instruction: halted, and what halted them still stands."""
    return [wait for wait in waits(ledger, evidence) if state_of(wait, awaited(ledger, wait, evidence)) in HALTED]


def count(ledger: Ledger, evidence: Evidence) -> dict[str, int]:
    """How many files are held, how many waits there are for files, and how many of those need an instruction."""
    numbers = [len(chosen) for chosen in (held(ledger, evidence), waits(ledger, evidence), blockers(ledger, evidence))]
    return dict(zip(("held", "waiting", "blocked"), numbers, strict=True))


def awaited(ledger: Ledger, wait: Lease, evidence: Evidence) -> Lease | None:
    """The lease that a wait is for, as long as it stands."""
    lease = ledger.lease(wait_of(wait).holder)
    return None if lease is None or has_lapsed(lease, evidence) else lease


def state_of(wait: Lease, holder: Lease | None) -> State:
    return "free" if holder is None else wait_of(wait).phase


def has_lapsed(lease: Lease, evidence: Evidence) -> bool:
    return lease_standing(lease, evidence) == "lapsed"


def file_row(lease: Lease, evidence: Evidence) -> Row:
    """`tool` is what the client called the write; `content` is the file's hash when the lease was granted."""
    resource = lease.resources[0]
    return {
        "file": path_of(resource),
        "owner": placed(lease.owner, resource),
        "lease_id": lease.lease_id,
        "fence": lease.fence,
        "since": rfc3339(lease.acquired.wall_ms),
        "last_heartbeat_at": rfc3339(lease.beat.wall_ms),
        "stopped": lease.stopped,
        "shared": lease.shared,
        "lapsed": has_lapsed(lease, evidence),
        "scope": scope_of(resource),
        "tool": lease.reason,
        "content": lease.note,
    }


def wait_row(wait: Lease, holder: Lease | None) -> Row:
    told = wait_of(wait)
    resource = waited_for(wait)
    return {
        "wait_id": wait.lease_id,
        "file": path_of(resource),
        "state": state_of(wait, holder),
        "waiter": placed(wait.owner, resource),
        "holder": None if holder is None else placed(holder.owner, resource),
        "since": rfc3339(wait.acquired.wall_ms),
        "retry_at": None if told.due is None or told.phase == "queued" else rfc3339(told.due.wall_ms),
        "tool": wait.reason,
    }


def blocker_row(wait: Lease, holder: Lease | None, evidence: Evidence, retry_secs: int) -> Row:
    """The blocker report, with the worktree that the file is in."""
    row = report(wait, holder, evidence.now, retry_secs)
    resource = waited_for(wait)
    row["blocked"] = placed(wait.owner, resource)
    if holder is not None:
        row["owner"] = placed(holder.owner, resource)
    return row


def placed(owner: Owner, resource: str) -> Row:
    """An owner beside one of its files: a client session is of no worktree, but the file is."""
    scope = scope_of(resource)
    return owner_row(owner) | {"worktree_id": scope if scope.startswith("wt:") else owner.worktree or None}
