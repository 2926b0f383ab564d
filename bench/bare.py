"""The least a durable record can cost in Python: open, flock, append, fdatasync, close.

This is the reference of every lease figure. It writes as many bytes as jit writes for the same operation, and decides
nothing. With several workers each has a file of its own, so that only the disk is shared.
"""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

DEFAULT_SIZES = (400, 300)


class Bare:
    name = "bare"
    warmup_pairs = 5

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.sizes = DEFAULT_SIZES

    def prepare(self) -> None:
        pass

    def connect(self, worker: int) -> BareSession:
        return BareSession(self.directory / f"bare-{worker}.log", self.sizes)


class BareSession:
    def __init__(self, path: Path, sizes: tuple[int, int]) -> None:
        self.path = str(path)
        self.acquired, self.released = (b"x" * (size - 1) + b"\n" for size in sizes)

    def acquire(self, _key: str) -> None:
        append_durably(self.path, self.acquired)

    def release(self, _key: str, _token: object) -> None:
        append_durably(self.path, self.released)

    def close(self) -> None:
        os.unlink(self.path)


def append_durably(path: str, data: bytes) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    fcntl.flock(file, fcntl.LOCK_EX)
    os.write(file, data)
    os.fdatasync(file)
    os.close(file)
