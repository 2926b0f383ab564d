"""Do the table and the log agree? Asked by everybody who reads the table, before and after.

A writer appends to the log and then updates the table, both under the lock. So a table that ends where the log ends
is whole, and one that does not is behind: a writer is at work, or died at it.
"""

from __future__ import annotations

import posix

from jit.store.table import Table, name_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.instant import Instant


def fits(table: Table, fd: int, now: Instant) -> bool:
    """Is this table of this boot and of this log, and does it end where the log ends, at the same record?"""
    found = posix.fstat(fd)
    if not table.load() or table.boot != boot_word(now) or table.inode != found.st_ino:
        return False
    if table.applied != found.st_size or posix.fstat(table.fd).st_size < table.end():
        return False
    return not table.applied or crc_before(fd, table.applied) == f"{table.line_crc:08x}"


def consistent(table: Table, fd: int, now: Instant) -> tuple[Table, bytes] | None:
    """The table's header and slots as they were at one moment; nothing if a writer was at work."""
    seen = Table(table.fd, table.path)
    if not fits(seen, fd, now):
        return None
    content = seen.content()
    after = Table(table.fd, table.path)
    same = fits(after, fd, now) and after.sequence == seen.sequence
    return (seen, content) if same else None


def boot_word(now: Instant) -> int:
    return name_hash(now.boot_id)


def crc_before(fd: int, offset: int) -> str:
    """The checksum that the record ending at `offset` carries."""
    tail = posix.pread(fd, 11, offset - 11) if offset >= 11 else b""
    return tail[:8].decode("ascii", "replace") if tail[8:] == b'"}\n' else ""
