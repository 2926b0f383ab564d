"""Closed history in compressed segments.

Archiving moves the log's records, byte for byte, into `archive/claims-<first>-<last>.jsonl.gz` and begins a new log with a
checkpoint that stands at the last archived sequence, followed by the leases that are still active. Sequences go on where
they were; replaying the segments and then the log gives the same state as before.

Each step leaves a state that reads right: until the new log is renamed into place the old one is whole and the new segment is
ignored, because it reaches past the place where the live log begins.
"""

from __future__ import annotations

import os

from jit.errors import LogCorrupt
from jit.kernel.ids import ULID_LENGTH
from jit.kernel.instant import rfc3339
from jit.kernel.record import record
from jit.store import durable
from jit.store.codec import decode_line, seal
from jit.store.events import noun
from jit.store.leases import encode_lease
from jit.store.scan import CHECKPOINT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jit.kernel.instant import Instant
    from jit.kernel.lease import Lease
    from jit.store.jsonl import JsonlStore
    from jit.store.plane import Plane


@record
class Segment:
    path: str
    first: int
    last: int

    def lines(self) -> Iterator[bytes]:
        import gzip

        with gzip.open(self.path, "rb") as file:
            yield from file


@record
class Archived:
    segment: Segment | None
    records: int
    carried: int
    bytes_before: int
    bytes_after: int


def segments(plane: Plane) -> list[Segment]:
    """The segments that lie before the live log, in order. `LogCorrupt` if one is missing between two others."""
    begin = live_begin(plane)
    found = []
    try:
        names = os.listdir(plane.archive)
    except FileNotFoundError:
        names = []
    for name in names:
        stem, _, kind = name.partition(".")
        parts = stem.split("-")
        if kind == "jsonl.gz" and len(parts) == 3 and int(parts[2]) <= begin:
            found.append(Segment(f"{plane.archive}/{name}", int(parts[1]), int(parts[2])))
    found.sort(key=lambda segment: segment.first)
    _check_complete(plane, found, begin)
    return found


def _check_complete(plane: Plane, found: list[Segment], begin: int) -> None:
    reached = 0
    for segment in found:
        if segment.first != reached + 1:
            break
        reached = segment.last
    if reached != begin:
        raise LogCorrupt(
            f"{plane.archive}: records {reached + 1} to {begin} are missing",
            hint=f"put the segment back into {plane.archive}, then run: jit validate log",
            details={"file": plane.archive, "first_missing": reached + 1, "last_missing": begin},
        )


def live_begin(plane: Plane) -> int:
    """The sequence that the live log's checkpoint stands at; nought if nothing was archived."""
    try:
        with open(plane.log, "rb") as file:
            line = file.readline()
    except FileNotFoundError:
        return 0
    if b'"event_type":"' + CHECKPOINT.encode() not in line[:120]:
        return 0
    return decode_line(line[:-1]).sequence


def archive(store: JsonlStore, now: Instant) -> Archived:
    """Move everything that is in the live log into a segment."""
    plane = store.plane
    with store.exclusive():
        before = os.stat(plane.log).st_size
        with open(plane.log, "rb") as file:
            lines = [line for line in file if not _is_header(line)]
        if not lines:
            return Archived(None, 0, 0, before, before)
        first, last = (decode_line(line[:-1]).sequence for line in (lines[0], lines[-1]))
        segment = _write_segment(plane, lines, first, last)
        snapshot = store.snapshot()
        _begin_anew(plane, last, snapshot.ledger.fence, list(snapshot.ledger), now)
        return Archived(segment, len(lines), len(snapshot.ledger), before, os.stat(plane.log).st_size)


def _is_header(line: bytes) -> bool:
    head = line[:160]
    return b'"event_type":"' + CHECKPOINT.encode() in head or b'.carried","timestamp"' in head


def _write_segment(plane: Plane, lines: list[bytes], first: int, last: int) -> Segment:
    import gzip

    durable.make_directory(plane.archive, plane.folder_mode)
    path = f"{plane.archive}/claims-{first:012d}-{last:012d}.jsonl.gz"
    durable.replace_file(path, gzip.compress(b"".join(lines), 6, mtime=0), mode=plane.file_mode)
    return Segment(path, first, last)


def _begin_anew(plane: Plane, sequence: int, fence: int, leases: list[Lease], now: Instant) -> None:
    head = [_header(sequence, CHECKPOINT, {"fence": fence, "carried": len(leases)}, now)]
    rows = [_header(sequence, f"{noun(x.resources[0])}.carried", encode_lease(x), now) for x in leases]
    durable.replace_file(plane.log, b"".join(head + rows), mode=plane.file_mode)


def _header(sequence: int, event_type: str, payload: dict[str, object], now: Instant) -> bytes:
    return seal(
        {
            "schema_version": 1,
            "sequence": sequence,
            "event_type": event_type,
            "timestamp": rfc3339(now.wall_ms),
            "batch": {"id": "0" * ULID_LENGTH, "index": 0, "count": 1},
            "payload": payload,
        }
    )
