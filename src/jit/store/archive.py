"""Closed history in compressed segments.

Archiving moves the log's records, byte for byte, into `archive/claims-<first>-<last>.jsonl.gz` and begins a new log
with a checkpoint that stands at the last archived sequence, followed by the leases that are still active. Sequences
go on where they were; replaying the segments and then the log gives the same state as before.

Each step leaves a state that reads right: until the new log is renamed into place the old one is whole and the new
segment is ignored, because it reaches past the place where the live log begins.
"""

from __future__ import annotations

import os

from jit.errors import LogCorrupt
from jit.kernel.ids import ULID_LENGTH
from jit.kernel.record import Record
from jit.store import durable
from jit.store.codec import Place, decode_line, is_whole, seal
from jit.store.events import noun
from jit.store.leases import lease_fields
from jit.store.scan import CHECKPOINT, damage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from jit.kernel.instant import Instant
    from jit.kernel.lease import Lease
    from jit.store.jsonl import JsonlStore
    from jit.store.plane import Plane


class Segment(Record):
    path: str
    first: int
    last: int

    def lines(self) -> Iterator[bytes]:
        import gzip
        import zlib

        try:
            with gzip.open(self.path, "rb") as file:
                yield from file
        except (OSError, EOFError, zlib.error) as error:
            raise LogCorrupt(
                f"{self.path} cannot be unpacked: {error}",
                hint=f"put an undamaged copy of {self.path} back; the active leases do not depend on it",
                details={"file": self.path},
            ) from error


class Archived(Record):
    segment: Segment | None
    records: int
    carried: int
    bytes_before: int
    bytes_after: int


def segments(plane: Plane, begin: int | None = None) -> list[Segment]:
    """The segments up to `begin`, where the live log begins, in order; `LogCorrupt` if one is missing."""
    end = live_begin(plane) if begin is None else begin
    chain = chain_of(plane, end)
    reached = chain[-1].last if chain else 0
    if reached != end:
        raise LogCorrupt(
            f"{plane.archive}: records {reached + 1} to {end} are missing",
            hint=f"put the segment back into {plane.archive}, then run: jit validate log",
            details={"file": plane.archive, "first_missing": reached + 1, "last_missing": end},
        )
    return chain


def chain_of(plane: Plane, end: int | None = None) -> list[Segment]:
    """The segments that follow each other from the first record on, as far as they reach, but not past `end`.

    An archive that was interrupted leaves a shorter segment behind that a later one covers: the longest counts.
    """
    longest: dict[int, Segment] = {}
    for segment in _found(plane):
        known = longest.get(segment.first)
        if (end is None or segment.last <= end) and (known is None or known.last < segment.last):
            longest[segment.first] = segment
    chain: list[Segment] = []
    while (follower := longest.get(chain[-1].last + 1 if chain else 1)) is not None:
        chain.append(follower)
    return chain


def _found(plane: Plane) -> Iterator[Segment]:
    try:
        names = os.listdir(plane.archive)
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in names:
        stem, _, kind = name.partition(".")
        parts = stem.split("-")
        if kind == "jsonl.gz" and len(parts) == 3 and parts[1].isdigit() and parts[2].isdigit():
            yield Segment(f"{plane.archive}/{name}", int(parts[1]), int(parts[2]))


def live_begin(plane: Plane) -> int:
    """The sequence that the live log's checkpoint stands at; nought if nothing was archived."""
    try:
        with open(plane.log, "rb") as file:
            return begin_of(plane, file)
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise durable.fault(plane.log, error) from error


def begin_of(plane: Plane, file: BinaryIO) -> int:
    """The same, of a log that is open at its beginning."""
    line = file.readline()
    if b'"event_type":"' + CHECKPOINT.encode() not in line[:120]:
        return 0
    if not is_whole(line[:-1]):
        raise damage(plane.log, 0, "the record does not match its checksum")
    return decode_line(line[:-1]).sequence


def archive(store: JsonlStore, now: Instant) -> Archived:
    """Move everything that is in the live log into a segment."""
    plane = store.plane
    with store.exclusive():
        before = os.stat(plane.log).st_size
        with open(plane.log, "rb") as file:
            lines = [line for line in file if not is_head(line)]
        if not lines:
            return Archived(None, 0, 0, before, before)
        first, last = (decode_line(line[:-1]).sequence for line in (lines[0], lines[-1]))
        segment = write_segment(plane, lines, first, last)
        snapshot = store.snapshot()
        begin_anew(plane, last, snapshot.ledger.fence, list(snapshot.ledger), now)
        return Archived(segment, len(lines), len(snapshot.ledger), before, os.stat(plane.log).st_size)


def is_head(line: bytes) -> bool:
    head = line[:160]
    return b'"event_type":"' + CHECKPOINT.encode() in head or b'.carried","timestamp"' in head


def write_segment(plane: Plane, lines: list[bytes], first: int, last: int) -> Segment:
    import gzip

    durable.make_directory(plane.archive, plane.folder_mode)
    path = f"{plane.archive}/claims-{first:012d}-{last:012d}.jsonl.gz"
    durable.replace_file(path, gzip.compress(b"".join(lines), 6, mtime=0), mode=plane.file_mode)
    return Segment(path, first, last)


def begin_anew(plane: Plane, sequence: int, fence: int, leases: list[Lease], now: Instant) -> None:
    def place(event_type: str) -> Place:
        return Place(sequence, event_type, now.wall_ms, "0" * ULID_LENGTH, 0, 1)

    head = seal(place(CHECKPOINT), f'"fence":{fence},"carried":{len(leases)}')
    rows = [seal(place(f"{noun(lease.resources[0])}.carried"), lease_fields(lease)) for lease in leases]
    durable.replace_file(plane.log, b"".join([head, *rows]), mode=plane.file_mode)
