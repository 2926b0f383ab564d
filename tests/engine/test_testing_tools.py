"""The tools of `jit.testing` do what they say, and object to what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jit.errors import Unavailable
from jit.kernel.commands import Release
from jit.kernel.decide import decide
from jit.kernel.events import Denied, Evicted, Granted, Lapsed, Refused, Released, Renewed, Transferred
from jit.kernel.ids import is_ulid
from jit.kernel.ledger import evolve
from jit.kernel.record import replace
from jit.store.api import Appended, AppendUnknown, Batch, Conflict
from jit.store.memory import MemoryStore
from jit.testing import DAY_MS, FakeClock, FakeWorld, FaultyStore, Oracle, Spec
from tests.kernel.made import ANN, BOB, known, later, made_lease

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jit.kernel.commands import Command
    from jit.kernel.events import Event
    from jit.kernel.lease import Evidence
    from jit.kernel.ledger import Leases

LEASE = made_lease()
GRANT = Batch("B1", Release("L1", ANN), known(), (Granted(LEASE),))


def test_time_passes_on_both_clocks_and_only_the_wall_can_be_set() -> None:
    clock = FakeClock(1000, boot_ms=50)
    clock.advance(7)
    assert (clock.now().wall_ms, clock.now().boot_ms) == (1007, 57)
    clock.set_wall(1007 - DAY_MS)
    assert (clock.now().wall_ms, clock.now().boot_ms) == (1007 - DAY_MS, 57)


def test_a_restart_begins_the_boot_clock_anew_and_leaves_no_process_alive() -> None:
    world = FakeWorld(FakeClock(1000, boot_ms=50))
    process, before = world.spawn(), world.now()
    assert world.liveness(process) == "alive"
    world.reboot(away_ms=9)
    assert (world.now().wall_ms, world.now().boot_ms) == (1009, 0)
    assert world.now().boot_id != before.boot_id
    assert world.liveness(process) == "dead"
    assert world.liveness(replace(process, pid=99)) == "unknown"


def test_processes_differ_and_the_ids_of_one_seed_are_always_the_same() -> None:
    world = FakeWorld()
    assert world.spawn() != world.spawn()
    ids = [[FakeWorld(seed=seed).ulid(5) for _ in range(2)] for seed in (1, 1, 2)]
    assert ids[0] == ids[1] != ids[2]
    assert all(is_ulid(name) for row in ids for name in row)


def test_a_spec_objects_to_other_events_in_the_words_of_both() -> None:
    decision = Spec(decide).given(Granted(LEASE)).when(Release("L1", ANN), known())
    with pytest.raises(AssertionError, match=r"(?s)expected\n  nothing\nbut it was\n  Released"):
        decision.then()
    with pytest.raises(AssertionError, match=r"(?s)expected\n  Lapsed.*but it was\n  Released"):
        decision.then(Lapsed(LEASE))


def test_a_spec_objects_to_a_decider_that_changes_the_state() -> None:
    def meddle(state: Leases, command: Command, evidence: Evidence) -> tuple[Event, ...]:
        lease = state.lease("L1")
        if lease is not None:
            evolve(state, Lapsed(lease))  # type: ignore[arg-type]
        return ()

    with pytest.raises(AssertionError, match="deciding changed the state"):
        Spec(meddle).given(Granted(LEASE)).when(Release("L1", ANN), known())


def test_a_spec_objects_to_a_decider_that_answers_differently_each_time() -> None:
    answers: Iterator[tuple[Event, ...]] = iter([(), (Lapsed(LEASE),)])

    def waver(state: Leases, command: Command, evidence: Evidence) -> tuple[Event, ...]:
        return next(answers)

    with pytest.raises(AssertionError, match="asked again"):
        Spec(waver).when(Release("L1", ANN), known())


def test_a_faulty_store_without_orders_is_the_store_it_wraps() -> None:
    store = FaultyStore(MemoryStore())
    with store.exclusive():
        appended = store.append(GRANT, store.view().sequence)
    assert isinstance(appended, Appended)
    store.settle(appended)
    assert (store.resolve("B1"), store.resolve("B2")) == (True, False)
    assert [entry.batch for entry in store.read()] == [GRANT]
    assert store.snapshot().sequence == 1


def test_each_fault_happens_once() -> None:
    store = FaultyStore(MemoryStore())
    store.fail_append(Unavailable("disk full"))
    with pytest.raises(Unavailable):
        store.append(GRANT, 0)
    store.let_in(lambda inner: inner.append(GRANT, 0))
    assert store.append(replace(GRANT, batch_id="B2"), 0) == Conflict(0, 1)
    store.lose_ack()
    kept = store.append(replace(GRANT, batch_id="B3"), 1)
    assert isinstance(kept, Appended)
    with pytest.raises(AppendUnknown):
        store.settle(kept)
    store.settle(kept)
    store.lose_batch()
    lost = store.append(replace(GRANT, batch_id="B4"), 2)
    assert isinstance(lost, Appended)
    with pytest.raises(AppendUnknown):
        store.settle(lost)
    assert [entry.batch.batch_id for entry in store.read()] == ["B1", "B3"]


HEIR = made_lease("L2", owner=BOB, fence=2)


@pytest.mark.parametrize(
    "events",
    [
        (Granted(LEASE), Granted(HEIR)),
        (Granted(LEASE), Granted(replace(LEASE, resources=("issue:2",), fence=2))),
        (Granted(LEASE), Granted(made_lease("L2", "issue:2", fence=1))),
        (Granted(LEASE), Lapsed(LEASE)),
        (Lapsed(LEASE),),
        (Granted(LEASE), Released(LEASE, BOB, "")),
        (Granted(LEASE), Evicted(LEASE, BOB, " ")),
        (Granted(LEASE), Denied("issue:1", ANN, LEASE)),
        (Granted(LEASE), Denied("issue:2", BOB, LEASE)),
        (Granted(LEASE), Refused("not-owner", ANN, "L1", LEASE)),
        (Granted(LEASE), Refused("not-found", ANN, "L1")),
        (Granted(LEASE), Refused("yours", BOB, "issue:1", LEASE)),
        (Granted(LEASE), Renewed(replace(LEASE, fence=2))),
        (Granted(LEASE), Transferred(HEIR, "L1", BOB, "ill")),
        (Granted(LEASE), Transferred(replace(HEIR, resources=("issue:2",)), "L1", ANN, "ill")),
        (Granted(LEASE), Transferred(replace(HEIR, fence=1), "L1", ANN, "ill")),
        (Renewed(LEASE),),
    ],
)
def test_the_oracle_objects_to_what_cannot_be_right(events: tuple[Event, ...]) -> None:
    with pytest.raises(AssertionError):
        Oracle().watch(events, known())


def test_the_oracle_objects_to_an_answer_that_treats_a_lease_that_is_over_as_held() -> None:
    now = later(600_001)
    for event in (
        Denied("issue:1", BOB, LEASE),
        Released(LEASE, ANN, ""),
        Renewed(replace(LEASE, renewed=now, beat=now)),
    ):
        oracle = Oracle()
        oracle.watch([Granted(LEASE)], known())
        with pytest.raises(AssertionError, match="was over"):
            oracle.watch([event], known(now))


def test_the_oracle_follows_what_is_right() -> None:
    oracle = Oracle()
    oracle.watch([Granted(LEASE), Denied("issue:1", BOB, LEASE), Transferred(HEIR, "L1", ANN, "ill")], known())
    assert (oracle.held, oracle.fence) == ({"L2": HEIR}, 2)
    oracle.watch([Lapsed(HEIR)], known(later(600_001)))
    assert (oracle.held, oracle.fence) == ({}, 2)
