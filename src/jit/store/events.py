"""Events as JSON. The event type is `<noun>.<verb>`; the noun follows from what the lease is on."""

from __future__ import annotations

from jit.kernel.events import Beaten, Denied, Evicted, Granted, Lapsed, Refused, Released, Renewed, Transferred
from jit.kernel.jsontext import quote
from jit.kernel.record import unreachable
from jit.store.leases import decode_lease, decode_owner, lease_fields, owner_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.events import Event
    from jit.kernel.lease import Owner
    from jit.store.leases import Json

NOUNS = {"issue": "claim"}
GRANTS = ("acquired", "transferred")
ACTIVE = ("acquired", "renewed", "heartbeat", "transferred", "carried")
ENDED = ("released", "evicted")


def noun(resource: str) -> str:
    prefix = resource.partition(":")[0]
    return NOUNS.get(prefix, prefix)


def event_text(event: Event) -> tuple[str, str]:
    """The event's type, and the inside of its payload, whose first key is always the lease id."""
    if isinstance(event, Granted):
        return f"{noun(event.lease.resources[0])}.acquired", lease_fields(event.lease)
    if isinstance(event, Refused):
        return _refused_text(event)
    verb, extra = _verb(event)
    return f"{noun(event.lease.resources[0])}.{verb}", lease_fields(event.lease) + extra


def _verb(event: Renewed | Beaten | Released | Lapsed | Evicted | Transferred | Denied) -> tuple[str, str]:
    match event:
        case Renewed():
            return "renewed", ""
        case Beaten():
            return "heartbeat", ""
        case Released():
            return "released", f',"op":"release",{_by(event)}'
        case Lapsed():
            return "evicted", ',"op":"auto-evict","why":"expired"'
        case Evicted():
            return "evicted", f',"op":"force-evict",{_by(event)}'
        case Transferred():
            return "transferred", f',"previous":{quote(event.previous)},{_by(event)}'
        case Denied():
            return "denied", f',"resource":{quote(event.resource)},"requested_by":{{{owner_fields(event.by)}}}'
        case _:
            unreachable(event)


def _by(event: Released | Evicted | Transferred) -> str:
    return f'"by":{{{owner_fields(event.by)}}},"why":{quote(event.reason)}'


def _refused_text(event: Refused) -> tuple[str, str]:
    lease = event.lease
    held = lease_fields(lease) if lease else '"lease_id":""'
    limit = f',"limit":{event.limit}' if event.limit else ""
    asked = f'"code":"{event.code}","subject":{quote(event.subject)},"requested_by":{{{owner_fields(event.by)}}}{limit}'
    return f"{noun(lease.resources[0] if lease else event.subject)}.refused", f"{held},{asked}"


def decode_event(event_type: str, body: Json) -> Event:
    verb = event_type.partition(".")[2]
    if verb == "refused":
        lease = decode_lease(body) if body["lease_id"] else None
        return Refused(body["code"], _owner(body, "requested_by"), str(body["subject"]), lease, body.get("limit", 0))  # type: ignore[arg-type]
    return _decode_lease_event(verb, body)


def _decode_lease_event(verb: str, body: Json) -> Event:
    lease = decode_lease(body)
    match verb, body.get("op"):
        case "acquired", _:
            return Granted(lease)
        case "renewed", _:
            return Renewed(lease)
        case "heartbeat", _:
            return Beaten(lease)
        case "released", _:
            return Released(lease, _owner(body, "by"), str(body["why"]))
        case "evicted", "auto-evict":
            return Lapsed(lease)
        case "evicted", _:
            return Evicted(lease, _owner(body, "by"), str(body["why"]))
        case "transferred", _:
            return Transferred(lease, str(body["previous"]), _owner(body, "by"), str(body["why"]))
        case "denied", _:
            return Denied(str(body["resource"]), _owner(body, "requested_by"), lease)
        case _:
            raise ValueError(f"unknown event {verb}")


def _owner(body: Json, name: str) -> Owner:
    value = body[name]
    if not isinstance(value, dict):
        raise ValueError(f"{name} is not an owner")  # noqa: TRY004  damage is one kind of fault, whatever the type
    return decode_owner(value)
