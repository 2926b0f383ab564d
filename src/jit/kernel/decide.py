"""All judgement about leases, as one pure function.

Two rules hold it together:

1. A lease ends in exactly one way: its owner releases or transfers it, somebody evicts it with a reason, or its own
policy says that it lapsed. Nothing else, no count of denials and no doubt about an owner's life, ends a lease. 2.
Lapsing is noticed, not scheduled. Whoever touches a resource or a lease first asks for its standing, and a lapse that
is found is recorded in the same batch as the answer. So a lapse is in the log once, however often it was looked at.

    command    lease is held               lease is stale            lease has lapsed          no such lease
    Acquire    Denied (own: Refused)       Denied (own: Refused)     Lapsed, Granted           Granted
    Renew      Renewed (other: Refused)    Renewed (other: Refused)  Lapsed, Refused           Refused
    Beat       Beaten (other: Refused)     Beaten (other: Refused)   Lapsed, Refused           Refused
    Release    Released (other: Refused)   Released (other: Refused) Lapsed, Refused           Refused
    Transfer   Transferred (other: Ref.)   Transferred (other: Ref.) Lapsed, Refused           Refused
    Evict      Evicted                     Evicted                   Lapsed                    Refused
"""

from __future__ import annotations

from jit.kernel.commands import Acquire, Beat, Evict, Release, Renew, Transfer
from jit.kernel.events import Beaten, Denied, Evicted, Granted, Lapsed, Refused, Released, Renewed, Transferred
from jit.kernel.lease import Lease, lease_standing, same_owner
from jit.kernel.policy import Indefinite
from jit.kernel.record import replace, unreachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.commands import Command
    from jit.kernel.events import Event
    from jit.kernel.lease import Evidence
    from jit.kernel.ledger import Leases


def decide(state: Leases, command: Command, evidence: Evidence) -> tuple[Event, ...]:
    """What happens when `command` meets `state`, given the evidence."""
    if isinstance(command, Acquire):
        return _acquire(state, command, evidence)
    lease = state.lease(command.lease_id)
    if lease is None:
        return (Refused("not-found", command.owner, command.lease_id),)
    if lease_standing(lease, evidence) == "lapsed":
        ended: tuple[Event, ...] = (Lapsed(lease),)
        if isinstance(command, Evict):
            return ended
        return (*ended, Refused("expired", command.owner, command.lease_id, lease))
    if isinstance(command, Evict):
        return _evict(lease, command)
    if not same_owner(lease.owner, command.owner):
        return (Refused("not-owner", command.owner, command.lease_id, lease),)
    return (_of_owner(state, command, lease, evidence),)


def _acquire(state: Leases, command: Acquire, evidence: Evidence) -> tuple[Event, ...]:
    if not command.resources:
        return (Refused("empty", command.owner, ""),)
    lapsed: dict[str, Event] = {}
    for resource in command.resources:
        for lease in state.holders(resource):
            if lease.lease_id in lapsed:
                continue
            if lease_standing(lease, evidence) == "lapsed":
                lapsed[lease.lease_id] = Lapsed(lease)
            else:
                return (*lapsed.values(), _held(command, resource, lease, evidence))
    return (*lapsed.values(), Granted(_new_lease(command, state.fence + 1, evidence)))


def _held(command: Acquire, resource: str, lease: Lease, evidence: Evidence) -> Event:
    if not same_owner(lease.owner, command.owner):
        return Denied(resource, command.owner, lease)
    if command.again == "renew" and set(command.resources) <= set(lease.resources):
        return Renewed(replace(lease, policy=command.policy, renewed=evidence.now, beat=evidence.now, stopped=False))
    return Refused("yours", command.owner, resource, lease)


def _new_lease(command: Acquire, fence: int, evidence: Evidence) -> Lease:
    now = evidence.now
    return Lease(
        command.lease_id,
        command.resources,
        command.owner,
        command.policy,
        fence,
        now,
        now,
        now,
        command.reason,
        command.branch,
        False,  # noqa: FBT003  positions of a record, not of a function
        evidence.revision,
    )


def _evict(lease: Lease, command: Evict) -> tuple[Event, ...]:
    if not command.reason.strip():
        return (Refused("reason", command.owner, command.lease_id, lease),)
    return (Evicted(lease, command.owner, command.reason),)


def _of_owner(state: Leases, command: Renew | Beat | Release | Transfer, lease: Lease, evidence: Evidence) -> Event:
    now = evidence.now
    match command:
        case Renew():
            return _renew(lease, command, evidence)
        case Beat():
            return Beaten(replace(lease, beat=now, stopped=command.stopped))
        case Release():
            return Released(lease, command.owner, command.reason)
        case Transfer():
            heir = replace(
                lease,
                lease_id=command.new_lease_id,
                owner=command.to,
                fence=state.fence + 1,
                acquired=now,
                renewed=now,
                beat=now,
                branch=command.branch,
                stopped=False,
            )
            return Transferred(heir, lease.lease_id, command.owner, command.reason)
        case _:
            unreachable(command)


def _renew(lease: Lease, command: Renew, evidence: Evidence) -> Event:
    policy = command.policy or lease.policy
    # A lease with an end may not become endless by renewal: that would pass by the limits on indefinite leases.
    if isinstance(policy, Indefinite) and not isinstance(lease.policy, Indefinite):
        return Refused("forbidden", command.owner, lease.lease_id, lease)
    return Renewed(replace(lease, policy=policy, renewed=evidence.now, beat=evidence.now, stopped=False))
