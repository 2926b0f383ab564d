"""What happened, told to people: one line for each event, with the reason that the decision had."""

from __future__ import annotations

from jit.kernel.events import Beaten, Denied, Evicted, Granted, Lapsed, Refused, Released, Renewed, Transferred
from jit.kernel.instant import elapsed_ms
from jit.kernel.lease import expires_wall_ms
from jit.kernel.ledger import Ledger, fold
from jit.kernel.policy import Indefinite, Revisions, Ttl, WhileAlive
from jit.kernel.record import unreachable
from jit.systems.claims.decide import Claim, ClaimNext
from jit.systems.files import FILE, SEEN, STOP, WAIT
from jit.systems.files.commands import SLIP, Touch
from jit.systems.files.names import path_of, waited_for
from jit.systems.files.queue import TURN_PASSED
from jit.systems.files.wait import wait_of
from jit.views.active import clock_text, duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    from jit.kernel.events import Event
    from jit.kernel.lease import Evidence, Lease, Owner
    from jit.systems.decide import AnyCommand

    class Decision(Protocol):
        """What is known of the batch that an event belongs to."""

        @property
        def command(self) -> AnyCommand: ...
        @property
        def evidence(self) -> Evidence: ...

    Moment = tuple[int, tuple[Event, ...] | Ledger]


def tell(event: Event, decision: Decision) -> str:
    """One line about an event that explains the decision it came from."""
    lease = event.lease
    if lease is not None and lease.resources[0].startswith((FILE, WAIT, SEEN, STOP)):
        return _tell_of_file(event, lease, decision)
    match event:
        case Granted() | Renewed() | Beaten():
            return _kept(event)
        case Released():
            held = duration(elapsed_ms(event.lease.acquired, decision.evidence.now))
            return f"{event.lease.owner.agent} gave {subject_of(event.lease)} back after {held}{_because(event.reason)}"
        case Lapsed():
            return f"{event.lease.owner.agent} lost {subject_of(event.lease)}, lapsed: {_lapse(event.lease, decision)}"
        case Evicted():
            what = f"{event.lease.owner.agent} lost {subject_of(event.lease)}"
            return f"{what}, evicted by {event.by.agent}{_because(event.reason)}"
        case Transferred():
            to = f"{event.lease.owner.agent} in {event.lease.owner.worktree}"
            return f"{event.by.agent} handed {subject_of(event.lease)} to {to}{_because(event.reason)}"
        case Denied():
            return f"{event.by.agent} was denied {_named(event.resource)}: held by {held_by(event.lease)}"
        case Refused():
            return f"{event.by.agent} was refused {_refused(event)}"
        case _:
            unreachable(event)


def _slipped(decision: Decision) -> bool:
    """Was it asked after the fact?"""
    return isinstance(decision.command, Touch) and decision.command.tool.endswith(SLIP)


def _tell_of_file(event: Event, lease: Lease, decision: Decision) -> str:
    """The file gate's leases: on a file, on a place in the line for it, on what was seen of it, and on rest."""
    kind = lease.resources[0]
    if kind.startswith(WAIT):
        return _tell_wait(event, lease)
    who = lease.owner.agent
    if kind.startswith(SEEN):
        return f"{who} is remembered to have seen {path_of(kind.partition('|' + FILE)[2])}"
    if kind.startswith(STOP):
        return f"{who} has stopped" if isinstance(event, Renewed) else f"{who} no longer rests"
    path = path_of(kind)
    match event:
        case Released():
            return f"{who} gave {path} back{_because(event.reason)}"
        case Lapsed():
            return f"{who} lost {path}, lapsed: {_file_lapse(lease, decision)}"
        case Evicted():
            return f"{who} lost {path}, evicted by {event.by.agent}{_because(event.reason)}"
        case Denied():
            did = "changed" if _slipped(decision) else "was denied"
            return f"{event.by.agent} {did} {path}: held by {who} since {clock_text(lease.acquired.wall_ms)}"
        case Refused():
            return f"{event.by.agent} was refused {path}: {event.code}, it belongs to {who}"
        case Beaten() if lease.stopped and isinstance(lease.policy, WhileAlive) and not lease.policy.idle_ms:
            return f"{who} stopped and let go of {path}"
        case Beaten() if lease.stopped:
            return f"{who} stopped; it keeps {path} only for as long as it may be idle"
        case Beaten() | Renewed():
            return f"{who} goes on with {path}"
        case _:
            tool = f" for {lease.reason}" if lease.reason else ""
            return f"{who} took {path}{tool}, fence {lease.fence}"


def _file_lapse(lease: Lease, decision: Decision) -> str:
    now, process = decision.evidence.now, lease.owner.process
    by = asker(decision.command).agent
    silent = duration(elapsed_ms(lease.beat, now))
    if process is not None and decision.evidence.liveness.get(process) == "dead":
        return f"its process {process.pid} was gone when {by} asked"
    if lease.stopped:
        return f"it had stopped and was idle for {silent} when {by} asked"
    return f"nothing was heard of it for {silent} when {by} asked, and its process cannot be seen"


