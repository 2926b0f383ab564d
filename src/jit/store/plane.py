"""The control plane's folder, `<git common dir>/jit`: names, modes, and how its files are opened."""

from __future__ import annotations

import posix

from jit.disk import isdir
from jit.kernel.record import Record
from jit.store import durable


class Plane(Record):
    """Where the shared state of one repository lives.

    Group mode lets a team share it; otherwise it is its owner's alone.
    """

    root: str
    group: bool = False

    @property
    def log(self) -> str:
        return f"{self.root}/claims.jsonl"

    @property
    def table(self) -> str:
        return f"{self.root}/claims.table"

    @property
    def index(self) -> str:
        return f"{self.root}/claims.index.json"

    @property
    def archive(self) -> str:
        return f"{self.root}/archive"

    @property
    def file_mode(self) -> int:
        return 0o660 if self.group else 0o600

    @property
    def folder_mode(self) -> int:
        return 0o2770 if self.group else 0o700

    def lock(self, name: str) -> str:
        return f"{self.root}/locks/{name}.lock"


def prepare(plane: Plane) -> None:
    """Create the folders; no harm if they are there."""
    for path in (plane.root, f"{plane.root}/locks", f"{plane.root}/heartbeat"):
        if not isdir(path):
            durable.make_directory(path, plane.folder_mode)


def open_log(plane: Plane) -> int:
    """The log, for appending; created if need be, and then its name is durable before anything is written to it."""
    flags = posix.O_RDWR | posix.O_APPEND | posix.O_CLOEXEC
    try:
        return posix.open(plane.log, flags)
    except FileNotFoundError:
        fd = posix.open(plane.log, flags | posix.O_CREAT, plane.file_mode)
        posix.fchmod(fd, plane.file_mode)
        durable.sync_directory(plane.root)
        return fd


def open_lock(plane: Plane, name: str, wait_ms: int) -> durable.FileLock:
    return durable.FileLock(plane.lock(name), mode=plane.file_mode, wait_ms=wait_ms)
