"""One attempt to write: granted, waiting, blocked, or told that its copy is old.

The contract under contention is exact. A denied attempt is recorded as a wait with a `due`, one retry interval later.
Before `due` every attempt gets the same answer and records nothing. At or after `due` the attempt is granted, or the
wait turns into a block that stands until the holder's lease ends or an operator resumes it. There are no other
retries.

    nobody holds it    held, first time    held, before due    held, at or after due    held, blocked
    Granted            wait: "waiting"     "waiting"           wait: "blocked"          "blocked"

An attempt that would close a circle of waits is told at once, because it is the youngest of them: waiting would help
nobody.

A grant that comes after others had the file compares its content with what this owner last saw. If it differs, the
write is refused once, with the lease already held, so that the owner can read again in peace. A change that the
client applies to the fresh file passes.
"""

from __future__ import annotations

from jit.kernel.events import Beaten, Denied, Granted, Lapsed, Refused, Released, Renewed
from jit.kernel.instant import after, elapsed_ms
from jit.kernel.lease import Lease, lease_standing, same_owner
from jit.kernel.record import Record, replace
from jit.systems.files.names import is_file, is_wait, wait_resources, waited_for
from jit.systems.files.sight import content_of, own_sight, remember
from jit.systems.files.wait import Wait, note_of, wait_of

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


class _Look(Record):
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
        return (*found, *_contend(case, held))
    answers: list[Event] = []
    for look in looks:
        found += _admit(case, look, _next_fence(case.state, found), answers)
    return (*found, *answers)


def _awaken(case: Attempt, looks: list[_Look]) -> list[Event]:
    """Whoever writes goes on: nothing that it still holds is stopped. Leases are stopped and woken all together."""
    if all(look.own is not None and not look.own.stopped for look in looks):
        return []
    owner, now = case.command.owner, case.evidence.now
    mine = [x for x in case.state.of_agent(owner.agent) if same_owner(x.owner, owner) and is_file(x)]
    mine = [x for x in mine if x.owner.process == owner.process]  # of this very process, which lives, as it asks
    asleep = [lease for lease in mine if lease.stopped and lease_standing(lease, case.evidence) != "lapsed"]
    return [Beaten(replace(lease, beat=now, stopped=False)) for lease in asleep]


def _next_fence(state: Leases, batch: list[Event]) -> int:
    """Fences count grants, those of this very batch included."""
    return state.fence + 1 + sum(1 for event in batch if isinstance(event, Granted))


def _look(case: Attempt, target: Target, new_id: str, found: list[Event], gone: set[str]) -> _Look:
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
        elif not (lease.shared and target.shared):
            rival = rival or lease
    if rival is None and own is None and target.rule == "queue":
        rival = _ahead(case, target.resource)
    return _Look(target, new_id, own, rival)


def _ahead(case: Attempt, resource: str) -> Lease | None:
    """The wait that stands first in the queue, if it is somebody else's."""
    owner = case.command.owner
    waits = [
        lease
        for lease in case.state.holders(wait_resources(owner, resource)[1])
        if lease_standing(lease, case.evidence) != "lapsed" and wait_of(lease).phase == "queued"
    ]
    waits.sort(key=lambda lease: lease.fence)
    return waits[0] if waits and not same_owner(waits[0].owner, owner) else None


def _admit(case: Attempt, look: _Look, fence: int, answers: list[Event]) -> tuple[Event, ...]:
    """The events of a target that is free or the owner's own; an outdated copy becomes the answer."""
    if look.own is not None:
        return _go_on(case, look.own)
    owner, resource = case.command.owner, look.target.resource
    lease = _new_lease(case, look, fence)
    wait = _own_wait(case.state, owner, resource)
    seen = own_sight(case.state, owner, resource)
    known = wait_of(wait).content if wait else seen.note if seen else lease.note
    if known != lease.note and not look.target.fresh:
        answers.append(Refused("outdated", owner, resource, lease))
    over = [Released(entry, owner, "granted") for entry in (wait, seen) if entry is not None]
    return (Granted(lease), *over)


