"""The store that is only memory: for tests, and the measure of what every other store must answer."""

from __future__ import annotations

from jit.kernel.ledger import Ledger, evolve
from jit.store.api import Appended, AppendUnknown, Conflict, Recorded, Snapshot, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from jit.store.api import Batch


class MemoryStore:
    """A list of batches. `lose_next_ack` makes the next append succeed and its acknowledgement fail."""

    def __init__(self) -> None:
        self._history: list[Recorded] = []
        self._ledger = Ledger()
        self._sequence = 0
        self.lose_next_ack = False

    def exclusive(self) -> MemoryStore:
        return self

    def view(self) -> View:
        return View(self._ledger, self._sequence)

    def append(self, batch: Batch, expected: int) -> Appended | Conflict:
        if expected != self._sequence:
            return Conflict(expected, self._sequence)
        first = self._sequence + 1
        self._sequence += len(batch.events)
        self._history.append(Recorded(first, self._sequence, batch))
        for event in batch.events:
            evolve(self._ledger, event)
        return Appended(self._sequence, self._sequence, batch.batch_id)

    def settle(self, appended: Appended) -> None:
        if self.lose_next_ack:
            self.lose_next_ack = False
            raise AppendUnknown(appended.batch_id, "the acknowledgement was lost")

    def resolve(self, batch_id: str) -> bool:
        return any(recorded.batch.batch_id == batch_id for recorded in self._history)

    def snapshot(self) -> Snapshot:
        return Snapshot(self._ledger.copy(), self._sequence)

    def read(self, after: int = 0) -> Iterator[Recorded]:
        return iter([recorded for recorded in self._history if recorded.last > after])

    def close(self) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass
