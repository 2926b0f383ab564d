"""An attempt to write what somebody else holds.

The contract is exact. A denied attempt is recorded as a wait with a `due`, one retry interval later. Before `due`
every attempt gets the same answer and records nothing. At or after `due` the attempt is granted, or the wait turns
into a block that stands until the holder's lease ends or an operator resumes it. There are no other retries.

    nobody holds it    held, first time    held, before due    held, at or after due    held, blocked
    Granted            wait: "waiting"     "waiting"           wait: "blocked"          "blocked"

An attempt that would close a circle of waits is told at once, because it is the youngest of them: waiting would help
nobody.
"""

from __future__ import annotations

from jit.kernel.events import Denied, Granted, Refused, Renewed
from jit.kernel.instant import after, elapsed_ms
from jit.kernel.record import replace
from jit.systems.files.circle import closes_circle
from jit.systems.files.names import is_file, is_wait, wait_resources, waited_for
from jit.systems.files.sight import content_of, own_sight
from jit.systems.files.touch import new_lease, next_fence, own_wait
from jit.systems.files.wait import Wait, note_of, wait_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.events import Event
    from jit.kernel.lease import Lease, Owner
    from jit.systems.files.touch import Attempt, Look


def contend(case: Attempt, held: list[Look]) -> tuple[Event, ...]:
    """One answer for all targets that are held: the gravest."""
    events: list[Event] = []
    answers: list[Event] = []
    for look in held:
        more, answer = _contention(case, look, next_fence(case.state, events))
        events += more
        answers.append(answer)
    gravest = max(answers, key=lambda answer: _GRAVITY.get(getattr(answer, "code", "held"), 0))
    return (*events, gravest)


_GRAVITY = {"held": 1, "queued": 1, "waiting": 2, "blocked": 3, "deadlock": 4}


def _contention(case: Attempt, look: Look, fence: int) -> tuple[tuple[Event, ...], Event]:
    command, resource = case.command, look.target.resource
    if look.target.rule == "fail-fast":
        return (), Denied(resource, command.owner, _rival(look))
    lease = own_wait(case.state, command.owner, resource)
    if lease is None:
        begun = replace(
            new_lease(case, look, fence),
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


def _next_of(wait: Wait, case: Attempt, look: Look) -> Wait | None:
    """What a wait becomes at this attempt: a new round, a block, or nothing new."""
    fresh = _new_wait(case, look, wait.content)
    if wait.phase == "queued":
        return fresh if fresh.phase == "deadlock" else None
    if wait.holder != fresh.holder or (wait.phase == "deadlock" and fresh.phase != "deadlock"):
        return fresh
    if wait.phase == "waiting" and wait.due is not None and elapsed_ms(case.evidence.now, wait.due) == 0:
        return replace(wait, phase="blocked")
    return None


def _last_read(case: Attempt, look: Look) -> str:
    """What the owner may have read last: what it is known to have seen, or what was there before the holder began."""
    seen, rival = own_sight(case.state, case.command.owner, look.target.resource), _rival(look)
    if seen is not None:
        return seen.note
    return rival.note if is_file(rival) else content_of(case.evidence, look.target.resource)


def _answer(owner: Owner, wait: Lease) -> Event:
    return Refused(wait_of(wait).phase, owner, waited_for(wait), wait)


def _new_wait(case: Attempt, look: Look, known: str) -> Wait:
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


def _rival(look: Look) -> Lease:
    if look.rival is None:
        raise AssertionError("contention without a rival")
    return look.rival
