"""`claims.index.json`: the active leases for people and for `jq`, and a place to start replaying from.

It is a cache that is checked: its own checksum says that nobody edited it, and the checksum of the log's record at its
offset says that it belongs to this log. Whatever fails is ignored. Deleting it changes nothing but speed.
"""

from __future__ import annotations

from binascii import crc32

from jit.kernel.instant import rfc3339
from jit.kernel.jsontext import dumps, loads
from jit.kernel.lease import Evidence, lease_standing
from jit.kernel.record import Record
from jit.store import durable
from jit.store.agreement import crc_before
from jit.store.leases import lease_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from jit.kernel.instant import Instant
    from jit.kernel.lease import Lease
    from jit.store.plane import Plane


class Place(Record):
    """A point of the log: how many bytes and records lie before it, and the checksum of the record that ends there."""

    offset: int
    sequence: int
    fence: int
    crc: str


class Checkpoint(Record):
    place: Place
    at: dict[str, int]


def write_index(
    plane: Plane, place: Place, leases: Iterable[tuple[Lease, int]], *, now: Instant, stale_threshold_secs: int
) -> None:
    """Replace the index. It is not synced: after a power cut it is made again."""
    head = {
        "schema_version": 1,
        "generated_at": rfc3339(now.wall_ms),
        "sequence": place.sequence,
        "stale_threshold_secs": stale_threshold_secs,
    }
    tail = {"log": {"offset": place.offset, "crc": place.crc}, "fence": place.fence}
    rows = ",\n".join(f"  {{{_row(lease, offset, now)}}}" for lease, offset in leases)
    text = f'{dumps(head)[:-1]},\n"active":[\n{rows}\n],\n{dumps(tail)[1:-1]}'
    text = f'{text},\n"checksum":"{crc32(text.encode()):08x}"}}\n'
    durable.replace_file(plane.index, text.encode(), mode=plane.file_mode, durable=False)


def _row(lease: Lease, offset: int, now: Instant) -> str:
    # Only an indefinite lease can be stale, and that needs no evidence but the time.
    stale = "true" if lease_standing(lease, Evidence(now, {})) == "stale" else "false"
    return f'{lease_fields(lease)},"last_beat":"{rfc3339(lease.beat.wall_ms)}","stale":{stale},"offset":{offset}'


def read_index(plane: Plane, log_fd: int) -> Checkpoint | None:
    """The index, if it is whole and belongs to this log."""
    try:
        with open(plane.index, "rb") as file:
            data = file.read()
        body, _, check = data.rpartition(b',\n"checksum":"')
        if int(check[:8], 16) != crc32(body):
            return None
        return _trusted(loads(data.decode()), log_fd)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _trusted(index: object, log_fd: int) -> Checkpoint | None:
    if not isinstance(index, dict):
        return None
    log = index["log"]
    place = Place(log["offset"], index["sequence"], index["fence"], log["crc"])
    if place.offset and crc_before(log_fd, place.offset) != place.crc:
        return None
    return Checkpoint(place, {row["lease_id"]: row["offset"] for row in index["active"]})
