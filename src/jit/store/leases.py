"""Leases and owners as JSON.

`ttl_secs: 0` means indefinite in the file, as on the command line; inside the code that is a policy of its own.

Writing is on the path of every claim, so it makes text directly: functions that end in `_fields` give the inside of an
object, without its braces.
"""

from __future__ import annotations

from jit.kernel.instant import Instant, rfc3339
from jit.kernel.jsontext import dumps, quote
from jit.kernel.lease import Lease, Owner, ProcessRef, expires_wall_ms
from jit.kernel.policy import Indefinite, Revisions, Ttl, WhileAlive
from jit.kernel.record import unreachable
from jit.systems.claims import ISSUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.policy import Policy

    Json = dict[str, object]


def lease_fields(lease: Lease) -> str:
    acquired = lease.acquired
    sole = lease.resources[0]
    issue = len(lease.resources) == 1 and sole.startswith(ISSUE)
    what = f'"issue_id":{quote(sole[len(ISSUE) :])}' if issue else f'"resources":{dumps(list(lease.resources))}'
    expires = expires_wall_ms(lease)
    until = "null" if expires is None else f'"{rfc3339(expires)}"'
    return (
        f'"lease_id":{quote(lease.lease_id)},{what},{owner_fields(lease.owner)},"branch":{quote(lease.branch)},'
        f'{policy_fields(lease.policy)},"acquired_at":"{rfc3339(acquired.wall_ms)}","expires_at":{until},'
        f'"fence":{lease.fence},"acquired":{instant_text(acquired)}{_rare_fields(lease)}'
    )


def _rare_fields(lease: Lease) -> str:
    """What most leases do not have; each with a comma before it."""
    acquired = lease.acquired
    untouched = lease.renewed is acquired and lease.beat is acquired and not lease.stopped
    if untouched and not lease.reason and not lease.note and not lease.shared and lease.acquired_rev is None:
        return ""
    parts = [
        f',"{name}":{instant_text(instant)}'
        for name, instant in (("renewed", lease.renewed), ("beat", lease.beat))
        if instant != acquired
    ]
    if lease.reason:
        parts.append(f',"reason":{quote(lease.reason)}')
    if lease.stopped:
        parts.append(',"stopped":true')
    if lease.acquired_rev is not None:
        parts.append(f',"acquired_rev":{lease.acquired_rev}')
    if lease.shared:
        parts.append(',"shared":true')
    if lease.note:
        parts.append(f',"note":{quote(lease.note)}')
    return "".join(parts)


def decode_lease(body: Json) -> Lease:
    acquired = decode_instant(body["acquired"])
    issue = body.get("issue_id")
    resources = (f"{ISSUE}{issue}",) if issue is not None else tuple(body["resources"])  # type: ignore[arg-type]
    return Lease(
        body["lease_id"],  # type: ignore[arg-type]
        resources,
        decode_owner(body),
        decode_policy(body),
        body["fence"],  # type: ignore[arg-type]
        acquired,
        decode_instant(body["renewed"]) if "renewed" in body else acquired,
        decode_instant(body["beat"]) if "beat" in body else acquired,
        body.get("reason", ""),  # type: ignore[arg-type]
        body.get("branch", ""),  # type: ignore[arg-type]
        body.get("stopped", False),  # type: ignore[arg-type]
        body.get("acquired_rev"),  # type: ignore[arg-type]
        body.get("note", ""),  # type: ignore[arg-type]
        body.get("shared", False),  # type: ignore[arg-type]
    )


def owner_fields(owner: Owner) -> str:
    text = f'"agent_id":{quote(owner.agent)},"worktree_id":{quote(owner.worktree)}'
    if owner.session:
        text += f',"session_id":{quote(owner.session)}'
    if owner.process is not None:
        ref = owner.process
        text += f',"process":{dumps([ref.host, ref.boot_id, ref.pid, ref.start, ref.namespace])}'
    return text


def decode_owner(body: Json) -> Owner:
    process = body.get("process")
    return Owner(
        body["agent_id"],  # type: ignore[arg-type]
        body["worktree_id"],  # type: ignore[arg-type]
        body.get("session_id", ""),  # type: ignore[arg-type]
        ProcessRef(*process) if isinstance(process, list) else None,
    )


def policy_fields(policy: Policy) -> str:
    if isinstance(policy, Ttl):
        whole, rest = divmod(policy.ttl_ms, 1000)
        return f'"ttl_secs":{policy.ttl_ms / 1000 if rest else whole}'
    match policy:
        case Indefinite():
            return f'"ttl_secs":0,"stale_after_ms":{policy.stale_after_ms}'
        case WhileAlive():
            return f'"while_alive":[{policy.silence_ms},{policy.idle_ms}]'
        case Revisions():
            return f'"lease_revs":{policy.lease_revs}'
        case _:
            unreachable(policy)


def decode_policy(body: Json) -> Policy:
    ttl_secs = body.get("ttl_secs")
    if isinstance(ttl_secs, (int, float)):
        if ttl_secs:
            return Ttl(round(ttl_secs * 1000))
        return Indefinite(body["stale_after_ms"])  # type: ignore[arg-type]
    limits = body.get("while_alive")
    if isinstance(limits, list):
        return WhileAlive(*limits)
    return Revisions(body["lease_revs"])  # type: ignore[arg-type]


def instant_text(instant: Instant) -> str:
    return f'[{instant.wall_ms},{instant.boot_ms},"{instant.boot_id}"]'


def decode_instant(value: object) -> Instant:
    return Instant(*value)  # type: ignore[misc]
