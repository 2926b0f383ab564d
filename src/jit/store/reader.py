"""Reading without a lock: the state now, and the history."""

from __future__ import annotations

import os

from jit.kernel.ledger import Ledger, evolve
from jit.store import durable
from jit.store.api import Recorded, Snapshot
from jit.store.catchup import current, fits, scan_log
from jit.store.codec import decode_batch, decode_line, is_whole
from jit.store.events import decode_event
from jit.store.scan import CHECKPOINT, Scan, damage
from jit.store.table import Table, open_table
from jit.store.view import lease_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jit.kernel.instant import Instant
    from jit.store.api import Batch
    from jit.store.codec import Line
    from jit.store.plane import Plane
    from jit.store.scan import Progress


def take_snapshot(plane: Plane, now: Instant, progress: Progress | None = None) -> Snapshot:
    """All active leases at one moment."""
    try:
        fd = os.open(plane.log, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return Snapshot(Ledger(), 0)
    except OSError as error:
        raise durable.fault(plane.log, error) from error
    try:
        return _from_table(plane, fd, now) or _from_log(plane, fd, progress)
    except OSError as error:
        raise durable.fault(plane.log, error) from error
    finally:
        os.close(fd)


def _from_log(plane: Plane, fd: int, progress: Progress | None) -> Snapshot:
    scan = scan_log(plane, fd, progress)
    return Snapshot(_ledger(fd, scan.at.values(), scan.fence), scan.sequence)


def _from_table(plane: Plane, fd: int, now: Instant) -> Snapshot | None:
    """The table's leases and what the log has since, if no writer was busy with the table meanwhile."""
    for _ in range(3):
        table = open_table(plane.table, writable=False)
        if table is None:
            return None
        try:
            ledger = _consistent(table, fd, now)
            if ledger is not None:
                return _with_tail(plane, fd, table, ledger)
        finally:
            table.close()
    return None


def _consistent(table: Table, fd: int, now: Instant) -> Ledger | None:
    if not fits(table, fd, now):
        return None
    places = [slot[1] >> 3 for slot in table.all_slots()]
    ledger = _ledger(fd, sorted(places), table.fence)
    again = Table(table.fd, table.path)
    return ledger if current(again, table) else None


def _ledger(fd: int, places: Iterable[int], fence: int) -> Ledger:
    ledger = Ledger()
    ledger.fence = fence
    for place in places:
        lease = lease_at(fd, place)
        if lease is not None:
            ledger.put(lease)
    return ledger


def _with_tail(plane: Plane, fd: int, table: Table, ledger: Ledger) -> Snapshot:
    def sink(line: bytes, _offset: int) -> None:
        found = decode_line(line)
        evolve(ledger, decode_event(found.event_type, found.body["payload"]))  # type: ignore[arg-type]

    scan = Scan(plane.log, end=table.applied, sequence=table.sequence, fence=table.fence, sink=sink)
    scan.run(fd, os.fstat(fd).st_size)
    return Snapshot(ledger, scan.sequence)


def read_batches(plane: Plane, after: int = 0) -> Iterator[Recorded]:
    """The history behind sequence `after`: archived segments first, then the live log."""
    from jit.store.archive import segments

    for segment in segments(plane):
        if segment.last > after:
            yield from _placed(plane.archive, segment.lines(), after)
    try:
        file = open(plane.log, "rb")
    except FileNotFoundError:
        return
    with file:
        yield from _placed(plane.log, file, after)


def _placed(path: str, lines: Iterable[bytes], after: int) -> Iterator[Recorded]:
    """Batches of the lines of one file; an unfinished tail is left out."""
    offset = 0
    part: list[Line] = []
    for text in lines:
        if not text.endswith(b"\n"):
            return
        line = _take(path, text[:-1], offset)
        offset += len(text)
        if line.event_type == CHECKPOINT or line.event_type.endswith(".carried"):
            continue
        part.append(line)
        if len(part) == line.count:
            if line.sequence > after:
                yield Recorded(part[0].sequence, line.sequence, _whole(path, part, offset))
            part = []


def _take(path: str, text: bytes, offset: int) -> Line:
    if not is_whole(text):
        raise damage(path, offset, "the record does not match its checksum")
    try:
        return decode_line(text)
    except (ValueError, KeyError, TypeError) as error:
        raise damage(path, offset, f"the record cannot be read: {error!r}") from None


def _whole(path: str, part: list[Line], offset: int) -> Batch:
    try:
        return decode_batch(part)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise damage(path, offset, f"batch {part[0].batch_id} cannot be read: {error!r}") from None
