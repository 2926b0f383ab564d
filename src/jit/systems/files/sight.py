"""What an owner last knew a file to hold, kept beyond the lease or the wait that told it."""

from __future__ import annotations

from jit.kernel.events import Renewed
from jit.kernel.lease import same_owner
from jit.kernel.record import replace
from jit.systems.files.names import seen_resource, waited_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from jit.kernel.events import Event
    from jit.kernel.lease import Evidence, Lease, Owner
    from jit.kernel.ledger import Leases


def remember(state: Leases, ended: Lease, resource: str, evidence: Evidence) -> tuple[Event, ...]:
    """Keep what the file held when an owner that lives on lost or gave back its lease."""
    process = ended.owner.process
    if process is not None and evidence.liveness.get(process) == "dead":
        return ()
    content = content_of(evidence, resource)
    known = own_sight(state, ended.owner, resource)
    if known is not None:
        return (Renewed(replace(known, note=content)),)
    return (_sight(state, ended, resource, content, evidence),)


def hand_down(state: Leases, wait: Lease, content: str, evidence: Evidence) -> tuple[Event, ...]:
    """A wait ends without a grant: what its owner knew of the file is as old as before."""
    resource = waited_for(wait)
    if own_sight(state, wait.owner, resource) is not None:
        return ()
    return (_sight(state, wait, resource, content, evidence),)


def own_sight(state: Leases, owner: Owner, resource: str) -> Lease | None:
    found = state.holders(seen_resource(owner, resource))
    return found[0] if found else None


def overtaken(granted: Lease, leases: Iterable[Lease]) -> Lease | None:
    """Who changed a file last while its new owner may already have known it; nobody if it is as it was before.

    `leases` are those on the file since the owner began, in the order of their records. Once the owner had one itself,
    what was before does not count.
    """
    others: list[Lease] = []
    for lease in leases:
        if lease.lease_id == granted.lease_id:
            break
        if same_owner(lease.owner, granted.owner):
            others.clear()
        else:
            others.append(lease)
    return others[-1] if others and others[0].note != granted.note else None


def content_of(evidence: Evidence, resource: str) -> str:
    return (evidence.content or {}).get(resource, "")


def _sight(state: Leases, ended: Lease, resource: str, content: str, evidence: Evidence) -> Event:
    return Renewed(
        replace(
            ended,
            lease_id=f"S{ended.lease_id}",
            resources=(seen_resource(ended.owner, resource),),
            fence=state.fence,
            stopped=False,
            note=content,
            beat=evidence.now,
        )
    )
