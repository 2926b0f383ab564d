"""What an event does to the point index: the same as the kernel's `evolve` does to a ledger."""

from __future__ import annotations

from jit.kernel.events import Beaten, Denied, Evicted, Granted, Lapsed, Refused, Released, Renewed, Transferred
from jit.kernel.record import unreachable
from jit.store.view import lease_at, record_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.events import Event
    from jit.kernel.instant import Instant
    from jit.store.table import Table


def apply_event(table: Table, fd: int, event: Event, offset: int, now: Instant) -> None:
    """The same consequences as the kernel's `evolve`, on the point index."""

    def is_of(place: int, lease_id: str) -> bool:
        payload = record_at(fd, place).get("payload")
        return isinstance(payload, dict) and payload.get("lease_id") == lease_id

    match event:
        case Granted() | Renewed() | Beaten():
            table.put(event.lease, offset, now, is_of)
            table.fence = max(table.fence, event.lease.fence)
        case Released() | Lapsed() | Evicted():
            table.drop(event.lease, is_of)
        case Transferred():
            for place in table.find(event.previous):
                old = lease_at(fd, place)
                if old is not None and old.lease_id == event.previous:
                    table.drop(old, is_of)
            table.put(event.lease, offset, now, is_of)
            table.fence = event.lease.fence
        case Denied() | Refused():
            pass
        case _:
            unreachable(event)
