"""The engine's answers in words: a refusal becomes an error that says what, who, since when, and what to do."""

from __future__ import annotations

from jit.errors import AlreadyExists, Expired, Held, Invalid, JitError, LimitReached, NotFound, NotPermitted
from jit.kernel.events import Denied, Lapsed, Refused
from jit.kernel.lease import expires_wall_ms
from jit.kernel.policy import Indefinite
from jit.views.active import active_row, clock_text, granted_row, subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.engine import Outcome
    from jit.kernel.events import Event
    from jit.kernel.lease import Evidence, Lease


class NoWork(NotFound):
    code = "no-work"


def accept(outcome: Outcome, evidence: Evidence) -> Event:
    """The answer, if it is a yes; else the error that tells why not."""
    answer = outcome.answer
    if isinstance(answer, Denied):
        raise denied(answer, evidence)
    if isinstance(answer, Refused):
        raise refused(answer)
    return answer


def lease_of(answer: Event) -> Lease:
    """The lease that a yes is about."""
    if isinstance(answer, Refused) or answer.lease is None:
        raise TypeError(f"no lease in {answer!r}")
    return answer.lease


def held_words(lease: Lease) -> str:
    """`agent:a in wt:12345678 on branch main, since …, until …`"""
    on = f" on branch {lease.branch}" if lease.branch else ""
    return (
        f"{lease.owner.agent} in {lease.owner.worktree}{on}, since {clock_text(lease.acquired.wall_ms)}, {until(lease)}"
    )


def until(lease: Lease) -> str:
    expires = expires_wall_ms(lease)
    if expires is not None:
        return f"until {clock_text(expires)}"
    reason = f" ({lease.reason})" if lease.reason else ""
    return f"without end{reason}" if isinstance(lease.policy, Indefinite) else "while its owner lives"


def denied(answer: Denied, evidence: Evidence) -> JitError:
    lease = answer.lease
    return Held(
        f"issue {subject(lease)} is held by {held_words(lease)}",
        hint="take another: jit claim next; if the holder is gone: "
        f'jit claim force-evict {lease.lease_id} --reason "…"',
        details=active_row(lease, evidence) | {"holder": lease.owner.agent},
    )


def refused(answer: Refused) -> JitError:
    lease = answer.lease
    details: dict[str, object] = granted_row(lease) if lease else {"subject": answer.subject}
    match answer.code:
        case "not-found":
            return NotFound(f"there is no active lease {answer.subject}", hint="jit claim status", details=details)
        case "no-work":
            return NoWork(
                "no work: every issue that is ready is held by somebody, or there is none", hint="jit issue list"
            )
        case "not-owner" | "expired" | "yours" if lease:
            return _about(answer, lease, details)
        case "reason" | "empty":
            return _without_reason(answer)
        case _:
            return _not_allowed(answer)


def _about(answer: Refused, lease: Lease, details: dict[str, object]) -> JitError:
    name = f"lease {lease.lease_id} on issue {subject(lease)}"
    if answer.code == "expired":
        return Expired(f"{name} {_ended(lease)}", hint=f"jit claim acquire {subject(lease)}", details=details)
    if answer.code == "yours":
        hint = f"keep it: jit claim renew {lease.lease_id}; or give it back: jit claim release {lease.lease_id}"
        return AlreadyExists(
            f"you hold issue {subject(lease)} already: {held_words(lease)}", hint=hint, details=details
        )
    you = f"you are {answer.by.agent} in {answer.by.worktree}"
    hint = f'if its holder is gone: jit claim force-evict {lease.lease_id} --reason "…"'
    return NotPermitted(f"{name} is held by {held_words(lease)}; {you}", hint=hint, details=details)


def _ended(lease: Lease) -> str:
    expires = expires_wall_ms(lease)
    return "has ended" if expires is None else f"ran out at {clock_text(expires)}"


def _without_reason(answer: Refused) -> JitError:
    if answer.lease is not None:
        what = "taking a lease away needs a reason"
        return Invalid(what, hint=f'jit claim force-evict {answer.subject} --reason "why"')
    issue = answer.subject.partition(":")[2]
    return Invalid(
        "a claim without end (--ttl 0) needs a reason", hint=f'jit claim acquire {issue} --ttl 0 --reason "why"'
    )


def _not_allowed(answer: Refused) -> JitError:
    key = "coordination.max_indefinite_leases_per_agent"
    match answer.code:
        case "agent-limit":
            what = f"{answer.by.agent} holds {answer.limit} claims without end, as many as {key} allows"
            return LimitReached(what, hint=f"release one: jit claim status --agent {answer.by.agent}")
        case "repo-limit":
            key = "coordination.max_indefinite_leases_per_repo"
            what = f"the repository has {answer.limit} claims without end, as many as {key} allows"
            return LimitReached(what, hint="see them: jit claim status")
        case "forbidden" if answer.lease is not None:
            hint = f"release it and claim it again: jit claim release {answer.lease.lease_id}"
            return NotPermitted("a claim that has an end cannot be renewed into one that has none", hint=hint)
        case _:
            hint = f"use a time: --ttl 2h; or permit them: jit config set {key} 2"
            return NotPermitted("claims without end are not permitted by the settings of this repository", hint=hint)


def was_lapsed(answer: Event) -> bool:
    """Did the lease turn out to have run out by itself?"""
    return isinstance(answer, Lapsed)
