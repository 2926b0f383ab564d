"""Reading without a lock: the state now, and the history."""

from __future__ import annotations

import os

from jit.kernel.ledger import Ledger
from jit.store import durable
from jit.store.agreement import consistent
from jit.store.api import Recorded, Snapshot
from jit.store.table import open_table, places
from jit.store.view import lease_in, record_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jit.kernel.instant import Instant
    from jit.store.plane import Plane
    from jit.store.scan import Progress

LOOKS = 20  # a writer is busy with the table for microseconds


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
    from jit.store.rebuild import scan_log  # most readers find a table that serves

    scan = scan_log(plane, fd, progress)
    return _snapshot(fd, scan.at.values(), scan.fence, scan.sequence)


def _from_table(plane: Plane, fd: int, now: Instant) -> Snapshot | None:
    """The leases as the table has them, unless writers kept it busy all the time."""
    for _ in range(LOOKS):
        table = open_table(plane.table, writable=False)
        if table is None:
            return None
        try:
            seen = consistent(table, fd, now)
        finally:
            table.close()
        if seen is not None:
            return _snapshot(fd, places(seen[1]), seen[0].fence, seen[0].sequence)
    return None


def _snapshot(fd: int, offsets: Iterable[int], fence: int, sequence: int) -> Snapshot:
    ledger = Ledger()
    ledger.fence = fence
    recorded: dict[str, int] = {}
    for offset in offsets:
        record = record_at(fd, offset)
        lease = lease_in(record)
        if lease is not None:
            ledger.put(lease)
            recorded[lease.lease_id] = record["sequence"]  # type: ignore[assignment]
    return Snapshot(ledger, sequence, recorded)


def read_batches(plane: Plane, after: int = 0) -> Iterator[Recorded]:
    """The decisions behind sequence `after`: archived segments first, then the live log."""
    from jit.store.history import batch_of, entries

    for entry in entries(plane, after):
        if entry.kind == "decision":
            yield Recorded(entry.first, entry.last, batch_of(entry))
