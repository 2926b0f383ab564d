"""`jit claim run`: a command that runs while its issue is held.

As long as the child lives its claim is renewed. When the claim is lost the child is told with SIGTERM, and with SIGKILL
if it has not ended some time later: what it goes on writing would be written beside the next holder. A store that
cannot be reached is no loss yet; it is one when the time to live has passed without a renewal. A claim that its own
holder gave back early, for example as the child's last act, is not lost.
"""

from __future__ import annotations

import os
import signal
import subprocess

from jit.cli.answers import accept, held_words, lease_of
from jit.cli.child import FORWARDED, STOPPING, Signals, accompany
from jit.cli.claim import claim_of
from jit.cli.claim_heartbeat import sign
from jit.cli.resolve import find_issue
from jit.errors import Expired, Invalid, JitError, NotFound, NotPermitted
from jit.kernel.commands import Beat, Release, Renew
from jit.kernel.events import Evicted, Lapsed, Refused, Released, Transferred
from jit.kernel.instant import elapsed_ms
from jit.kernel.lease import expires_wall_ms, same_owner
from jit.kernel.policy import Ttl
from jit.kernel.record import Record
from jit.systems.claims import ISSUE
from jit.views.active import active, clock_text, granted_row, subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.app import Workspace
    from jit.cli.call import Call
    from jit.kernel.commands import Command
    from jit.kernel.events import Event
    from jit.kernel.instant import Instant
    from jit.kernel.lease import Lease

RETRY_MS = 1000


def run_claimed(call: Call) -> int:
    space = call.workspace
    issue = find_issue(space, call.parsed.text("issue"))
    with Signals((*FORWARDED, signal.SIGCHLD)) as signals:
        outcome = space.engine.submit(claim_of(call, (f"{ISSUE}{issue}",)))
        lease = lease_of(accept(outcome, space.evidence()))
        call.out.note(f"acquired issue {subject(lease)}, lease {lease.lease_id}, fence {lease.fence}")
        upkeep = Upkeep(call, lease, since=outcome.sequence)
        early = [number for number in signals.wait(0) if number in STOPPING]
        code = 128 + early[0] if early else accompany(_start(call, lease), upkeep, signals)
    if upkeep.end is None:
        upkeep.end = _give_back(call, lease, since=outcome.sequence, reason=f"the command ended with {code}")
    return _tell(call, lease, upkeep.end, code)


class End(Record):
    """How a claim ended. `by_holder` says that its own holder gave it back, so that it was not lost."""

    words: str
    by_holder: bool = False


