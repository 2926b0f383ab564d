"""The queue for a file: first in, first out.

Once the file is free it is the first one's turn. The turn is kept for one retry interval from the moment somebody else
asks; whoever has not come by then has left the queue.
"""

from __future__ import annotations

from jit.kernel.events import Released, Renewed
from jit.kernel.instant import after, elapsed_ms
from jit.kernel.lease import lease_standing, same_owner
from jit.kernel.record import replace
from jit.systems.files.names import wait_resources
from jit.systems.files.sight import hand_down
from jit.systems.files.wait import note_of, wait_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.events import Event
    from jit.kernel.lease import Evidence, Lease, Owner
    from jit.kernel.ledger import Leases
    from jit.systems.files.touch import Attempt


TURN_PASSED = "its turn passed"


def ahead(case: Attempt, resource: str, found: list[Event]) -> Lease | None:
    """The wait whose turn it is, if it is somebody else's; what becomes of the queue is added to `found`."""
    owner, now = case.command.owner, case.evidence.now
    waits = [
        lease
        for lease in case.state.holders(wait_resources(owner, resource)[1])
        if lease_standing(lease, case.evidence) != "lapsed" and wait_of(lease).phase == "queued"
    ]
    for first in sorted(waits, key=lambda lease: lease.fence):
        if same_owner(first.owner, owner):
            return None
        wait = wait_of(first)
        if wait.due is None:
            called = replace(first, note=note_of(replace(wait, due=after(now, case.command.retry_ms))))
            found.append(Renewed(called))
            return called
        if elapsed_ms(now, wait.due) > 0:
            return first
        found += leave(case.state, first, owner, TURN_PASSED, case.evidence)
    return None


def leave(state: Leases, wait: Lease, by: Owner, why: str, evidence: Evidence) -> tuple[Event, ...]:
    """A wait ends without a grant; what its owner knew of the file is as old as before."""
    return (Released(wait, by, why), *hand_down(state, wait, wait_of(wait).content, evidence))
