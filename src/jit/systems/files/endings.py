"""How a lease on a file ends: its owner stops and stays idle, its session ends, the file is committed, somebody gives
it back or takes it away. Whoever loses a file and lives on is remembered to have seen what it held.
"""

from __future__ import annotations

from jit.kernel.commands import Evict, Release
from jit.kernel.decide import decide as decide_lease
from jit.kernel.events import Beaten, Evicted, Lapsed, Refused, Released, Renewed
from jit.kernel.lease import same_owner
from jit.kernel.policy import WhileAlive
from jit.kernel.record import replace, unreachable
from jit.systems.files.commands import Committed, End, Free, Resume, Stop
from jit.systems.files.names import is_file, is_wait, stop_resource
from jit.systems.files.queue import leave
from jit.systems.files.sight import remember
from jit.systems.files.wait import wait_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.events import Event
    from jit.kernel.instant import Instant
    from jit.kernel.lease import Evidence, Lease
    from jit.kernel.ledger import Leases

    Ending = Stop | End | Committed | Free | Resume


def end(state: Leases, command: Ending, evidence: Evidence) -> tuple[Event, ...]:
    match command:
        case Stop():
            return _stop(state, command, evidence)
        case End():
            return _end(state, command)
        case Committed():
            return _committed(state, command, evidence)
        case Free():
            return _free(state, command, evidence)
        case Resume():
            return _resume(state, command, evidence)
        case _:
            unreachable(command)


def _stop(state: Leases, command: Stop, evidence: Evidence) -> tuple[Event, ...]:
    """The owner's leases run out unless it goes on; and whoever stops stands in no queue."""
    owner, now = command.owner, evidence.now
    mine = [lease for lease in state.of_agent(owner.agent) if same_owner(lease.owner, owner)]
    awake = [x for x in mine if is_file(x) and not x.stopped and x.resources[0] not in command.keep]
    events: list[Event] = [Beaten(_resting(lease, now, failed=command.failed)) for lease in awake]
    if awake and not state.holders(stop_resource(owner)):
        mark = replace(awake[0], lease_id=f"Z{awake[0].lease_id}", resources=(stop_resource(owner),), note="")
        events.append(Renewed(replace(mark, fence=state.fence, beat=now)))
    for lease in mine:
        if is_wait(lease) and wait_of(lease).phase == "queued":
            events += leave(state, lease, owner, "stopped", evidence)
    return tuple(events)


def _resting(lease: Lease, now: Instant, *, failed: bool) -> Lease:
    """A lease whose owner has stopped; after a failure it has no idle time."""
    rested = replace(lease, beat=now, stopped=True)
    if failed and isinstance(lease.policy, WhileAlive):
        return replace(rested, policy=WhileAlive(lease.policy.silence_ms, 0))
    return rested


def _end(state: Leases, command: End) -> tuple[Event, ...]:
    """Everything of this owner; with `whole_session`, of every owner whose session begins with its."""
    owner = command.owner
    session = owner.session.partition("/")[0]
    ended = [
        lease
        for lease in state.of_agent(owner.agent)
        if lease.resources[0].partition(":")[0] in ("file", "wait", "seen", "stop")
        and (
            same_owner(lease.owner, owner)
            or (command.whole_session and lease.owner.session.partition("/")[0] == session)
        )
    ]
    return tuple(Released(lease, owner, command.reason) for lease in ended)


def _committed(state: Leases, command: Committed, evidence: Evidence) -> tuple[Event, ...]:
    """A commit ends the leases of the whole client session on its files, and leaves what it saw behind."""
    session = command.owner.session.partition("/")[0]
    events: list[Event] = []
    for resource in command.resources:
        for lease in state.holders(resource):
            if lease.owner.agent == command.owner.agent and lease.owner.session.partition("/")[0] == session:
                events.append(Released(lease, command.owner, "committed"))
                events += remember(state, lease, resource, evidence)
    return tuple(events)


def _free(state: Leases, command: Free, evidence: Evidence) -> tuple[Event, ...]:
    """As the kernel decides it, and what the file held stays with whoever lost it."""
    kernel = Evict if command.forced else Release
    events = decide_lease(state, kernel(command.lease_id, command.owner, command.reason), evidence)
    told: list[Event] = []
    for event in events:
        told.append(event)
        if isinstance(event, (Released, Evicted, Lapsed)):
            told += remember(state, event.lease, event.lease.resources[0], evidence)
    return tuple(told)


def _resume(state: Leases, command: Resume, evidence: Evidence) -> tuple[Event, ...]:
    lease = state.lease(command.lease_id)
    if lease is None or not is_wait(lease):
        return (Refused("not-found", command.owner, command.lease_id),)
    return leave(state, lease, command.owner, command.reason or "resumed", evidence)
