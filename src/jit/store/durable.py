"""The only place that calls fsync, rename, flock and ftruncate.

What a sync can promise: the data reached the device, and the device said so. A device that lies, or a file system
mounted without barriers, can still lose it. On macOS only `F_FULLFSYNC` asks the device at all.
"""

from __future__ import annotations

import fcntl
import posix
import sys
import time

from jit.disk import dirname, isdir
from jit.errors import LockTimeout, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from types import FrameType, TracebackType
else:
    import _signal  # the public module builds enumerations: 3 ms

DARWIN = sys.platform == "darwin"
_WORDS = {
    "ENOSPC": ("the disk is full", "free some space, then run the command again"),
    "EDQUOT": ("the disk quota is used up", "free some space, then run the command again"),
    "EROFS": ("the file system is read-only", "run the command where the repository can be written"),
    "EACCES": ("permission denied", "check owner and mode with: ls -ld"),
    "EPERM": ("not permitted", "check owner and mode with: ls -ld"),
    "EISDIR": ("there is a directory in place of the file", "move the directory away, then run: jit doctor"),
    "ENOTDIR": ("there is a file in place of a directory", "move the file away, then run: jit doctor"),
    "EIO": ("the device reported an input/output error", "check the disk, then run: jit doctor"),
}


def fault(path: str, error: OSError) -> Unavailable:
    """An operating-system error in words, with the way out."""
    from errno import errorcode

    name = errorcode.get(error.errno or 0, "?")
    what, hint = _WORDS.get(name, ((error.strerror or str(error)).lower(), "run: jit doctor"))
    return Unavailable(
        f"cannot use {path}: {what}; nothing was changed",
        hint=f"{hint} {path}" if hint.endswith("ls -ld") else hint,
        details={"path": path, "errno": name},
    )


def sync(fd: int) -> None:
    """Return when everything written to the file so far is on the device."""
    if DARWIN:  # pragma: no cover - not run on Linux
        fcntl.fcntl(fd, 51)  # F_FULLFSYNC
    else:
        posix.fdatasync(fd)


def sync_directory(path: str) -> None:
    """Make the names in a directory durable: a new file is found after a power cut only if its directory was synced."""
    fd = posix.open(path, posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC)
    try:
        posix.fsync(fd)
    finally:
        posix.close(fd)


def append(fd: int, data: bytes, size: int) -> int:
    """Append all of `data` to a file that is `size` long, or leave the file as it was. Returns the new size."""
    try:
        written = posix.write(fd, data)
        while written < len(data):
            written += posix.write(fd, data[written:])
    except BaseException:
        posix.ftruncate(fd, size)
        raise
    return size + written


def open_or_create(path: str, flags: int, mode: int) -> int:
    """Open a file; one that has to be created gets exactly this mode, whatever the umask says."""
    try:
        return posix.open(path, flags)
    except FileNotFoundError:
        fd = posix.open(path, flags | posix.O_CREAT, mode)
        posix.fchmod(fd, mode)
        return fd


def truncate(fd: int, size: int) -> None:
    posix.ftruncate(fd, size)


def replace_file(path: str, data: bytes, *, mode: int | None = None, durable: bool = True) -> None:
    """Put `data` in place of `path` so that a reader sees the old file or the new one, never a part.

    Without a `mode` the file keeps the one it has; a new one is readable by all.

    A fresh name per process and a rename: two processes at once both succeed, and the later one stays.
    """
    temp = f"{path}.{posix.getpid()}.tmp"
    mode = _mode_of(path) if mode is None else mode
    try:
        fd = posix.open(temp, posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC | posix.O_CLOEXEC, mode)
        try:
            posix.fchmod(fd, mode)
            append(fd, data, 0)
            if durable:
                sync(fd)
        finally:
            posix.close(fd)
        posix.replace(temp, path)
    except BaseException:
        _forget(temp)
        raise
    if durable:
        sync_directory(dirname(path) or ".")


def create_file(path: str, data: bytes, *, mode: int = 0o644) -> bool:
    """Create `path` with all of `data`, durably; False if it exists already.

    Of several at once exactly one succeeds.
    """
    temp = f"{path}.{posix.getpid()}.tmp"
    try:
        replace_file(temp, data, mode=mode)
        posix.link(temp, path)
    except FileExistsError:
        return False
    finally:
        _forget(temp)
    sync_directory(dirname(path) or ".")
    return True


def rename(source: str, target: str) -> None:
    posix.replace(source, target)


def make_directory(path: str, mode: int) -> None:
    """Create a directory with exactly this mode; no fault if it exists."""
    try:
        posix.mkdir(path, mode)
        posix.chmod(path, mode)
    except FileExistsError:
        if not isdir(path):
            from errno import ENOTDIR

            raise NotADirectoryError(ENOTDIR, "not a directory", path) from None


class FileLock:
    """An exclusive lock between processes, released by the kernel when its holder dies.

    The file is never unlinked: two processes that lock two files of one name exclude nobody. What is written into it
    tells a person who had the lock last; no decision reads it.
    """

    def __init__(self, path: str, *, mode: int = 0o600, wait_ms: int = 10_000) -> None:
        self.path = path
        self.wait_ms = wait_ms
        self.fd = open_or_create(path, posix.O_RDWR | posix.O_CLOEXEC, mode)

    def acquire(self) -> None:
        if not self.try_acquire():
            self._wait()

    def try_acquire(self) -> bool:
        """Take the lock if nobody has it; never wait."""
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        fcntl.flock(self.fd, fcntl.LOCK_UN)

    def note(self, text: bytes) -> None:
        """Leave diagnostic words in the lock file, at a fixed length so that no older tail shows through."""
        posix.pwrite(self.fd, text[:255].ljust(255) + b"\n", 0)

    def close(self) -> None:
        posix.close(self.fd)

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _wait(self) -> None:
        """Wait in the kernel's queue, woken by an alarm; where alarms cannot be used (threads), look again and
        again.
        """
        if self.wait_ms <= 0:  # an alarm after no time at all would never ring
            self._ring(0, None)
        try:
            before = _signal.signal(_signal.SIGALRM, self._ring)
        except ValueError:
            self._look_again()
            return
        _signal.setitimer(_signal.ITIMER_REAL, self.wait_ms / 1000)
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX)
        finally:
            _signal.setitimer(_signal.ITIMER_REAL, 0)
            _signal.signal(_signal.SIGALRM, before)

    def _look_again(self) -> None:
        deadline = time.monotonic() + self.wait_ms / 1000
        while time.monotonic() < deadline:
            try:
                fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.001)
            else:
                return
        self._ring(0, None)

    def _ring(self, _number: int, _frame: FrameType | None) -> None:
        raise LockTimeout(
            f"{self.path} was busy for {self.wait_ms / 1000:g} s; last holder: {self.last_note() or 'unknown'}",
            hint="look at that process; to wait longer: jit config set locks.wait_secs 60",
            details={"path": self.path, "waited_secs": self.wait_ms / 1000},
        )

    def last_note(self) -> str:
        return posix.pread(self.fd, 256, 0).decode("utf-8", "replace").strip()


def _mode_of(path: str) -> int:
    try:
        return posix.stat(path).st_mode & 0o7777
    except OSError:
        return 0o644


def _forget(path: str) -> None:
    try:
        posix.unlink(path)
    except FileNotFoundError:
        pass
