"""What a file looked like before jit wrote to it, so that it can look like that again.

Before a file is changed, its old bytes (or that it was not there), the new bytes and the directories made for it are
kept in one small file of the records folder, named after a hash of the path. If the program dies between the two
writes, the file still has its old bytes, and both setup and uninstall see that. Client settings can hold secrets, so
a record is readable by its owner alone.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from contextlib import contextmanager

from jit.errors import ConfigError
from jit.kernel.record import Record
from jit.store import durable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION = 1
LOCK_WAIT_MS = 10_000


class Kept(Record):
    """One file that jit wrote: `original` is None where there was none; `made` are directories, outermost first."""

    path: str
    client: str
    kind: str
    original: bytes | None
    written: bytes
    made: tuple[str, ...] = ()


class Originals(Record):
    """The records of one level: the user's, or one repository's."""

    folder: str

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps two installations apart. The folder is made if need be, and goes with its last record."""
        lock = self._acquire()
        try:
            yield
        finally:
            self._leave()
            lock.close()

    def find(self, path: str) -> Kept | None:
        return _read(self._file(path))

    def every(self) -> list[Kept]:
        """All records, in the order of their paths."""
        names = os.listdir(self.folder) if os.path.isdir(self.folder) else []
        found = [_read(os.path.join(self.folder, name)) for name in names if name.endswith(".json")]
        return sorted([kept for kept in found if kept is not None], key=lambda kept: kept.path)

    def keep(self, kept: Kept) -> None:
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        durable.replace_file(self._file(kept.path), _encode(kept), mode=0o600)

    def forget(self, path: str) -> None:
        try:
            os.unlink(self._file(path))
        except FileNotFoundError:
            pass

    def _acquire(self) -> durable.FileLock:
        path = os.path.join(self.folder, "lock")
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            lock = durable.FileLock(path, wait_ms=LOCK_WAIT_MS)
        except OSError as error:
            raise durable.fault(error.filename or self.folder, error) from error
        lock.acquire()
        if _is_open_file(lock.fd, path):
            return lock
        lock.close()  # whoever had it removed the folder: the file that we waited for is nobody's lock any more
        return self._acquire()

    def _leave(self) -> None:
        if any(name.endswith(".json") for name in os.listdir(self.folder)):
            return
        os.unlink(os.path.join(self.folder, "lock"))
        for folder in (self.folder, os.path.dirname(self.folder)):
            try:
                os.rmdir(folder)
            except OSError:  # it holds other things
                return

    def _file(self, path: str) -> str:
        return os.path.join(self.folder, hashlib.sha256(os.fsencode(path)).hexdigest()[:16] + ".json")


def _is_open_file(fd: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False


def _encode(kept: Kept) -> bytes:
    document = {
        "version": VERSION,
        "path": kept.path,
        "client": kept.client,
        "kind": kept.kind,
        "original": None if kept.original is None else base64.b64encode(kept.original).decode("ascii"),
        "written": base64.b64encode(kept.written).decode("ascii"),
        "made": list(kept.made),
    }
    return (json.dumps(document, indent=1) + "\n").encode("ascii")


def _read(path: str) -> Kept | None:
    try:
        with open(path, "rb") as file:
            found = json.load(file)
        original = found["original"]
        return Kept(
            path=found["path"],
            client=found["client"],
            kind=found["kind"],
            original=None if original is None else base64.b64decode(original, validate=True),
            written=base64.b64decode(found["written"], validate=True),
            made=tuple(found["made"]),
        )
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as fault:
        raise ConfigError(
            f"the record {path} of what jit wrote is damaged, so nothing was changed: {fault}",
            hint=f"look at it: cat '{path}'; without it jit still finds its entries in the usual places: rm '{path}'",
            details={"file": path},
        ) from fault
