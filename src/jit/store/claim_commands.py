"""Commands of claims, and of the kernel itself, as JSON."""

from __future__ import annotations

from jit.kernel.commands import Acquire, Beat, Evict, Release, Renew, Transfer
from jit.kernel.jsontext import dumps, quote
from jit.store.leases import decode_owner, decode_policy, owner_fields, policy_fields
from jit.systems.claims.decide import Claim, ClaimNext, Quota

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.lease import Owner
    from jit.store.leases import Json
    from jit.systems.claims.decide import ClaimCommand


def claim_owner(command: ClaimCommand) -> Owner:
    if isinstance(command, ClaimNext):
        return command.claim.acquire.owner
    return command.acquire.owner if isinstance(command, Claim) else command.owner


def claim_command_fields(command: ClaimCommand) -> str:
    match command:
        case ClaimNext():
            claim = command.claim
            return f"{_acquire_fields('claim-next', claim.acquire)},{_quota(claim)},{_candidates(command)}"
        case Claim():
            return f"{_acquire_fields('claim', command.acquire)},{_quota(command)}"
        case Acquire():
            return _acquire_fields("acquire", command)
        case _:
            return f'"name":"{type(command).__name__.lower()}","lease_id":{quote(command.lease_id)}{_rest(command)}'


def _acquire_fields(name: str, command: Acquire) -> str:
    reason = f',"reason":{quote(command.reason)}' if command.reason else ""
    branch = f',"branch":{quote(command.branch)}' if command.branch else ""
    again = f',"again":{quote(command.again)}' if command.again != "refuse" else ""
    what = f'"name":"{name}","lease_id":{quote(command.lease_id)},"resources":{dumps(list(command.resources))}'
    return f"{what},{policy_fields(command.policy)}{reason}{branch}{again}"


def _quota(claim: Claim) -> str:
    return f'"quota":[{claim.quota.per_agent},{claim.quota.per_repo}]'


def _candidates(command: ClaimNext) -> str:
    return f'"candidates":{dumps(list(command.candidates))}'


def _rest(command: Renew | Beat | Release | Transfer | Evict) -> str:
    """What follows the lease id, each with a comma before it."""
    match command:
        case Renew():
            return f",{policy_fields(command.policy)}" if command.policy else ""
        case Beat():
            return ',"stopped":true' if command.stopped else ""
        case Release() | Evict():
            return f',"reason":{quote(command.reason)}'
        case Transfer():
            new = f'"new_lease_id":{quote(command.new_lease_id)},"branch":{quote(command.branch)}'
            return f',"reason":{quote(command.reason)},"to":{{{owner_fields(command.to)}}},{new}'


def decode_claim_command(owner: Owner, body: Json) -> ClaimCommand:
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
