"""The leases as the log has them, looked up one at a time."""

from __future__ import annotations

import posix

from jit.kernel.jsontext import loads
from jit.store.leases import decode_lease
from jit.store.table import ENDLESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.lease import Lease
    from jit.store.table import Table

_USUAL = 1536


def record_at(fd: int, offset: int) -> dict[str, object]:
    """The record that begins at `offset`; an empty one if none does."""
    length = _USUAL
    while True:
        data = posix.pread(fd, length, offset)
        end = data.find(b"\n")
        if end >= 0:
            break
        if len(data) < length:
            return {}
        length *= 4
    try:
        body = loads(data[:end].decode())
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def lease_at(fd: int, offset: int) -> Lease | None:
    """The lease that the record at `offset` leaves behind."""
    return lease_in(record_at(fd, offset))


def lease_in(record: dict[str, object]) -> Lease | None:
    payload = record.get("payload")
    if not isinstance(payload, dict) or "acquired" not in payload:
        return None
    return decode_lease(payload)


class PointView:
    """What deciding may ask, answered from the point index. Every record is compared with the name that led to it."""

    def __init__(self, table: Table, fd: int) -> None:
        self._table = table
        self._fd = fd
        self._known: dict[int, Lease | None] = {}

    @property
    def fence(self) -> int:
        return self._table.fence

    def lease(self, lease_id: str) -> Lease | None:
        for offset in self._table.find(lease_id):
            lease = self._at(offset)
            if lease is not None and lease.lease_id == lease_id:
                return lease
        return None

    def holders(self, resource: str) -> tuple[Lease, ...]:
        found = [self._at(offset) for offset in self._table.find(resource)]
        return tuple([lease for lease in found if lease is not None and resource in lease.resources])

    def indefinite(self, agent: str) -> int:
        if not agent:
            return self._table.endless
        return sum(1 for slot in self._table.of_agent(agent) if slot[1] & ENDLESS)

    def of_agent(self, agent: str) -> tuple[Lease, ...]:
        found = [self._at(slot[1] >> 3) for slot in self._table.of_agent(agent)]
        mine = [lease for lease in found if lease is not None and lease.owner.agent == agent]
        return tuple(sorted(mine, key=lambda lease: (lease.acquired.wall_ms, lease.lease_id)))

    def _at(self, offset: int) -> Lease | None:
        if offset not in self._known:
            self._known[offset] = lease_at(self._fd, offset)
        return self._known[offset]
