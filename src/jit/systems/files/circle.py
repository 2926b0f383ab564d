"""Does waiting for somebody lead back to oneself? Whoever is dead or idle stands in nobody's way."""

from __future__ import annotations

from jit.kernel.lease import lease_standing, same_owner
from jit.systems.files.names import is_wait, owner_key, waited_for
from jit.systems.files.wait import wait_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.lease import Evidence, Lease, Owner
    from jit.kernel.ledger import Leases

FARTHEST = 64  # owners on one way; more than any repository has agents


def closes_circle(state: Leases, asking: Owner, holder: Owner, evidence: Evidence) -> bool:
    """Would `asking` wait for somebody who waits, perhaps through others, for `asking`?"""
    return any(same_owner(lease.owner, asking) for lease in waited_for_by(state, holder, evidence))


def waited_for_by(state: Leases, owner: Owner, evidence: Evidence | None = None) -> list[Lease]:
    """The leases an owner waits for, those that their holders wait for, and so on; with `evidence`, if not over."""
    ahead, met = [owner], {owner_key(owner)}
    found: list[Lease] = []
    while ahead and len(met) < FARTHEST:
        for lease in _waits_for(state, ahead.pop()):
            if evidence is not None and lease_standing(lease, evidence) == "lapsed":
                continue
            found.append(lease)
            if owner_key(lease.owner) not in met:
                met.add(owner_key(lease.owner))
                ahead.append(lease.owner)
    return found


def _waits_for(state: Leases, owner: Owner) -> list[Lease]:
    """Who has now what an owner waits for. One that was told of a deadlock does not wait: it was told to give way."""
    waits = [lease for lease in state.of_agent(owner.agent) if is_wait(lease) and same_owner(lease.owner, owner)]
    waits = [wait for wait in waits if wait_of(wait).phase != "deadlock"]
    return [lease for wait in waits for lease in state.holders(waited_for(wait)) if not same_owner(lease.owner, owner)]
