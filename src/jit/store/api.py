"""What a store is: an append-only history of batches, and the state that it folds to.

The engine works against this protocol. Every store answers the same contract tests.
"""

from __future__ import annotations

from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from contextlib import AbstractContextManager
    from typing import Protocol

    from jit.kernel.events import Event
    from jit.kernel.lease import Evidence
    from jit.kernel.ledger import Leases, Ledger
    from jit.systems.decide import AnyCommand

    class EventStore(Protocol):
        def exclusive(self) -> AbstractContextManager[object]:
            """While this is held no rival appends, where the store can promise it; elsewhere `append` may conflict."""

        def view(self) -> View:
            """The state that the next decision stands on. Read inside `exclusive`."""

        def append(self, batch: Batch, expected: int) -> Appended | Conflict:
            """All of the batch after position `expected`, or none of it."""

        def settle(self, appended: Appended) -> None:
            """Return when the batch is durable; `AppendUnknown` if that cannot be known."""

        def resolve(self, batch_id: str) -> bool:
            """Is that batch in the history, and durable now?"""

        def snapshot(self) -> Snapshot:
            """The state as it is now, taken without waiting for anybody."""

        def read(self, after: int = 0) -> Iterator[Recorded]:
            """The history, batch by batch, from the one behind sequence `after`."""


class Batch(Record):
    """One decision: what was asked, what was known, what happened. It is stored whole or not at all."""

    batch_id: str
    command: AnyCommand
    evidence: Evidence
    events: tuple[Event, ...]


class Recorded(Record):
    """A batch with its place: the sequence of its first and of its last event."""

    first: int
    last: int
    batch: Batch


class View(Record):
    leases: Leases
    sequence: int


class Snapshot(Record):
    """The state at one moment; `recorded` has the sequence of each lease's latest record, where the store knows it."""

    ledger: Ledger
    sequence: int
    recorded: Mapping[str, int] | None = None


class Appended(Record):
    sequence: int
    position: int
    batch_id: str


class Conflict(Record):
    """Somebody appended first. The engine looks again and decides anew; nobody else hears of it."""

    expected: int
    actual: int


class AppendUnknown(Exception):
    """The batch may or may not be durable. `resolve` it by its id."""

    def __init__(self, batch_id: str, why: str) -> None:
        super().__init__(f"batch {batch_id}: {why}")
        self.batch_id = batch_id
        self.why = why
