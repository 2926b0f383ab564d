"""A small world in which everything happens at a fixed time, for samples that are the same on every machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jit.kernel.ids import ulid
from jit.kernel.instant import Instant
from jit.kernel.lease import Owner

if TYPE_CHECKING:
    from jit.kernel.lease import ProcessRef
    from jit.kernel.policy import Liveness

START_WALL_MS = 1_767_441_600_000  # 2026-01-03T12:00:00Z
START_BOOT_MS = 5_000_000
BOOT_ID = "6f1c2f3a-0b7e-4d55-9a51-2f4f9d8f7c10"
ANNA = Owner("agent:anna", "wt:1a2b3c4d")
BEN = Owner("agent:ben", "wt:5e6f7a8b")


class StillWorld:
    """Its clock moves only when told to; its ids are counted."""

    def __init__(self) -> None:
        self.passed_ms = 0
        self.made = 0

    def now(self) -> Instant:
        return Instant(START_WALL_MS + self.passed_ms, START_BOOT_MS + self.passed_ms, BOOT_ID)

    def ulid(self, wall_ms: int) -> str:
        self.made += 1
        return ulid(wall_ms, bytes(self.made >> shift & 31 for shift in range(75, -1, -5)))

    def liveness(self, _ref: ProcessRef) -> Liveness:
        return "unknown"

    def wait(self, ms: int) -> None:
        self.passed_ms += ms

    def new_id(self) -> str:
        return self.ulid(self.now().wall_ms)
