"""Seeded days in the life of a repository: agents, issues, clocks that jump, machines that restart, processes that die.

Every step is one thing that can happen. After every step the store is judged: by an oracle of its own, by folding the
history again, and by deciding every batch again. A failure names its seed, and the same seed fails in the same way.

    world = FakeWorld(seed=7)
    Simulator(FaultyStore(MemoryStore()), world, seed=7).run(steps=500)
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

from jit.engine import Engine
from jit.errors import Unavailable
from jit.kernel.commands import Acquire, Beat, Evict, Release, Renew, Transfer
from jit.kernel.events import recorded
from jit.kernel.lease import Evidence, Lease, Owner
from jit.kernel.ledger import Ledger, evolve
from jit.kernel.policy import Indefinite, Ttl, WhileAlive
from jit.kernel.record import replace
from jit.systems.claims.decide import Claim, ClaimNext, Quota
from jit.systems.decide import decide
from jit.testing.fakes import DAY_MS, FakeWorld, FaultyStore
from jit.testing.oracle import Oracle

if TYPE_CHECKING:
    from collections.abc import Callable

    from jit.kernel.policy import Policy
    from jit.store.api import EventStore, Recorded
    from jit.systems.claims.decide import ClaimCommand

POLICIES: tuple[Policy, ...] = (Ttl(60_000), Indefinite(120_000), WhileAlive(90_000, 30_000))
PAUSES_MS = (0, 1, 29_999, 30_000, 30_001, 60_000, 60_001, 90_001, 120_001)
QUOTA = Quota(per_agent=2, per_repo=3)
SHOWN = 12


class Simulator:
    """Agents that ask at random, and a world that gets in their way.

    `reopen` gives the store anew after a restart of the machine, which no open file outlives.
    """

    def __init__(
        self,
        store: EventStore,
        world: FakeWorld,
        *,
        seed: int,
        agents: int = 3,
        issues: int = 4,
        reopen: Callable[[], EventStore] | None = None,
    ) -> None:
        self.store = store
        self.world = world
        self.reopen = reopen
        self.seed = seed
        self.random = Random(seed)
        # Every second one is the same agent in another worktree, which makes it another owner.
        self.owners = [Owner(f"agent:{n // 2}", f"wt:{n:08x}", "", world.spawn()) for n in range(agents)]
        self.issues = tuple(f"issue:{n}" for n in range(issues))
        self.files = ("file:a", "file:b")
        self.engine = Engine(store, world)
        self.judge = Judge(store, world)
        self.diary: list[str] = []
        self.tally: Counter[str] = Counter()

    def run(self, steps: int) -> Counter[str]:
        """Live through `steps` steps. Answers with how often each thing happened."""
        for step in range(steps):
            happening = self.random.choice(self._happenings())
            try:
                happening()
                self.judge.look()
            except AssertionError as fault:
                story = "\n  ".join(self.diary[-SHOWN:])
                raise AssertionError(f"seed {self.seed}, step {step}: {fault}\nlast happenings:\n  {story}") from fault
        return self.tally

    def _happenings(self) -> list[Callable[[], None]]:
        usual = [self._ask] * 12 + [self._pass_time] * 5
        rare = [self._set_wall, self._reboot, self._die, self._vanish, self._start_again]
        faults = [self._lose_ack, self._lose_batch, self._meet_rival] if isinstance(self.store, FaultyStore) else []
        return [*usual, *rare, *faults]

    def _ask(self) -> None:
        command = self._command()
        try:
            outcome = self.engine.submit(command)
        except Unavailable as fault:
            self._note("Unavailable", command)
            self.judge.expect_absent(str(fault.details["batch_id"]))
        else:
            self._note(type(outcome.answer).__name__, command)
            self.judge.expect_kept(outcome.batch_id)

    def _command(self) -> ClaimCommand:
        owner = self.random.choice(self.owners)
        lease = self._any_lease()
        if lease is None or self.random.random() < 0.4:
            return self._acquire(owner)
        if self.random.random() < 0.7:
            owner = replace(lease.owner, process=owner.process)
        return self._about(lease.lease_id, owner)

    def _acquire(self, owner: Owner) -> ClaimCommand:
        policy = self.random.choice(POLICIES)
        reason = self.random.choice(("", "by hand"))
        issues = tuple(self.random.sample(self.issues, len(self.issues)))
        acquire = Acquire(self._id(), issues[:1], owner, policy, reason)
        files = tuple(self.random.sample(self.files, self.random.randint(1, len(self.files))))
        several = replace(acquire, resources=files, again=self.random.choice(("refuse", "renew")))
        claim = Claim(replace(acquire, policy=self.random.choice(POLICIES[:2])), QUOTA)
        return self.random.choice((several, claim, ClaimNext(claim, issues)))

    def _about(self, lease_id: str, owner: Owner) -> ClaimCommand:
        choices: tuple[ClaimCommand, ...] = (
            Renew(lease_id, owner, self.random.choice((None, *POLICIES))),
            Beat(lease_id, owner, stopped=self.random.random() < 0.5),
            Release(lease_id, owner, "done"),
            Transfer(lease_id, owner, self.random.choice(self.owners), self._id(), "handed over"),
            Evict(lease_id, owner, self.random.choice(("", "in the way"))),
            Release(self._id(), owner),
        )
        return self.random.choice(choices)

    def _any_lease(self) -> Lease | None:
        held = list(self.judge.oracle.held.values())
        return self.random.choice(held) if held else None

    def _id(self) -> str:
        return self.world.ulid(self.world.now().wall_ms)

    def _pass_time(self) -> None:
        pause_ms = self.random.choice(PAUSES_MS)
        self.world.clock.advance(pause_ms)
        self._note("pause", f"{pause_ms} ms")

    def _set_wall(self) -> None:
        jump_ms = self.random.choice((-DAY_MS, DAY_MS))
        self.world.clock.set_wall(self.world.clock.wall_ms + jump_ms)
        self._note("wall clock set", f"by {jump_ms} ms")

    def _reboot(self) -> None:
        self.world.reboot(away_ms=self.random.choice(PAUSES_MS))
        if self.reopen is not None:
            self.store = self.judge.store = self.reopen()
            self.engine = Engine(self.store, self.world)
        self._note("reboot")

    def _die(self) -> None:
        process = self.random.choice(list(self.world.lives))
        self.world.lives[process] = "dead"
        self._note("death", process)

    def _vanish(self) -> None:
        process = self.random.choice(list(self.world.lives))
        if self.world.lives[process] == "alive":
            self.world.lives[process] = "unknown"
        self._note("out of sight", process)

    def _start_again(self) -> None:
        number = self.random.randrange(len(self.owners))
        self.owners[number] = replace(self.owners[number], process=self.world.spawn())
        self._note("start", self.owners[number])

    def _lose_ack(self) -> None:
        self._faulty().lose_ack()
        self._note("acknowledgement to be lost")

    def _lose_batch(self) -> None:
        self._faulty().lose_batch()
        self._note("batch to be lost")

    def _meet_rival(self) -> None:
        command = self._command()
        self._faulty().let_in(lambda store: Engine(store, self.world).submit(command))
        self._note("rival to come first", command)

    def _faulty(self) -> FaultyStore:
        assert isinstance(self.store, FaultyStore)
        return self.store

    def _note(self, happening: str, about: object = "") -> None:
        self.diary.append(f"{happening}: {about}" if about else happening)
        self.tally[happening] += 1


class Judge:
    """Looks at what is new in the history, and then at the whole state."""

    def __init__(self, store: EventStore, world: FakeWorld) -> None:
        self.store = store
        self.world = world
        self.oracle = Oracle()
        self.ledger = Ledger()
        self.sequence = 0

    def look(self) -> None:
        for entry in self.store.read(self.sequence):
            self._weigh(entry)
        snapshot = self.store.snapshot()
        assert snapshot.sequence == self.sequence, "the snapshot is at another sequence than the history"
        assert snapshot.ledger == self.ledger, "the snapshot is not the fold of the history"
        assert dict(snapshot.ledger.active) == self.oracle.held, "the oracle has other leases"
        evidence = Evidence(self.world.now(), dict(self.world.lives))
        resources = {resource for lease in self.oracle.held.values() for resource in lease.resources}
        crowded = [name for name in resources if len(self.oracle.live_holders(name, evidence)) > 1]
        assert not crowded, f"more than one live lease on {crowded}"

    def expect_kept(self, batch_id: str) -> None:
        kept = not batch_id or self.store.resolve(batch_id)
        assert kept, f"batch {batch_id} was acknowledged and is lost"

    def expect_absent(self, batch_id: str) -> None:
        assert not self.store.resolve(batch_id), f"batch {batch_id} is there and was called unavailable"

    def _weigh(self, entry: Recorded) -> None:
        batch = entry.batch
        assert entry.first == self.sequence + 1, f"sequence {entry.first} follows {self.sequence}"
        assert entry.last == self.sequence + len(batch.events), "a batch has as many sequences as events"
        assert batch.evidence.now == self.world.now(), "the evidence has another time than the world"
        lives = {process: self.world.liveness(process) for process in batch.evidence.liveness}
        assert dict(batch.evidence.liveness) == lives, "the evidence has other lives than the world"
        self.oracle.watch(batch.events, batch.evidence)
        again = recorded(decide(self.ledger, batch.command, batch.evidence))
        assert again == batch.events, f"decided again, batch {batch.batch_id} is {again}"
        for event in batch.events:
            evolve(self.ledger, event)
        self.sequence = entry.last
