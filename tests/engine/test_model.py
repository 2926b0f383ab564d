"""Can any sequence of commands, clock jumps, restarts, deaths, rivals and lost answers break an invariant?"""

from __future__ import annotations

from dataclasses import replace as changed
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from jit.engine import Engine
from jit.errors import Unavailable
from jit.kernel.commands import Acquire, Beat, Evict, Release, Renew, Transfer
from jit.kernel.events import Denied, Granted, Refused, Transferred
from jit.kernel.lease import Owner
from jit.kernel.policy import Indefinite, Ttl, WhileAlive
from jit.kernel.record import replace
from jit.store.memory import MemoryStore
from jit.systems.claims.decide import Claim, ClaimNext, Quota
from jit.testing import DAY_MS, FakeWorld, FaultyStore
from jit.testing.simulator import Judge
from tests.engine.model import Model, Moment
from tests.traceability import covers

if TYPE_CHECKING:
    from jit.kernel.events import Event
    from jit.kernel.policy import Policy
    from jit.systems.claims.decide import ClaimCommand

ISSUES = ("issue:1", "issue:2", "issue:3")
FILES = ("file:a", "file:b")
POLICIES: tuple[Policy, ...] = (Ttl(100), Indefinite(100), WhileAlive(silence_ms=60, idle_ms=20))
QUOTA = Quota(per_agent=1, per_repo=2)

agents = st.integers(0, 2)
picks = st.integers(0, 5)
policies = st.sampled_from(POLICIES)
claim_policies = st.sampled_from(POLICIES[:2])
pauses = st.sampled_from((1, 19, 20, 21, 40, 60, 61, 99, 100, 101, 1000))
reasons = st.sampled_from(("", "by hand"))


