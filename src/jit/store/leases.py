"""Leases and owners as JSON: the field names of seed 002 where it has them.

`ttl_secs: 0` means indefinite in the file, as the seed writes it; inside the code that is a policy of its own.
"""

from __future__ import annotations

from jit.kernel.instant import Instant, rfc3339
from jit.kernel.lease import Lease, Owner, ProcessRef, expires_wall_ms
from jit.kernel.policy import Indefinite, Revisions, Ttl, WhileAlive
from jit.kernel.record import unreachable
from jit.systems.claims.decide import ISSUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.policy import Policy

    Json = dict[str, object]


def encode_lease(lease: Lease) -> Json:
    owner, acquired = lease.owner, lease.acquired
    out: Json = {"lease_id": lease.lease_id}
    sole = lease.resources[0]
    if len(lease.resources) == 1 and sole.startswith(ISSUE):
        out["issue_id"] = sole[len(ISSUE) :]
    else:
        out["resources"] = list(lease.resources)
    out.update(encode_owner(owner))
    out["branch"] = lease.branch
    out.update(encode_policy(lease.policy))
    out["acquired_at"] = rfc3339(acquired.wall_ms)
    expires = expires_wall_ms(lease)
    out["expires_at"] = None if expires is None else rfc3339(expires)
    out["fence"] = lease.fence
    out["acquired"] = encode_instant(acquired)
    if lease.renewed != acquired:
        out["renewed"] = encode_instant(lease.renewed)
    if lease.beat != acquired:
        out["beat"] = encode_instant(lease.beat)
    if lease.reason:
        out["reason"] = lease.reason
    if lease.stopped:
        out["stopped"] = True
    if lease.acquired_rev is not None:
        out["acquired_rev"] = lease.acquired_rev
    return out


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
    )


def encode_owner(owner: Owner) -> Json:
    out: Json = {"agent_id": owner.agent, "worktree_id": owner.worktree}
    if owner.session:
        out["session_id"] = owner.session
    if owner.process is not None:
        ref = owner.process
        out["process"] = [ref.host, ref.boot_id, ref.pid, ref.start, ref.namespace]
    return out


def decode_owner(body: Json) -> Owner:
    process = body.get("process")
    return Owner(
        body["agent_id"],  # type: ignore[arg-type]
        body["worktree_id"],  # type: ignore[arg-type]
        body.get("session_id", ""),  # type: ignore[arg-type]
        ProcessRef(*process) if isinstance(process, list) else None,
    )


def encode_policy(policy: Policy) -> Json:
    match policy:
        case Ttl():
            whole, rest = divmod(policy.ttl_ms, 1000)
            return {"ttl_secs": policy.ttl_ms / 1000 if rest else whole}
        case Indefinite():
            return {"ttl_secs": 0, "stale_after_ms": policy.stale_after_ms}
        case WhileAlive():
            return {"while_alive": [policy.silence_ms, policy.idle_ms]}
        case Revisions():
            return {"lease_revs": policy.lease_revs}
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


def encode_instant(instant: Instant) -> list[object]:
    return [instant.wall_ms, instant.boot_ms, instant.boot_id]


def decode_instant(value: object) -> Instant:
    return Instant(*value)  # type: ignore[misc]
