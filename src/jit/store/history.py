"""The history as it was written: batches as their lines, forwards, from the end, and as it grows.

Most entries are decisions. Beside them stand the head of a log whose older part was archived (a checkpoint and the
leases that were carried over) and the mark of a repair, `log.repaired`, which says what was lost and which leases were
found to be active. Readers are strict: what is damaged is reported with file, line and byte offset. Only a tail that
was never finished is left out, because nobody was told of it.
"""

from __future__ import annotations

import os

from jit.kernel.ledger import Ledger
from jit.kernel.record import Record
from jit.store import durable
from jit.store.archive import begin_of, segments
from jit.store.codec import decode_batch, decode_line, is_whole
from jit.store.leases import decode_lease
from jit.store.scan import CHECKPOINT, damage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import BinaryIO, Literal

    from jit.store.api import Batch
    from jit.store.codec import Line
    from jit.store.plane import Plane

    Kind = Literal["decision", "repaired", "checkpoint", "carried"]
    Wanted = Callable[[Line], bool]

REPAIRED = "log.repaired"
WINDOW = 256 << 10


class Entry(Record):
    """One batch as its lines, and the offset behind it in its file."""

    path: str
    lines: tuple[Line, ...]
    end: int

    @property
    def first(self) -> int:
        return self.lines[0].sequence

    @property
    def last(self) -> int:
        return self.lines[-1].sequence

    @property
    def kind(self) -> Kind:
        return kind_of(self.lines[0])

    @property
    def timestamp(self) -> str:
        return str(self.lines[0].body.get("timestamp", ""))


def entries(plane: Plane, after: int = 0) -> Iterator[Entry]:
    """Everything behind sequence `after`: archived segments first, then the live log with its head."""
    file = _open(plane)
    if file is None:
        return
    # The live log is opened first: what is archived from now on is read from the file that is already open.
    with file:
        for segment in segments(plane, begin_of(plane, file)):
            if segment.last > after:
                yield from (entry for entry in group(segment.path, segment.lines()) if entry.last > after)
        file.seek(0)
        yield from (entry for entry in group(plane.log, file) if entry.last > after or entry.kind == "carried")


def group(path: str, lines: Iterable[bytes], offset: int = 0) -> Iterator[Entry]:
    """The batches of consecutive lines of one file, the first of which begins at `offset`."""
    part: list[Line] = []
    for text in lines:
        if not text.endswith(b"\n"):
            return
        line = _take(path, text[:-1], offset)
        if line.index != len(part) or (part and line.batch_id != part[0].batch_id):
            raise damage(path, offset, f"batch {line.batch_id} has lines missing or out of order")
        offset += len(text)
        part.append(line)
        if len(part) == line.count:
            yield Entry(path, tuple(part), offset)
            part = []


def newest(plane: Plane, count: int, wanted: Wanted) -> list[tuple[Entry, int]]:
    """The last `count` events that are wanted, oldest first, each as its batch and its place in it."""
    found = _newest_live(plane, count, wanted)
    if len(found) >= count or not os.path.exists(plane.log):
        return found[-count:]
    with open(plane.log, "rb") as file:
        begin = begin_of(plane, file)
    for segment in reversed(segments(plane, begin)):
        if len(found) >= count:
            break
        found = [*picked(group(segment.path, segment.lines()), wanted), *found]
    return found[-count:]


def picked(items: Iterable[Entry], wanted: Wanted) -> Iterator[tuple[Entry, int]]:
    """The events among these entries that are history and wanted, each as its batch and its place in it."""
    for entry in items:
        if entry.kind in ("decision", "repaired"):
            yield from ((entry, at) for at, line in enumerate(entry.lines) if wanted(line))


def batch_of(entry: Entry) -> Batch:
    """The decision that an entry is."""
    try:
        return decode_batch(list(entry.lines))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"batch {entry.lines[0].batch_id} cannot be read: {error!r}"
        raise damage(entry.path, entry.end - 1, what) from None


def restored(entry: Entry) -> Ledger:
    """The leases that a repair found to be active."""
    payload = entry.lines[0].body["payload"]
    ledger = Ledger()
    if isinstance(payload, dict):
        ledger.fence = payload["fence"]
        for row in payload["leases"]:
            ledger.put(decode_lease(row))
    return ledger


def kind_of(line: Line) -> Kind:
    if line.event_type == CHECKPOINT:
        return "checkpoint"
    if line.event_type == REPAIRED:
        return "repaired"
    return "carried" if line.event_type.endswith(".carried") else "decision"


class Follower:
    """What is appended behind sequence `last`, poll by poll, also across an archive or a repair."""

    def __init__(self, plane: Plane, last: int) -> None:
        self.plane = plane
        self.last = last
        self._inode = 0
        self._offset = 0

    def poll(self) -> list[Entry]:
        try:
            found = os.stat(self.plane.log)
        except FileNotFoundError:
            return []
        if found.st_ino == self._inode and found.st_size <= self._offset:
            return []
        fresh = self._grown() if found.st_ino == self._inode else list(entries(self.plane, self.last))
        if found.st_ino != self._inode:
            self._inode, self._offset = found.st_ino, 0
        fresh = [entry for entry in fresh if entry.last > self.last]
        if fresh:
            self.last = fresh[-1].last
        return fresh

    def _grown(self) -> list[Entry]:
        with open(self.plane.log, "rb") as file:
            file.seek(self._offset)
            fresh = list(group(self.plane.log, file, self._offset))
        if fresh:
            self._offset = fresh[-1].end
        return fresh


def _newest_live(plane: Plane, count: int, wanted: Wanted) -> list[tuple[Entry, int]]:
    """From a window at the end of the live log that is widened until it has enough or covers all."""
    file = _open(plane)
    if file is None:
        return []
    with file:
        size = os.fstat(file.fileno()).st_size
        window = WINDOW
        while True:
            found = list(picked(_window(plane, file, max(0, size - window)), wanted))
            if len(found) >= count or window >= size:
                return found
            window *= 4


def _window(plane: Plane, file: BinaryIO, start: int) -> Iterator[Entry]:
    """The batches that begin behind `start`."""
    file.seek(start)
    if start:
        start += len(file.readline())
        while True:
            text = file.readline()
            if not text.endswith(b"\n"):
                return
            if _take(plane.log, text[:-1], start).index == 0:
                file.seek(start)
                break
            start += len(text)
    yield from group(plane.log, file, start)


def _open(plane: Plane) -> BinaryIO | None:
    try:
        return open(plane.log, "rb")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise durable.fault(plane.log, error) from error


def _take(path: str, text: bytes, offset: int) -> Line:
    if not is_whole(text):
        raise damage(path, offset, "the record does not match its checksum")
    try:
        return decode_line(text)
    except (ValueError, KeyError, TypeError) as error:
        raise damage(path, offset, f"the record cannot be read: {error!r}") from None