def _tell_wait(event: Event, lease: Lease) -> str:
    who, path, told = lease.owner.agent, path_of(waited_for(lease)), wait_of(lease)
    if isinstance(event, Released):
        if event.reason == TURN_PASSED:
            return f"{who} missed its turn at {path} and left the queue when {event.by.agent} asked"
        if event.by.agent != who:
            return f"{event.by.agent} let {who} try {path} again{_because(event.reason)}"
        return f"{who} waits no longer for {path}{_because(event.reason)}"
    if isinstance(event, Lapsed | Evicted):
        return f"{who} waits no longer for {path}: {'it is gone' if isinstance(event, Lapsed) else event.reason}"
    held = f"{path}, held by {told.held_by}"
    match told.phase:
        case "queued" if told.due is not None:
            return f"it is the turn of {who} at {path}, until {clock_text(told.due.wall_ms)}"
        case "queued":
            return f"{who} queues for {held}"
        case "deadlock":
            return f"{who} is blocked at once on {held}, who waits for a file of {who}"
        case "blocked":
            since = clock_text(told.held_since.wall_ms)
            return f"{who} is blocked after one retry on {held} since {since}; it waits for instruction"
        case _:
            again = " again" if isinstance(event, Renewed) else ""
            until = f", until {clock_text(told.due.wall_ms)}" if told.due else ""
            return f"{who} waits{again} for {held}{until}"


def held_at(history: Iterable[Moment], wall_ms: int) -> Ledger:
    """The leases as the last record not later than `wall_ms` left them; some may have run out unnoticed since then.

    A moment is the wall clock of a batch and its events, or a whole ledger where a repair says what was active. The
    wall clock may have been set back in between: all that was recorded before such a record counts.
    """
    ledger = Ledger()
    later: list[tuple[Event, ...] | Ledger] = []
    for at, change in history:
        later.append(change)
        if at > wall_ms:
            continue
        for earlier in later:
            ledger = earlier.copy() if isinstance(earlier, Ledger) else fold(earlier, ledger)
        later = []
    return ledger


def asker(command: AnyCommand) -> Owner:
    """Who gave a command."""
    if isinstance(command, ClaimNext):
        return command.claim.acquire.owner
    return command.acquire.owner if isinstance(command, Claim) else command.owner


def subject_of(lease: Lease) -> str:
    """`issue 01…`: what a lease is on, with its kind."""
    return ", ".join(_named(resource) for resource in lease.resources)


def held_by(lease: Lease) -> str:
    """`agent:a since … until …`"""
    return f"{lease.owner.agent} since {clock_text(lease.acquired.wall_ms)} {_span(lease)}"


def _named(resource: str) -> str:
    kind, _, name = resource.partition(":")
    return f"{kind} {name}"


def _kept(event: Granted | Renewed | Beaten) -> str:
    lease = event.lease
    who = lease.owner.agent
    if isinstance(event, Beaten):
        return f"{who} gave a sign of life for {subject_of(lease)}"
    if isinstance(event, Renewed):
        return f"{who} renewed {subject_of(lease)} {_span(lease)}"
    why = _because(lease.reason)
    return f"{who} in {lease.owner.worktree} took {subject_of(lease)} {_span(lease)}, fence {lease.fence}{why}"


def _span(lease: Lease) -> str:
    expires = expires_wall_ms(lease)
    if expires is not None:
        return f"until {clock_text(expires)}"
    return "without end" if isinstance(lease.policy, Indefinite) else "while its policy lasts"


def _lapse(lease: Lease, decision: Decision) -> str:
    by = asker(decision.command).agent
    who = "it" if by == lease.owner.agent else by
    match lease.policy:
        case Ttl(ttl_ms):
            late = elapsed_ms(lease.renewed, decision.evidence.now) - ttl_ms
            return f"its {duration(ttl_ms)} ran out {duration(late)} before {who} asked"
        case WhileAlive():
            return f"its owner was gone when {who} asked"
        case Revisions(lease_revs):
            return f"the document was more than {lease_revs} revisions ahead when {who} asked"
        case _:
            return f"it had ended when {who} asked"


def _refused(event: Refused) -> str:
    lease = event.lease
    if event.code == "agent-limit":
        return f"{_named(event.subject)}: it holds {event.limit} claims without end, its limit"
    if event.code == "repo-limit":
        return f"{_named(event.subject)}: the repository has {event.limit} claims without end, its limit"
    if event.code == "not-owner" and lease is not None:
        return f"{subject_of(lease)}: it belongs to {lease.owner.agent} in {lease.owner.worktree}"
    if event.code == "forbidden" and lease is not None:
        return f"{subject_of(lease)} without end: a claim that has an end cannot be renewed into one that has none"
    if event.code == "forbidden":
        return f"{_named(event.subject)}: claims without end are not permitted"
    return f"{event.subject or 'the command'}: {event.code}"


def _because(reason: str) -> str:
    return f": {reason}" if reason.strip() else ""