class Upkeep:
    """The claim's side: renewed in time, until it ends."""

    def __init__(self, call: Call, lease: Lease, *, since: int) -> None:
        self.end: End | None = None
        self._space = call.workspace
        self._lease = lease
        self._since = since
        self._warn = call.out.warn
        self._failing = False
        self._kept: Instant = lease.renewed
        self._ttl_ms = lease.policy.ttl_ms if isinstance(lease.policy, Ttl) else None
        heartbeat_ms = self._space.settings.heartbeat_secs() * 1000
        self._pause_ms = heartbeat_ms if self._ttl_ms is None else min(heartbeat_ms, self._ttl_ms // 3)
        self._next_ms = self._pause_ms
        self._sign()

    @property
    def is_lost(self) -> bool:
        return self.end is not None and not self.end.by_holder

    def due_in_ms(self) -> int | None:
        """How long until the claim needs attention; nothing once it has ended."""
        return None if self.end else max(0, self._next_ms - self._age_ms())

    def turn(self) -> None:
        if self.end is None and not self.due_in_ms():
            self._keep()

    def _keep(self) -> None:
        lease, owner = self._lease, self._space.owner
        command: Command = Beat(lease.lease_id, owner) if self._ttl_ms is None else Renew(lease.lease_id, owner)
        asked = self._space.world.now()
        try:
            answer = self._space.engine.submit(command).answer
            if isinstance(answer, Refused):
                self._lose(find_end(self._space, lease, since=self._since))
                return
        except JitError as error:
            self._failed(error)
            return
        self._kept, self._next_ms, self._failing = asked, self._pause_ms, False
        self._sign()

    def _failed(self, error: JitError) -> None:
        """Try again soon, as long as the claim can still be there."""
        age_ms = self._age_ms()
        if self._ttl_ms is not None and age_ms > self._ttl_ms:
            self._lose(End(f"ran out, because it could not be renewed: {error.message}"))
            return
        if not self._failing:
            self._warn(f"the claim could not be renewed yet: {error.message}; trying again")
        self._failing = True
        self._next_ms = age_ms + min(RETRY_MS, self._pause_ms)

    def _lose(self, end: End) -> None:
        self.end = end
        if not end.by_holder:
            self._warn(f"the claim on issue {subject(self._lease)} is lost; the command is told to stop")

    def _sign(self) -> None:
        try:
            sign(self._space, os.getpid())
        except JitError as error:
            self._warn(f"the heartbeat file could not be written: {error.message}")

    def _age_ms(self) -> int:
        return elapsed_ms(self._kept, self._space.world.now())


def find_end(space: Workspace, lease: Lease, *, since: int) -> End:
    """What the log says about the end of a lease: how, when, by whom and why."""
    for recorded in space.store.read(since):
        at = clock_text(recorded.batch.evidence.now.wall_ms)
        for event in recorded.batch.events:
            end = _end_in(event, lease, at)
            if end is not None:
                return End(end.words + _held_now(space, lease), end.by_holder)
    return End("is no longer active")


def _end_in(event: Event, lease: Lease, at: str) -> End | None:
    match event:
        case Transferred() if event.previous == lease.lease_id:
            heir = event.lease.owner
            return End(f"was handed to {heir.agent} in {heir.worktree} by {event.by.agent} at {at}: {event.reason}")
        case Evicted() if event.lease.lease_id == lease.lease_id:
            return End(f"was taken away by {event.by.agent} in {event.by.worktree} at {at}: {event.reason}")
        case Released() if event.lease.lease_id == lease.lease_id:
            return End(f"was given back by {event.by.agent} at {at}", by_holder=same_owner(event.by, lease.owner))
        case Lapsed() if event.lease.lease_id == lease.lease_id:
            return End(f"ran out at {clock_text(expires_wall_ms(event.lease) or 0)}, noticed at {at}")
        case _:
            return None


def _held_now(space: Workspace, lease: Lease) -> str:
    holders = active(space.snapshot().ledger, space.evidence(), issue=subject(lease))
    return f"; the issue is now held by {held_words(holders[0])}" if holders else ""


def _start(call: Call, lease: Lease) -> subprocess.Popen[bytes]:
    """The child, with the claim in its environment. If there is no such command the claim is given back."""
    own = {
        "JIT_LEASE_ID": lease.lease_id,
        "JIT_FENCE": str(lease.fence),
        "JIT_AGENT_ID": lease.owner.agent,
        "JIT_ISSUE_ID": subject(lease),
    }
    try:
        return subprocess.Popen(call.parsed.trailing, env={**call.environ, **own})
    except OSError as error:
        _give_back(call, lease, since=0, reason="the command could not be started")
        raise _not_started(call.parsed.trailing[0], error) from error


def _not_started(name: str, error: OSError) -> JitError:
    details = {"command": name}
    if isinstance(error, FileNotFoundError):
        what = f"there is no command {name!r}; the claim is given back"
        return NotFound(what, hint=f"look for it with: command -v {name}", details=details)
    if isinstance(error, PermissionError):
        what = f"{name!r} may not be executed; the claim is given back"
        return NotPermitted(what, hint=f"chmod +x {name}", details=details)
    what = f"{name!r} cannot be executed: {error.strerror}; the claim is given back"
    return Invalid(what, hint=f"look at it with: file {name}", details=details)


def _give_back(call: Call, lease: Lease, *, since: int, reason: str) -> End:
    space = call.workspace
    try:
        answer = space.engine.submit(Release(lease.lease_id, space.owner, reason)).answer
        if isinstance(answer, Refused):
            return find_end(space, lease, since=since)
    except JitError as error:
        again = f"jit claim release {lease.lease_id}"
        call.out.warn(f"the claim could not be given back: {error.message}; try: {again}")
        return End("could not be given back", by_holder=True)
    return End("was given back", by_holder=True)


def _tell(call: Call, lease: Lease, end: End, code: int) -> int:
    issue = subject(lease)
    if not end.by_holder:
        raise Expired(
            f"lease {lease.lease_id} on issue {issue} {end.words}; the command ended with {code}",
            hint=f"see why: jit claim history {issue}; take it again: jit claim acquire {issue}",
            details=granted_row(lease) | {"exit_code": code, "ended": end.words},
        )
    call.out.data(granted_row(lease) | {"exit_code": code, "ended": end.words})
    call.out.note(f"the claim on issue {issue} {end.words}; the command ended with {code}")
    return code
