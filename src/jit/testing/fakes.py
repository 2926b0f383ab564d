"""A world that does what it is told: a clock that can be set, lives that can end, a store that can fail.

Nothing here reads a real clock, a real process or a real random number, so whatever happens can happen again.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from jit.kernel.ids import ulid
from jit.kernel.instant import Instant
from jit.kernel.lease import ProcessRef
from jit.store.api import Appended, AppendUnknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from jit.kernel.policy import Liveness
    from jit.store.api import Batch, Conflict, EventStore, Recorded, Snapshot, View

    Rival = Callable[[EventStore], object]

START_MS = 1_767_441_600_000  # 2026-01-03T12:00:00Z
DAY_MS = 86_400_000


class FakeClock:
    """Both readings of an `Instant`, moved by hand. Time passes on both; only the wall clock can be set."""

    def __init__(self, wall_ms: int = START_MS, *, boot_ms: int = 3_600_000, boot_id: str = "boot-1") -> None:
        self.wall_ms = wall_ms
        self.boot_ms = boot_ms
        self.boot_id = boot_id
        self._boots = 1

    def now(self) -> Instant:
        return Instant(self.wall_ms, self.boot_ms, self.boot_id)

    def advance(self, ms: int) -> None:
        self.wall_ms += ms
        self.boot_ms += ms

    def set_wall(self, wall_ms: int) -> None:
        """What an administrator, or a time server, does to the clock on the wall."""
        self.wall_ms = wall_ms

    def reboot(self, *, away_ms: int = 0) -> None:
        """The machine starts again after `away_ms`: another boot id, and a boot-time clock that begins anew."""
        self._boots += 1
        self.wall_ms += away_ms
        self.boot_ms = 0
        self.boot_id = f"boot-{self._boots}"


class FakeWorld:
    """What the engine asks the world, answered from a table. The ids of one seed are always the same."""

    def __init__(self, clock: FakeClock | None = None, *, seed: int = 0) -> None:
        self.clock = clock or FakeClock()
        self.lives: dict[ProcessRef, Liveness] = {}
        self.contents: dict[str, str] = {}
        self._random = Random(seed)

    def now(self) -> Instant:
        return self.clock.now()

    def ulid(self, wall_ms: int) -> str:
        return ulid(wall_ms, self._random.randbytes(16))

    def liveness(self, process: ProcessRef) -> Liveness:
        return self.lives.get(process, "unknown")

    def content(self, resource: str) -> str:
        """What stands for a resource's content; nothing where there is none."""
        return self.contents.get(resource, "")

    def spawn(self) -> ProcessRef:
        """A new process, alive."""
        made = ProcessRef("host-1", self.clock.boot_id, 1000 + len(self.lives), self.clock.boot_ms, "ns-1")
        self.lives[made] = "alive"
        return made

    def reboot(self, *, away_ms: int = 0) -> None:
        """No process outlives the boot that it was started in."""
        self.clock.reboot(away_ms=away_ms)
        self.lives = dict.fromkeys(self.lives, "dead")


class FaultyStore:
    """A store that goes wrong on order, once per order, and otherwise is the store that it wraps."""

    def __init__(self, inner: EventStore) -> None:
        self.inner = inner
        self._rivals: list[Rival] = []
        self._failure: Exception | None = None
        self._lose_batch = False
        self._lose_ack = False

    def let_in(self, rival: Rival) -> None:
        """Before the next append a rival uses the inner store, so that the append comes too late."""
        self._rivals.append(rival)

    def fail_append(self, failure: Exception) -> None:
        """The next append raises and stores nothing."""
        self._failure = failure

    def lose_ack(self) -> None:
        """The next batch is stored, and nobody hears of it."""
        self._lose_ack = True

    def lose_batch(self) -> None:
        """The next batch is lost together with its acknowledgement."""
        self._lose_batch = self._lose_ack = True

    def exclusive(self) -> AbstractContextManager[object]:
        return self.inner.exclusive()

    def view(self) -> View:
        return self.inner.view()

    def append(self, batch: Batch, expected: int) -> Appended | Conflict:
        if self._rivals:
            self._rivals.pop(0)(self.inner)
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        if self._lose_batch:
            self._lose_batch = False
            return Appended(expected + len(batch.events), expected + len(batch.events), batch.batch_id)
        return self.inner.append(batch, expected)

    def settle(self, appended: Appended) -> None:
        if self._lose_ack:
            self._lose_ack = False
            raise AppendUnknown(appended.batch_id, "the acknowledgement was lost")
        self.inner.settle(appended)

    def resolve(self, batch_id: str) -> bool:
        return self.inner.resolve(batch_id)

    def snapshot(self) -> Snapshot:
        return self.inner.snapshot()

    def read(self, after: int = 0) -> Iterator[Recorded]:
        return self.inner.read(after)
