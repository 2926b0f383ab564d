"""The queue for a file: first in, first out, woken on release."""

from __future__ import annotations

from jit.kernel.lease import lease_standing, same_owner
from jit.systems.files.names import wait_resources
from jit.systems.files.wait import wait_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.lease import Lease
    from jit.systems.files.touch import Attempt


def ahead(case: Attempt, resource: str) -> Lease | None:
    """The wait that stands first in the queue, if it is somebody else's."""
    owner = case.command.owner
    waits = [
        lease
        for lease in case.state.holders(wait_resources(owner, resource)[1])
        if lease_standing(lease, case.evidence) != "lapsed" and wait_of(lease).phase == "queued"
    ]
    waits.sort(key=lambda lease: lease.fence)
    return waits[0] if waits and not same_owner(waits[0].owner, owner) else None
