"""Commands as JSON, so that every decision in the log can be made again."""

from __future__ import annotations

from jit.kernel.commands import Acquire, Beat, Evict, Release, Renew, Transfer
from jit.store.leases import decode_owner, decode_policy, encode_owner, encode_policy
from jit.systems.claims.decide import Claim, ClaimNext, Quota

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.lease import Owner
    from jit.store.leases import Json
    from jit.systems.claims.decide import ClaimCommand


def encode_command(command: ClaimCommand) -> tuple[Owner, Json]:
    """Who asks, and what: the owner is the envelope's actor and is not repeated."""
    match command:
        case ClaimNext():
            owner, out = encode_command(command.claim)
            return owner, out | {"name": "claim-next", "candidates": list(command.candidates)}
        case Claim():
            owner, out = encode_command(command.acquire)
            return owner, out | {"name": "claim", "quota": [command.quota.per_agent, command.quota.per_repo]}
        case Acquire():
            return command.owner, _encode_acquire(command)
        case _:
            return command.owner, _encode_of_lease(command)


def _encode_acquire(command: Acquire) -> Json:
    out: Json = {"name": "acquire", "lease_id": command.lease_id, "resources": list(command.resources)}
    out |= encode_policy(command.policy)
    out |= {name: value for name in ("reason", "branch") if (value := getattr(command, name))}
    return out if command.again == "refuse" else out | {"again": command.again}


def _encode_of_lease(command: Renew | Beat | Release | Transfer | Evict) -> Json:
    out: Json = {"name": type(command).__name__.lower(), "lease_id": command.lease_id}
    match command:
        case Renew():
            return out | (encode_policy(command.policy) if command.policy else {})
        case Beat():
            return out | ({"stopped": True} if command.stopped else {})
        case Release() | Evict():
            return out | {"reason": command.reason}
        case Transfer():
            to = encode_owner(command.to)
            new = {"to": to, "new_lease_id": command.new_lease_id, "branch": command.branch}
            return out | {"reason": command.reason} | new


def decode_command(owner: Owner, body: Json) -> ClaimCommand:
    match body["name"]:
        case "acquire":
            return _decode_acquire(owner, body)
        case "claim":
            return _decode_claim(owner, body)
        case "claim-next":
            return ClaimNext(_decode_claim(owner, body), tuple(body["candidates"]))  # type: ignore[arg-type]
        case _:
            return _decode_of_lease(owner, body)


def _decode_acquire(owner: Owner, body: Json) -> Acquire:
    return Acquire(
        str(body["lease_id"]),
        tuple(body["resources"]),  # type: ignore[arg-type]
        owner,
        decode_policy(body),
        str(body.get("reason", "")),
        str(body.get("branch", "")),
        str(body.get("again", "refuse")),
    )


def _decode_claim(owner: Owner, body: Json) -> Claim:
    return Claim(_decode_acquire(owner, body), Quota(*body["quota"]))  # type: ignore[misc]


def _decode_of_lease(owner: Owner, body: Json) -> ClaimCommand:
    lease_id, reason = str(body["lease_id"]), str(body.get("reason", ""))
    match body["name"]:
        case "renew":
            changed = any(key in body for key in ("ttl_secs", "while_alive", "lease_revs"))
            return Renew(lease_id, owner, decode_policy(body) if changed else None)
        case "beat":
            return Beat(lease_id, owner, bool(body.get("stopped", False)))
        case "release":
            return Release(lease_id, owner, reason)
        case "evict":
            return Evict(lease_id, owner, reason)
        case "transfer":
            to = decode_owner(body["to"])  # type: ignore[arg-type]
            return Transfer(lease_id, owner, to, str(body["new_lease_id"]), reason, str(body["branch"]))
        case name:
            raise ValueError(f"unknown command {name}")
