"""One attempt to write: granted, waiting, blocked, or told that its copy is old.

Whoever meets another owner's lease contends (`contention`).

A grant that comes after others had the file compares its content with what this owner last saw. If it differs, the
write is refused once, with the lease already held, so that the owner can read again in peace. A change that the
client applies to the fresh file passes.
"""

from __future__ import annotations

from jit.kernel.events import Beaten, Granted, Lapsed, Refused, Released
from jit.kernel.instant import elapsed_ms
from jit.kernel.lease import Lease, lease_standing, same_owner
from jit.kernel.record import Record, replace
from jit.systems.files.names import is_file, stop_resource, wait_resources
from jit.systems.files.sight import content_of, own_sight, remember

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.events import Event
    from jit.kernel.lease import Evidence, Owner
    from jit.kernel.ledger import Leases
    from jit.systems.files.commands import Target, Touch

BEAT_MS = 60_000  # signs of life of an owner that goes on writing are recorded no more often than this


class Attempt(Record):
    """One attempt: the state it meets, what is asked, and what is known."""

    state: Leases
    command: Touch
    evidence: Evidence


class Look(Record):
    """What was found about one target: the owner's own lease, or the first rival that holds it."""

    target: Target
    new_id: str
    own: Lease | None
    rival: Lease | None


def touch(case: Attempt) -> tuple[Event, ...]:
    found: list[Event] = []
    gone: set[str] = set()
    pairs = zip(case.command.targets, case.command.ids, strict=True)
    looks = [_look(case, target, new_id, found, gone) for target, new_id in pairs]
    found += _awaken(case, looks)
    held = [look for look in looks if look.rival is not None]
    if held:
        from jit.systems.files.contention import contend

        return (*found, *contend(case, held))
    answers: list[Event] = []
    for look in looks:
        found += _admit(case, look, next_fence(case.state, found), answers)
    return (*found, *answers)


def _awaken(case: Attempt, looks: list[Look]) -> list[Event]:
    """Whoever writes goes on: nothing that it still holds is stopped. Leases are stopped and woken all together."""
    owner, now = case.command.owner, case.evidence.now
    marks = case.state.holders(stop_resource(owner))
    if not marks and not any(look.own is not None and look.own.stopped for look in looks):
        return []
    mine = [x for x in case.state.of_agent(owner.agent) if same_owner(x.owner, owner) and is_file(x)]
    mine = [x for x in mine if x.owner.process == owner.process]  # of this very process, which lives, as it asks
    asleep = [lease for lease in mine if lease.stopped and lease_standing(lease, case.evidence) != "lapsed"]
    policy = case.command.policy  # a failure had taken the idle time away
    awake = [Beaten(replace(lease, beat=now, stopped=False, policy=policy)) for lease in asleep]
    return [*awake, *[Released(mark, owner, "went on") for mark in marks]]


def next_fence(state: Leases, batch: list[Event]) -> int:
    """Fences count grants, those of this very batch included."""
    return state.fence + 1 + sum(1 for event in batch if isinstance(event, Granted))


def _look(case: Attempt, target: Target, new_id: str, found: list[Event], gone: set[str]) -> Look:
    own = rival = None
    for lease in case.state.holders(target.resource):
        if lease.lease_id in gone:
            continue
        mine = same_owner(lease.owner, case.command.owner)
        if lease_standing(lease, case.evidence) == "lapsed":
            gone.add(lease.lease_id)
            found.append(Lapsed(lease))
            found += () if mine else remember(case.state, lease, target.resource, case.evidence)
        elif mine:
            own = lease
        elif lease.stopped and _of_one_session(lease.owner, case.command.owner):
            gone.add(lease.lease_id)
            found.append(Released(lease, case.command.owner, "its session goes on"))
            found += remember(case.state, lease, target.resource, case.evidence)
        elif not (lease.shared and target.shared):
            rival = rival or lease
    if rival is None and own is None and target.rule == "queue":
        from jit.systems.files.queue import ahead

        rival = ahead(case, target.resource, found)
    return Look(target, new_id, own, rival)


def _of_one_session(one: Owner, other: Owner) -> bool:
    """The parts of one client session: what one of them has finished another may go on with."""
    return one.agent == other.agent and one.session.partition("/")[0] == other.session.partition("/")[0]


def _admit(case: Attempt, look: Look, fence: int, answers: list[Event]) -> tuple[Event, ...]:
    """The events of a target that is free or the owner's own; an outdated copy becomes the answer."""
    if look.own is not None:
        return _go_on(case, look.own)
    owner, resource = case.command.owner, look.target.resource
    lease = new_lease(case, look, fence)
    wait = own_wait(case.state, owner, resource)
    seen = own_sight(case.state, owner, resource)
    known = _content_denied(wait) if wait else seen.note if seen else lease.note
    if known != lease.note and not look.target.fresh:
        answers.append(Refused("outdated", owner, resource, lease))
    over = [Released(entry, owner, "granted") for entry in (wait, seen) if entry is not None]
    return (Granted(lease), *over)


def _content_denied(wait: Lease) -> str:
    """What the file held when its owner was denied it."""
    from jit.systems.files.wait import wait_of

    return wait_of(wait).content


def _go_on(case: Attempt, own: Lease) -> tuple[Event, ...]:
    """A sign of life, unless one was recorded just now. The process that writes is the one whose life counts."""
    owner, now = case.command.owner, case.evidence.now
    recent = elapsed_ms(own.beat, now) <= min(BEAT_MS, case.command.policy.silence_ms // 10)
    if own.owner.process == owner.process and (own.stopped or recent):
        return ()  # one that was stopped has just been woken
    return (Beaten(replace(own, owner=owner, beat=now, stopped=False)),)


def new_lease(case: Attempt, look: Look, fence: int) -> Lease:
    command, now, resource = case.command, case.evidence.now, look.target.resource
    return Lease(
        lease_id=look.new_id,
        resources=(resource,),
        owner=command.owner,
        policy=command.policy,
        fence=fence,
        acquired=now,
        renewed=now,
        beat=now,
        reason=command.tool,
        branch=command.branch,
        note=content_of(case.evidence, resource),
        shared=look.target.shared,
    )


def own_wait(state: Leases, owner: Owner, resource: str) -> Lease | None:
    found = state.holders(wait_resources(owner, resource)[0])
    return found[0] if found else None
