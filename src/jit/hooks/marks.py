"""Small files in the control plane whose age tells something: when a call began, when an owner last asked to write.

They are not the truth about anything. One that is lost, or cannot be written, costs a remark and never a lease.
"""

from __future__ import annotations

import posix
from binascii import crc32

from jit.disk import isdir
from jit.systems.files.names import owner_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.lease import Owner
    from jit.store.plane import Plane

MANY = 64
OLD_NS = 86_400 * 10**9


def mark_of(plane: Plane, kind: str, owner: Owner, more: str = "") -> str:
    """An owner's mark of one kind; or one of several, whose names all begin with the first one's."""
    inner = f"-{_short(more)}" if more else ""
    return f"{plane.root}/{kind}/{_short(owner_key(owner))}{inner}"


def marks_like(mark: str) -> list[str]:
    """This mark, if it is there, and those whose names begin with it."""
    folder, _, name = mark.rpartition("/")
    try:
        return [f"{folder}/{found}" for found in posix.listdir(folder) if found.startswith(name)]
    except OSError:
        return []


def take_away(mark: str) -> None:
    try:
        posix.unlink(mark)
    except OSError:
        return


def _short(text: str) -> str:
    return f"{crc32(text.encode('utf-8', 'surrogateescape')):08x}"


def make(plane: Plane, mark: str, data: bytes = b"") -> None:
    """Write a mark, or write it anew."""
    folder = mark.rpartition("/")[0]
    try:
        if not isdir(folder):
            posix.mkdir(folder)
            posix.chmod(folder, plane.folder_mode)
        _clear(folder)
        fd = posix.open(mark, posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC | posix.O_CLOEXEC, plane.file_mode)
        posix.write(fd, data)
        posix.close(fd)
    except OSError:
        return


def age(mark: str) -> int:
    """When a mark was made, in nanoseconds of the wall clock; nought if there is none."""
    try:
        return posix.stat(mark).st_mtime_ns
    except OSError:
        return 0


def _clear(folder: str) -> None:
    """Take old marks away once there are many: not everybody says that it has ended."""
    names = posix.listdir(folder)
    if len(names) < MANY:
        return
    import time

    oldest = time.time_ns() - OLD_NS
    for name in names:
        if age(f"{folder}/{name}") < oldest:
            posix.unlink(f"{folder}/{name}")