class Agents(RuleBasedStateMachine):
    """Three agents of two names, an engine over a store that fails on order, and a model of plain dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self.world = FakeWorld()
        self.store = FaultyStore(MemoryStore())
        self.engine = Engine(self.store, self.world)
        self.judge = Judge(self.store, self.world)
        self.model = Model(Moment(0, self.world.clock.wall_ms, 0))
        worktrees = ("wt:00000001", "wt:00000002", "wt:00000001")
        names = ("agent:a", "agent:a", "agent:b")
        self.owners = [Owner(n, w, "", self.world.spawn()) for n, w in zip(names, worktrees, strict=True)]
        self.model.lives = dict(self.world.lives)
        self.ids: list[str] = ["01" + "0" * 24]
        self.acknowledged: list[str] = []
        self.batch_will_be_lost = False

    @rule(agent=agents, first=st.booleans(), count=st.integers(1, 2), policy=policies, again=st.booleans())
    def acquire_files(self, agent: int, count: int, policy: Policy, *, first: bool, again: bool) -> None:
        resources = FILES[:count] if first else FILES[-count:]
        how = "renew" if again else "refuse"
        self.submit(Acquire(self.new_id(), resources, self.owners[agent], policy, again=how))

    @rule(agent=agents, issue=st.sampled_from(ISSUES), policy=claim_policies, reason=reasons)
    def claim(self, agent: int, issue: str, policy: Policy, reason: str) -> None:
        self.submit(Claim(Acquire(self.new_id(), (issue,), self.owners[agent], policy, reason), QUOTA))

    @rule(agent=agents, order=st.permutations(ISSUES), policy=claim_policies, per_agent=st.integers(0, 1))
    def claim_next(self, agent: int, order: list[str], policy: Policy, per_agent: int) -> None:
        acquire = Acquire(self.new_id(), ISSUES[:1], self.owners[agent], policy, "by hand")
        self.submit(ClaimNext(Claim(acquire, replace(QUOTA, per_agent=per_agent)), tuple(order)))

    @rule(agent=agents, pick=picks, policy=st.none() | policies)
    def renew(self, agent: int, pick: int, policy: Policy | None) -> None:
        lease_id = self.some_id(pick)
        held = self.model.held.get(lease_id)
        if held and held.resources[0] in ISSUES and isinstance(policy, WhileAlive):
            policy = None  # a claim ends by time, so nobody looks for the process behind it
        self.submit(Renew(lease_id, self.owners[agent], policy))

    @rule(agent=agents, pick=picks, stopped=st.booleans())
    def beat(self, agent: int, pick: int, *, stopped: bool) -> None:
        self.submit(Beat(self.some_id(pick), self.owners[agent], stopped))

    @rule(agent=agents, pick=picks)
    def release(self, agent: int, pick: int) -> None:
        self.submit(Release(self.some_id(pick), self.owners[agent], "done"))

    @rule(agent=agents, pick=picks, to=agents)
    def transfer(self, agent: int, pick: int, to: int) -> None:
        self.submit(Transfer(self.some_id(pick), self.owners[agent], self.owners[to], self.new_id(), "ill"))

    @rule(agent=agents, pick=picks, reason=reasons)
    def evict(self, agent: int, pick: int, reason: str) -> None:
        self.submit(Evict(self.some_id(pick), self.owners[agent], reason))

    @rule(ms=pauses)
    def pass_time(self, ms: int) -> None:
        self.world.clock.advance(ms)
        now = self.model.now
        self.model.now = changed(now, true_ms=now.true_ms + ms, wall_ms=now.wall_ms + ms)

    @rule(jump_ms=st.sampled_from((-DAY_MS, DAY_MS, -50, 50)))
    def set_the_wall_clock(self, jump_ms: int) -> None:
        self.world.clock.set_wall(self.world.clock.wall_ms + jump_ms)
        self.model.now = changed(self.model.now, wall_ms=self.model.now.wall_ms + jump_ms)

    @rule(away_ms=st.sampled_from((0, 50, 150)))
    def restart_the_machine(self, away_ms: int) -> None:
        self.world.reboot(away_ms=away_ms)
        now = self.model.now
        self.model.now = Moment(now.true_ms + away_ms, now.wall_ms + away_ms, now.boot + 1)
        self.model.lives = dict.fromkeys(self.model.lives, "dead")

    @rule(agent=agents, life=st.sampled_from(("dead", "unknown")))
    def lose_a_process(self, agent: int, life: str) -> None:
        process = self.owners[agent].process
        if process is not None and self.model.lives[process] != "dead":
            self.world.lives[process] = self.model.lives[process] = life  # type: ignore[assignment]

    @rule(agent=agents)
    def start_a_process(self, agent: int) -> None:
        process = self.world.spawn()
        self.owners[agent] = replace(self.owners[agent], process=process)
        self.model.lives[process] = "alive"

    @rule()
    def lose_the_next_acknowledgement(self) -> None:
        self.store.lose_ack()

    @precondition(lambda self: not self.batch_will_be_lost)
    @rule()
    def lose_the_next_batch(self) -> None:
        self.store.lose_batch()
        self.batch_will_be_lost = True

    @rule(agent=agents, resources=st.sampled_from((FILES[:1], FILES, ISSUES[:1])))
    def let_a_rival_come_first(self, agent: int, resources: tuple[str, ...]) -> None:
        command = Acquire(self.new_id(), resources, self.owners[agent], Ttl(100))
        self.store.let_in(lambda inner: self.compare(command, Engine(inner, self.world).submit(command).events))

    @invariant()
    def the_judge_agrees(self) -> None:
        self.judge.look()

    @invariant()
    def the_model_agrees(self) -> None:
        ledger = self.store.snapshot().ledger
        mine = {name: (held.resources, held.owner, held.fence) for name, held in self.model.held.items()}
        assert {lease.lease_id: (lease.resources, lease.owner, lease.fence) for lease in ledger} == mine
        assert ledger.fence == self.model.fence

    def teardown(self) -> None:
        stored = [entry.batch.batch_id for entry in self.store.read()]
        assert set(self.acknowledged) <= set(stored), "an acknowledged batch is lost"
        assert len(set(stored)) == len(stored), "a batch was stored twice"

    def submit(self, command: ClaimCommand) -> None:
        try:
            outcome = self.engine.submit(command)
        except Unavailable:
            assert self.batch_will_be_lost, "unavailable, and nothing was lost"
            self.batch_will_be_lost = False
            return
        self.compare(command, outcome.events)
        if outcome.batch_id:
            self.acknowledged.append(outcome.batch_id)

    def compare(self, command: ClaimCommand, events: tuple[Event, ...]) -> None:
        assert [word(event) for event in events] == self.model.expect(command)

    def new_id(self) -> str:
        self.ids.append(self.world.ulid(self.world.now().wall_ms))
        return self.ids[-1]

    def some_id(self, pick: int) -> str:
        """An active lease where there is one, or else the latest name that was given to anything."""
        active = list(self.model.held)
        return active[pick % len(active)] if active and pick < 5 else self.ids[-1]


def word(event: Event) -> str:
    if isinstance(event, Refused):
        return f"refused {event.code}"
    assert not isinstance(event, (Granted, Transferred, Denied)) or event.lease is not None
    return f"{type(event).__name__.lower()} {event.lease.lease_id}"


TestAgents = pytest.mark.model(covers("002:inv1", "002:inv2")(Agents.TestCase))
TestAgents.settings = settings(max_examples=600, stateful_step_count=50)
