"""Claims: leases on issues, with limits on those that never end.

A claim is an Acquire of one issue. What claims add to the kernel: an indefinite claim needs a reason, a configuration
that permits it, and room under two limits; and `ClaimNext` takes the first free issue of a list, so that many agents
can ask for work at once and each gets another issue.
"""

from __future__ import annotations

from jit.kernel.commands import Acquire, Beat, Evict, Release, Renew, Transfer
from jit.kernel.decide import decide as decide_lease
from jit.kernel.events import Granted, Lapsed, Refused
from jit.kernel.policy import Indefinite
from jit.kernel.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from jit.kernel.commands import Command
    from jit.kernel.events import Event
    from jit.kernel.lease import Evidence
    from jit.kernel.ledger import Leases

    ClaimCommand: TypeAlias = "Claim | ClaimNext | Command"


class Quota(Record):
    """How many indefinite claims there may be at once; nought permits none."""

    per_agent: int
    per_repo: int


class Claim(Record):
    """Acquire one issue, within the quota."""

    acquire: Acquire
    quota: Quota


class ClaimNext(Record):
    """Acquire the first free issue of `candidates`, in their order."""

    claim: Claim
    candidates: tuple[str, ...]


def decide(state: Leases, command: ClaimCommand, evidence: Evidence) -> tuple[Event, ...]:
    match command:
        case Claim():
            return _claim(state, command, evidence)
        case ClaimNext():
            return _claim_next(state, command, evidence)
        case Acquire() | Renew() | Beat() | Release() | Transfer() | Evict():
            return decide_lease(state, command, evidence)


def _claim(state: Leases, command: Claim, evidence: Evidence) -> tuple[Event, ...]:
    refusal = _beyond_quota(state, command) if isinstance(command.acquire.policy, Indefinite) else None
    return (refusal,) if refusal else decide_lease(state, command.acquire, evidence)


def _beyond_quota(state: Leases, command: Claim) -> Refused | None:
    owner, quota = command.acquire.owner, command.quota
    subject = "".join(command.acquire.resources[:1])
    if not command.acquire.reason.strip():
        return Refused("reason", owner, subject)
    if quota.per_agent <= 0 or quota.per_repo <= 0:
        return Refused("forbidden", owner, subject)
    if state.indefinite(owner.agent) >= quota.per_agent:
        return Refused("agent-limit", owner, subject, None, quota.per_agent)
    if state.indefinite("") >= quota.per_repo:
        return Refused("repo-limit", owner, subject, None, quota.per_repo)
    return None


def _claim_next(state: Leases, command: ClaimNext, evidence: Evidence) -> tuple[Event, ...]:
    lapsed: dict[str, Event] = {}
    for resource in command.candidates:
        acquire = replace(command.claim.acquire, resources=(resource,))
        events = _claim(state, Claim(acquire, command.claim.quota), evidence)
        lapsed.update((e.lease.lease_id, e) for e in events if isinstance(e, Lapsed))
        last = events[-1]
        if isinstance(last, Granted):
            return (*lapsed.values(), last)
        if isinstance(last, Refused) and last.code != "yours":
            return (*lapsed.values(), last)
    return (*lapsed.values(), Refused("no-work", command.claim.acquire.owner, ""))
