"""The loop: read, observe, decide, append, settle; and what it does when the store or a rival gets in the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jit.engine import ATTEMPTS, Engine
from jit.errors import Unavailable
from jit.kernel.commands import Acquire, Beat, Evict, Release, Renew
from jit.kernel.events import Denied, Granted, Lapsed, Refused, Renewed, recorded
from jit.kernel.ids import is_ulid
from jit.kernel.lease import Owner
from jit.kernel.ledger import Ledger, fold
from jit.kernel.policy import Indefinite, Ttl, WhileAlive
from jit.store.memory import MemoryStore
from jit.systems.claims.decide import Claim, ClaimNext, Quota
from jit.systems.decide import decide
from jit.testing import FakeWorld, FaultyStore
from tests.traceability import covers

if TYPE_CHECKING:
    from jit.store.api import EventStore
    from jit.systems.claims.decide import ClaimCommand

ANN, BOB = Owner("agent:ann", "wt:0000000a"), Owner("agent:bob", "wt:0000000b")
TTL = Ttl(600_000)


class Ground:
    """An engine over a memory store that fails on order."""

    def __init__(self) -> None:
        self.world = FakeWorld()
        self.store = FaultyStore(MemoryStore())
        self.engine = Engine(self.store, self.world)

    def batches(self) -> list[str]:
        return [entry.batch.batch_id for entry in self.store.read()]


@pytest.fixture
def ground() -> Ground:
    return Ground()


def claim(name: str, owner: Owner = ANN, resource: str = "issue:1") -> Acquire:
    return Acquire(name, (resource,), owner, TTL)


def test_a_command_is_stored_as_one_batch_with_what_was_asked_and_known(ground: Ground) -> None:
    outcome = ground.engine.submit(claim("L1"))
    (entry,) = ground.store.read()
    assert (entry.first, entry.last, outcome.sequence) == (1, 1, 1)
    assert (entry.batch.batch_id, entry.batch.command) == (outcome.batch_id, claim("L1"))
    assert entry.batch.evidence.now == ground.world.now()
    assert entry.batch.events == outcome.events
    assert isinstance(outcome.answer, Granted)
    assert is_ulid(outcome.batch_id)


def test_a_lapse_and_its_consequence_are_one_batch(ground: Ground) -> None:
    ground.engine.submit(claim("L1"))
    ground.world.clock.advance(600_001)
    outcome = ground.engine.submit(claim("L2", BOB))
    assert [type(event) for event in outcome.events] == [Lapsed, Granted]
    assert [(entry.first, entry.last) for entry in ground.store.read()] == [(1, 1), (2, 3)]


@covers("L:4", "002:expiry.evict")
def test_a_lapse_is_recorded_once_however_often_it_is_looked_at(ground: Ground) -> None:
    ground.engine.submit(claim("L1"))
    ground.world.clock.advance(600_001)
    for _ in range(10):
        ground.store.snapshot()
    ground.engine.submit(claim("L2", BOB))
    for _ in range(10):
        ground.engine.submit(Renew("L1", ANN))
        ground.engine.submit(claim("L3", ANN))
    lapses = [event for entry in ground.store.read() for event in entry.batch.events if isinstance(event, Lapsed)]
    assert [lapse.lease.lease_id for lapse in lapses] == ["L1"]


@pytest.mark.parametrize(
    "command",
    [
        Release("L9", ANN),
        claim("L2"),
        Acquire("L2", (), ANN, TTL),
        Evict("L1", BOB, ""),
        ClaimNext(Claim(claim("L2"), Quota(0, 0)), ()),
    ],
    ids=["not-found", "yours", "empty", "reason", "no-work"],
)
def test_a_refusal_that_explains_nothing_appends_nothing(ground: Ground, command: ClaimCommand) -> None:
    ground.engine.submit(claim("L1"))
    outcome = ground.engine.submit(command)
    assert isinstance(outcome.answer, Refused)
    assert (outcome.batch_id, outcome.sequence) == ("", 1)
    assert len(ground.batches()) == 1


def test_a_lapse_found_by_a_refused_command_is_appended_without_the_refusal(ground: Ground) -> None:
    ground.engine.submit(claim("L1"))
    ground.world.clock.advance(600_001)
    outcome = ground.engine.submit(Release("L1", ANN))
    assert [type(event) for event in outcome.events] == [Lapsed, Refused]
    assert [type(event) for event in list(ground.store.read())[-1].batch.events] == [Lapsed]


@pytest.mark.parametrize("command", [claim("L2", BOB), Release("L1", BOB)], ids=["denied", "not-owner"])
def test_a_denial_and_a_strangers_attempt_are_on_record(ground: Ground, command: ClaimCommand) -> None:
    ground.engine.submit(claim("L1"))
    outcome = ground.engine.submit(command)
    (entry,) = ground.store.read(after=1)
    assert entry.batch.events == outcome.events
    assert isinstance(outcome.answer, (Denied, Refused))


def test_a_rival_that_comes_first_is_noticed_and_nobody_hears_of_it(ground: Ground) -> None:
    ground.store.let_in(lambda store: Engine(store, FakeWorld(seed=1)).submit(claim("L2", BOB)))
    outcome = ground.engine.submit(claim("L1", ANN))
    assert isinstance(outcome.answer, Denied)
    assert outcome.answer.lease.owner == BOB
    assert len(ground.batches()) == 2


def test_a_rival_on_something_else_does_not_change_the_answer(ground: Ground) -> None:
    for number in range(ATTEMPTS - 1):
        rival = claim(f"R{number}", BOB, f"issue:r{number}")
        ground.store.let_in(lambda store, rival=rival: Engine(store, FakeWorld(seed=1)).submit(rival))  # type: ignore[misc]
    outcome = ground.engine.submit(claim("L1", ANN))
    assert isinstance(outcome.answer, Granted)
    assert (outcome.sequence, outcome.answer.lease.fence) == (ATTEMPTS, ATTEMPTS)


def test_rivals_without_end_are_a_clear_fault_that_changed_nothing(ground: Ground) -> None:
    def rival(store: EventStore) -> None:
        Engine(store, rivals).submit(Beat("L0", BOB))
        ground.store.let_in(rival)

    rivals = FakeWorld(seed=1)
    Engine(ground.store.inner, rivals).submit(claim("L0", BOB, "issue:0"))
    ground.store.let_in(rival)
    with pytest.raises(Unavailable, match="nothing was changed"):
        ground.engine.submit(claim("L1", ANN))
    assert ground.store.snapshot().ledger.holders("issue:1") == ()


def test_a_lost_acknowledgement_is_resolved_by_the_batch_id(ground: Ground) -> None:
    ground.store.lose_ack()
    outcome = ground.engine.submit(claim("L1"))
    assert isinstance(outcome.answer, Granted)
    assert ground.batches() == [outcome.batch_id]


def test_the_memory_stores_own_lost_acknowledgement_is_resolved_too(ground: Ground) -> None:
    store = MemoryStore()
    store.lose_next_ack = True
    outcome = Engine(store, ground.world).submit(claim("L1"))
    assert store.resolve(outcome.batch_id)


def test_a_batch_that_cannot_be_found_again_is_unavailable_and_names_the_batch(ground: Ground) -> None:
    ground.store.lose_batch()
    with pytest.raises(Unavailable) as caught:
        ground.engine.submit(claim("L1"))
    batch_id = str(caught.value.details["batch_id"])
    assert is_ulid(batch_id)
    assert batch_id in caught.value.message
    assert caught.value.hint.endswith(f"jit log --batch {batch_id}")
    assert ground.batches() == []


def test_a_failed_append_reaches_the_caller_and_changes_nothing(ground: Ground) -> None:
    ground.store.fail_append(Unavailable("no space left on the device"))
    with pytest.raises(Unavailable, match="no space left"):
        ground.engine.submit(claim("L1"))
    assert (ground.batches(), len(ground.store.snapshot().ledger)) == ([], 0)
    assert isinstance(ground.engine.submit(claim("L1")).answer, Granted)


def test_only_the_lives_that_matter_are_asked_for_and_recorded(ground: Ground) -> None:
    policy = WhileAlive(60_000, 30_000)
    owners = [Owner(f"agent:{n}", "wt:0000000a", "", ground.world.spawn()) for n in range(3)]
    for number, owner in enumerate(owners):
        ground.engine.submit(Acquire(f"L{number}", (f"file:{number}",), owner, policy))
    dead = owners[1].process
    assert dead is not None
    ground.world.lives[dead] = "dead"
    outcome = ground.engine.submit(Acquire("L9", ("file:0", "file:1"), owners[2], policy))
    evidence = list(ground.store.read())[-1].batch.evidence
    assert dict(evidence.liveness) == {owners[0].process: "alive"} | {dead: "dead"}
    assert isinstance(outcome.answer, Denied)
    ground.engine.submit(Renew("L0", owners[0]))
    assert dict(list(ground.store.read())[-1].batch.evidence.liveness) == {owners[0].process: "alive"}


def test_a_dead_owner_is_reclaimed_at_once_and_an_unknown_one_only_after_its_silence(ground: Ground) -> None:
    policy = WhileAlive(silence_ms=60_000, idle_ms=30_000)
    holders = [Owner(f"agent:{n}", "wt:0000000a", "", ground.world.spawn()) for n in range(2)]
    for number, owner in enumerate(holders):
        ground.engine.submit(Acquire(f"L{number}", (f"file:{number}",), owner, policy))
    for owner, life in zip(holders, ("dead", "unknown"), strict=True):
        assert owner.process is not None
        ground.world.lives[owner.process] = life  # type: ignore[assignment]
    first = [ground.engine.submit(Acquire(f"M{n}", (f"file:{n}",), BOB, policy)).answer for n in range(2)]
    ground.world.clock.advance(60_001)
    later = ground.engine.submit(Acquire("N1", ("file:1",), BOB, policy)).answer
    assert [type(answer) for answer in (*first, later)] == [Granted, Denied, Granted]


@covers("002:time.jump", "L:23")
@pytest.mark.parametrize("jump_ms", [-86_400_000, 86_400_000])
def test_setting_the_wall_clock_by_a_day_neither_ends_nor_prolongs_a_claim(ground: Ground, jump_ms: int) -> None:
    ground.engine.submit(claim("L1"))
    ground.world.clock.set_wall(ground.world.clock.wall_ms + jump_ms)
    ground.world.clock.advance(600_000)
    assert isinstance(ground.engine.submit(claim("L2", BOB)).answer, Denied)
    ground.world.clock.advance(1)
    assert isinstance(ground.engine.submit(claim("L3", BOB)).answer, Granted)


def test_every_batch_decided_again_from_its_evidence_gives_the_batch(ground: Ground) -> None:
    quota = Quota(1, 2)
    endless = Acquire("L2", ("issue:2",), ANN, Indefinite(1000), "by hand")
    commands: list[ClaimCommand] = [
        claim("L1"), claim("X1", BOB), Renew("L1", ANN), Claim(endless, quota), Beat("L2", ANN), Release("L1", BOB),
        ClaimNext(Claim(claim("L3", BOB), quota), ("issue:1", "issue:2", "issue:3")), Evict("L2", BOB, "gone"),
    ]  # fmt: skip
    for command in commands:
        ground.engine.submit(command)
        ground.world.clock.advance(250_000)
    state = Ledger()
    entries = list(ground.store.read())
    assert len(entries) == len(commands)
    for entry in entries:
        batch = entry.batch
        assert recorded(decide(state, batch.command, batch.evidence)) == batch.events
        fold(batch.events, state)
    assert state == ground.store.snapshot().ledger


def test_an_engine_that_works_on_and_on_answers_as_at_the_start(ground: Ground) -> None:
    ground.engine.submit(claim("L1"))
    for _ in range(100):
        ground.world.clock.advance(500_000)
        assert isinstance(ground.engine.submit(Renew("L1", ANN)).answer, Renewed)
