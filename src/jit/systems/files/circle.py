"""Does waiting for somebody lead back to oneself?"""

from __future__ import annotations

from jit.kernel.lease import same_owner
from jit.systems.files.names import is_wait, owner_key
from jit.systems.files.wait import wait_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.lease import Owner
    from jit.kernel.ledger import Leases

FARTHEST = 64  # owners on one way; more than any repository has agents


def closes_circle(state: Leases, asking: Owner, holder: Owner) -> bool:
    """Would `asking` wait for somebody who waits, perhaps through others, for `asking`?"""
    ahead = [holder]
    met: set[str] = set()
    while ahead and len(met) < FARTHEST:
        owner = ahead.pop()
        if same_owner(owner, asking):
            return True
        if owner_key(owner) in met:
            continue
        met.add(owner_key(owner))
        ahead += _waited_for(state, owner)
    return False


def _waited_for(state: Leases, owner: Owner) -> list[Owner]:
    waits = [lease for lease in state.of_agent(owner.agent) if is_wait(lease) and same_owner(lease.owner, owner)]
    holders = [state.lease(wait_of(wait).holder) for wait in waits]
    return [lease.owner for lease in holders if lease is not None]
