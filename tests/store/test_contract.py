"""Every store answers alike."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from jit.engine import Engine
from jit.kernel.commands import Acquire
from jit.kernel.lease import Owner
from jit.kernel.policy import Ttl
from jit.store.api import Appended, AppendUnknown
from jit.store.jsonl import JsonlStore
from jit.store.memory import MemoryStore
from jit.store.plane import Plane
from jit.testing.contract import StoreContract, append, grant
from tests.store.checker import read_log
from tests.store.ground import Machine
from tests.traceability import covers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.contract


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def opener(self) -> Callable[[], MemoryStore]:
        store = MemoryStore()
        return lambda: store

    def test_a_lost_acknowledgement_is_unknown_and_the_batch_is_found_by_its_id(self) -> None:
        store = MemoryStore()
        store.lose_next_ack = True
        with store.exclusive():
            answer = store.append(grant(1), 0)
        assert isinstance(answer, Appended)
        with pytest.raises(AppendUnknown, match=answer.batch_id):
            store.settle(answer)
        assert store.resolve(answer.batch_id)


class TestJsonlStore(StoreContract):
    @pytest.fixture
    def opener(self, tmp_path: Path) -> Iterator[Callable[[], JsonlStore]]:
        made: list[JsonlStore] = []

        def opened() -> JsonlStore:
            made.append(JsonlStore(Plane(str(tmp_path / "jit")), Machine()))
            return made[-1]

        yield opened
        for store in made:
            store.close()

    def test_closing_and_opening_again_changes_nothing(self, opener: Callable[[], JsonlStore]) -> None:
        store = opener()
        for number in range(1, 6):
            append(store, grant(number))
        before = store.snapshot()
        store.close()
        again = opener()
        assert again.snapshot() == before
        assert append(again, grant(6)).sequence == 6

    @covers("002:lock.exclusive", "002:inv4")
    def test_threads_with_a_store_each_get_one_winner_per_issue(
        self, opener: Callable[[], JsonlStore], tmp_path: Path
    ) -> None:
        barrier = threading.Barrier(6)
        answers: list[tuple[str, str]] = []

        def work(number: int, store: JsonlStore) -> None:
            machine = Machine()
            engine = Engine(store, machine)
            barrier.wait(30)
            for issue in range(10):
                owner = Owner(f"agent:{number}", f"wt:{number:08x}")
                command = Acquire(machine.ulid(machine.wall_ms), (f"issue:{issue}",), owner, Ttl(60_000))
                answers.append((str(issue), type(engine.submit(command).answer).__name__))

        threads = [threading.Thread(target=work, args=(number, opener())) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        won = sorted(issue for issue, kind in answers if kind == "Granted")
        assert won == sorted(str(issue) for issue in range(10))
        assert len(answers) == 60
        assert len(read_log(tmp_path / "jit/claims.jsonl").holders()) == 10
