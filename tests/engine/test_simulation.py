"""Seeded days with faults, over the memory store and over real files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from jit.kernel.commands import Acquire
from jit.kernel.ledger import Ledger
from jit.kernel.policy import Ttl
from jit.store.api import Snapshot
from jit.store.jsonl import JsonlStore
from jit.store.memory import MemoryStore
from jit.store.plane import Plane
from jit.testing import FakeWorld, FaultyStore, Simulator
from tests.traceability import covers

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.simulation

HAPPENINGS = {
    "Granted", "Renewed", "Beaten", "Released", "Lapsed", "Evicted", "Transferred", "Denied", "Refused", "Unavailable",
    "pause", "wall clock set", "reboot", "death", "out of sight", "start",
    "acknowledgement to be lost", "batch to be lost", "rival to come first",
}  # fmt: skip


@covers("002:inv1", "002:inv5", "002:seq.order")
@pytest.mark.parametrize("block", range(8))
def test_no_seeded_day_breaks_an_invariant(block: int) -> None:
    seen = set()
    for seed in range(block * 25, block * 25 + 25):
        seen |= set(Simulator(FaultyStore(MemoryStore()), FakeWorld(seed=seed), seed=seed).run(steps=300))
    assert seen == HAPPENINGS


@covers("002:T14")
@pytest.mark.parametrize("seed", range(6))
def test_no_seeded_day_over_real_files_breaks_an_invariant(tmp_path: Path, seed: int) -> None:
    world = FakeWorld(seed=seed)
    stores: list[JsonlStore] = []

    def reopen() -> JsonlStore:
        for store in stores:
            store.close()
        stores.append(JsonlStore(Plane(str(tmp_path / "jit")), world))
        return stores[-1]

    simulator = Simulator(reopen(), world, seed=seed, reopen=reopen)
    simulator.run(steps=200)
    simulator.engine.submit(Acquire(world.ulid(1), ("file:last",), simulator.owners[0], Ttl(1)))
    simulator.judge.look()
    stores[-1].close()
    index = json.loads((tmp_path / "jit" / "claims.index.json").read_text("utf-8"))
    held = simulator.judge.oracle.held
    assert index["sequence"] == simulator.judge.sequence
    assert {row["lease_id"]: row["fence"] for row in index["active"]} == {
        name: lease.fence for name, lease in held.items()
    }


def test_the_same_seed_lives_the_same_day() -> None:
    days = []
    for _ in range(2):
        simulator = Simulator(FaultyStore(MemoryStore()), FakeWorld(seed=5), seed=5)
        simulator.run(steps=200)
        days.append(simulator.diary)
    assert days[0] == days[1]
    other = Simulator(FaultyStore(MemoryStore()), FakeWorld(seed=6), seed=6)
    other.run(steps=200)
    assert other.diary != days[0]


class Forgetful(MemoryStore):
    """A store with a deliberate fault: its readers see no leases."""

    def snapshot(self) -> Snapshot:
        return Snapshot(Ledger(), super().snapshot().sequence)


def test_a_store_that_is_wrong_is_found_and_the_failure_names_its_seed() -> None:
    with pytest.raises(
        AssertionError, match=r"seed 3, step \d+: the snapshot is not the fold of the history\nlast happenings"
    ):
        Simulator(Forgetful(), FakeWorld(seed=3), seed=3).run(steps=100)