def _go_on(case: Attempt, own: Lease) -> tuple[Event, ...]:
    """A sign of life, unless one was recorded just now. The process that writes is the one whose life counts."""
    owner, now = case.command.owner, case.evidence.now
    recent = elapsed_ms(own.beat, now) <= min(BEAT_MS, case.command.policy.silence_ms // 10)
    if own.owner.process == owner.process and (own.stopped or recent):
        return ()  # one that was stopped has just been woken
    return (Beaten(replace(own, owner=owner, beat=now, stopped=False)),)


def _new_lease(case: Attempt, look: _Look, fence: int) -> Lease:
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


def _contend(case: Attempt, held: list[_Look]) -> tuple[Event, ...]:
    """One answer for all targets that are held: the gravest."""
    events: list[Event] = []
    answers: list[Event] = []
    for look in held:
        more, answer = _contention(case, look, _next_fence(case.state, events))
        events += more
        answers.append(answer)
    gravest = max(answers, key=lambda answer: _GRAVITY.get(getattr(answer, "code", "held"), 0))
    return (*events, gravest)


_GRAVITY = {"held": 1, "queued": 1, "waiting": 2, "blocked": 3, "deadlock": 4}


def _contention(case: Attempt, look: _Look, fence: int) -> tuple[tuple[Event, ...], Event]:
    command, resource = case.command, look.target.resource
    if look.target.rule == "fail-fast":
        return (), Denied(resource, command.owner, _rival(look))
    lease = _own_wait(case.state, command.owner, resource)
    if lease is None:
        begun = replace(
            _new_lease(case, look, fence),
            lease_id=f"W{look.new_id}",
            resources=wait_resources(command.owner, resource),
            note=note_of(_new_wait(case, look, _last_read(case, look))),
            shared=False,
        )
        return (Granted(begun),), _answer(command.owner, begun)
    after_all = _next_of(wait_of(lease), case, look)
    if after_all is None:
        return (), _answer(command.owner, lease)
    renewed = lease.renewed if after_all.phase == "blocked" else case.evidence.now
    kept = replace(lease, owner=command.owner, note=note_of(after_all), renewed=renewed, beat=case.evidence.now)
    return (Renewed(kept),), _answer(command.owner, kept)


def _next_of(wait: Wait, case: Attempt, look: _Look) -> Wait | None:
    """What a wait becomes at this attempt: a new round, a block, or nothing new."""
    fresh = _new_wait(case, look, wait.content)
    if wait.phase == "queued":
        return fresh if fresh.phase == "deadlock" else None
    if wait.holder != fresh.holder or (wait.phase == "deadlock" and fresh.phase != "deadlock"):
        return fresh
    if wait.phase == "waiting" and wait.due is not None and elapsed_ms(case.evidence.now, wait.due) == 0:
        return replace(wait, phase="blocked")
    return None


def _last_read(case: Attempt, look: _Look) -> str:
    """What the owner may have read last: what it is known to have seen, or what was there before the holder began."""
    seen, rival = own_sight(case.state, case.command.owner, look.target.resource), _rival(look)
    if seen is not None:
        return seen.note
    return rival.note if is_file(rival) else content_of(case.evidence, look.target.resource)


def _answer(owner: Owner, wait: Lease) -> Event:
    return Refused(wait_of(wait).phase, owner, waited_for(wait), wait)


def _new_wait(case: Attempt, look: _Look, known: str) -> Wait:
    from jit.systems.files.circle import closes_circle

    rival, queued = _rival(look), look.target.rule == "queue"
    circle = not is_wait(rival) and closes_circle(case.state, case.command.owner, rival.owner, case.evidence)
    return Wait(
        "deadlock" if circle else "queued" if queued else "waiting",
        None if queued else after(case.evidence.now, case.command.retry_ms),
        rival.lease_id,
        rival.owner.agent,
        rival.acquired,
        known,
    )


def _rival(look: _Look) -> Lease:
    if look.rival is None:
        raise AssertionError("contention without a rival")
    return look.rival


def _own_wait(state: Leases, owner: Owner, resource: str) -> Lease | None:
    found = state.holders(wait_resources(owner, resource)[0])
    return found[0] if found else None
