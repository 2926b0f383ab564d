"""Making the point index agree with the log.

Whoever takes the writers' lock and finds a table that does not end where the log ends knows that a writer died
between the two, and makes the table anew.
"""

from __future__ import annotations

import posix

from jit.kernel.record import specialise
from jit.store import durable
from jit.store.agreement import boot_word, crc_before
from jit.store.checkpoint import read_index
from jit.store.scan import Scan
from jit.store.table import new_table, packed, slots_of
from jit.store.view import lease_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.instant import Instant
    from jit.store.plane import Plane
    from jit.store.scan import Progress
    from jit.store.table import Table


MANY = 100  # leases for which constructors of their own are worth making


def rebuild(plane: Plane, fd: int, in_place: Table | None, now: Instant, progress: Progress | None) -> Table:
    """A new table that fits the log, put in place of the old one. Cuts off a tail that was never finished."""
    scan = scan_log(plane, fd, progress)
    if scan.end != posix.fstat(fd).st_size:
        durable.truncate(fd, scan.end)
    table = _filled(plane, fd, scan, now)
    table.boot, table.inode = boot_word(now), posix.fstat(fd).st_ino
    table.fence, table.sequence, table.applied = scan.fence, scan.sequence, scan.end
    table.line_crc = int(crc_before(fd, scan.end) or "0", 16)
    table.commit()
    durable.rename(table.path, plane.table)
    table.path = plane.table
    if in_place is not None:
        in_place.retire()
        in_place.close()
    return table


def _filled(plane: Plane, fd: int, scan: Scan, now: Instant) -> Table:
    """A table with all leases of a scan."""
    if len(scan.at) > MANY:
        specialise()
    slots = bytearray()
    for offset in scan.at.values():
        lease = lease_at(fd, offset)
        for slot in slots_of(lease, offset, now) if lease is not None else ():
            slots += packed(slot)
    table = new_table(f"{plane.table}.{posix.getpid()}.tmp", len(slots) // 32, plane.file_mode)
    table.fill(slots)
    return table


def scan_log(plane: Plane, fd: int, progress: Progress | None) -> Scan:
    """Where every active lease's record stands, from the readable index if it can be trusted, else from the
    beginning.
    """
    size = posix.fstat(fd).st_size
    start = read_index(plane, fd)
    if start is None or start.place.offset > size:
        return Scan(plane.log).run(fd, size, progress)
    place = start.place
    scan = Scan(plane.log, end=place.offset, sequence=place.sequence, fence=place.fence)
    scan.at = start.at
    return scan.run(fd, size, progress)
