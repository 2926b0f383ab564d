"""Every interleaving of two agents, two resources and four policies, to a small depth.

The search walks from the empty state through everything that can be asked and everything that can happen. Two states
that differ only in the names of leases and in the date are one state. After every step an oracle that knows nothing of
the kernel says whether the answer could be right.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as changed
from typing import TYPE_CHECKING

import pytest

from jit.kernel.commands import Acquire, Beat, Evict, Release, Renew, Transfer
from jit.kernel.decide import decide
from jit.kernel.instant import Instant
from jit.kernel.lease import Evidence, Owner, ProcessRef
from jit.kernel.ledger import Ledger, evolve, fold
from jit.kernel.policy import Indefinite, Revisions, Ttl, WhileAlive
from jit.testing.oracle import Oracle
from tests.traceability import covers

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from jit.kernel.commands import Command
    from jit.kernel.events import Event
    from jit.kernel.lease import Lease
    from jit.kernel.policy import Liveness, Policy

pytestmark = pytest.mark.exhaustive

TICK = 10
POLICIES: tuple[Policy, ...] = (Ttl(TICK), Indefinite(TICK), WhileAlive(silence_ms=TICK, idle_ms=0), Revisions(0))
PROCESSES = tuple(ProcessRef("host", "boot-0", pid, 1, "ns") for pid in (1, 2))
AGENTS = tuple(Owner(f"agent:{n}", f"wt:{n:08x}", "", process) for n, process in enumerate(PROCESSES))
RESOURCES = (("a",), ("b",), ("a", "b"))


@dataclass(frozen=True)
class World:
    """What the agents cannot change."""

    wall_ms: int = 1_000_000
    boot_ms: int = 1_000
    boot: int = 0
    revision: int = 0
    lives: tuple[Liveness, ...] = ("alive", "alive")

    def evidence(self) -> Evidence:
        now = Instant(self.wall_ms, self.boot_ms, f"boot-{self.boot}")
        return Evidence(now, dict(zip(PROCESSES, self.lives, strict=True)), self.revision)


@dataclass(frozen=True)
class Node:
    """One state, with one of the ways to reach it."""

    world: World
    ledger: Ledger
    oracle: Oracle
    history: tuple[Event, ...]


def search(policies: tuple[Policy, ...], depth: int) -> int:
    """Walk through every state up to `depth` steps away. Answers with the number of steps taken."""
    start = Node(World(), Ledger(), Oracle(), ())
    seen, layer, steps = {key(start)}, [start], 0
    for _ in range(depth):
        reached: list[Node] = []
        for node in layer:
            for after in successors(node, policies):
                steps += 1
                name = key(after)
                if name not in seen:
                    assert fold(after.history) == after.ledger, "the fold of the history is another state"
                    seen.add(name)
                    reached.append(after)
        layer = reached
    return steps


def successors(node: Node, policies: tuple[Policy, ...]) -> Iterator[Node]:
    evidence = node.world.evidence()
    for command in commands(node.ledger, policies):
        yield ask(node, command, evidence)
    for world in happenings(node.world):
        yield changed(node, world=world)


def commands(ledger: Ledger, policies: tuple[Policy, ...]) -> Iterator[Command]:
    names = [f"L{n}" for n in range(len(ledger) + 1) if f"L{n}" not in ledger.active]
    fresh = names[0]
    for agent in AGENTS:
        other = AGENTS[1 - AGENTS.index(agent)]
        for policy in policies:
            yield from (Acquire(fresh, resources, agent, policy) for resources in RESOURCES)
        for lease in ledger:
            yield Renew(lease.lease_id, agent)
            yield from (Beat(lease.lease_id, agent, stopped) for stopped in (False, True))
            yield Release(lease.lease_id, agent)
            yield Transfer(lease.lease_id, agent, other, fresh, "ill")
            yield Evict(lease.lease_id, agent, "gone")


def happenings(world: World) -> Iterator[World]:
    for ticks in (TICK, TICK + 1):
        yield changed(world, wall_ms=world.wall_ms + ticks, boot_ms=world.boot_ms + ticks)
    yield changed(world, wall_ms=world.wall_ms - 5 * TICK)
    yield changed(world, boot=world.boot + 1, boot_ms=0, lives=("dead", "dead"))
    yield changed(world, revision=world.revision + 1)
    for life in ("dead", "unknown"):
        yield changed(world, lives=(life, world.lives[1]))


def ask(node: Node, command: Command, evidence: Evidence) -> Node:
    """One step, judged."""
    events = decide(node.ledger, command, evidence)
    assert decide(node.ledger, command, evidence) == events, "decided again, it is another answer"
    oracle, ledger = node.oracle.copy(), node.ledger.copy()
    oracle.watch(events, evidence)
    for event in events:
        evolve(ledger, event)
    assert dict(ledger.active) == oracle.held
    for resource in "ab":
        assert len(oracle.live_holders(resource, evidence)) <= 1
        assert [lease for lease in oracle.held.values() if resource in lease.resources] == list(
            ledger.holders(resource)
        )
    return Node(node.world, ledger, oracle, node.history + events)


def key(node: Node) -> Hashable:
    """Everything that a decision may depend on, without dates and names."""
    evidence, world = node.world.evidence(), node.world
    leases = [describe(lease, evidence, world) for lease in node.ledger]
    return world.lives, tuple(sorted(leases, key=repr))


def describe(lease: Lease, evidence: Evidence, world: World) -> tuple[Hashable, ...]:
    ages = (age(lease.renewed, evidence.now), age(lease.beat, evidence.now))
    behind = min(world.revision - (lease.acquired_rev or 0), 2)
    return lease.resources, AGENTS.index(lease.owner), lease.policy, ages, lease.stopped, behind


def age(since: Instant, now: Instant) -> tuple[bool, int, int]:
    """How far away by either clock; beyond two ticks nothing changes any more."""
    bound = 3 * TICK
    wall, boot = now.wall_ms - since.wall_ms, now.boot_ms - since.boot_ms
    return since.boot_id == now.boot_id, max(-bound, min(bound, wall)), max(-bound, min(bound, boot))


@covers("002:inv1", "002:AC3")
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: type(policy).__name__)
def test_no_interleaving_under_one_policy_breaks_an_invariant(policy: Policy) -> None:
    assert search((policy,), depth=5) > 50_000


@covers("002:inv1")
def test_no_interleaving_of_all_policies_breaks_an_invariant() -> None:
    assert search(POLICIES, depth=4) > 100_000
