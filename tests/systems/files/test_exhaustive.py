"""Every interleaving of two owners and two files to a small depth: what is told is what the contract says.

Two states that differ only in names and dates are one state. After every step the leases are compared with the model's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from jit.kernel.events import Denied, Refused
from jit.kernel.instant import Instant
from jit.kernel.lease import Evidence, Owner, ProcessRef
from jit.kernel.ledger import Ledger, evolve
from jit.kernel.policy import WhileAlive
from jit.systems.files.commands import Committed, End, Resume, Stop, Target, Touch
from jit.systems.files.concern import concerned
from jit.systems.files.decide import decide
from tests.systems.files.model import IDLE_MS, RETRY_MS, SILENCE_MS, Model
from tests.traceability import covers

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from jit.systems.files.commands import FileCommand, Rule

pytestmark = pytest.mark.exhaustive

NAMES = (("a", ""), ("b", ""))
OWNERS = tuple(
    Owner(f"agent:{name}", "", f"{name}/{sub}", ProcessRef("host", "boot", number, number, "ns"))
    for number, (name, sub) in enumerate(NAMES)
)
CHOICES = (("one",), ("two",), ("one", "two"))
PREFIX = "file:wt:00000001/"


@dataclass(frozen=True)
class Node:
    """One state, with one of the ways to reach it."""

    ledger: Ledger
    model: Model
    steps: int = 0


def search(rule: Rule, depth: int) -> int:
    """Walk through every state up to `depth` steps away. Answers with the number of steps taken."""
    start = Node(Ledger(), Model(lives={0: "alive", 1: "alive"}))
    met, layer, count = {key(start.model)}, [start], 0
    for _ in range(depth):
        reached: list[Node] = []
        for node in layer:
            for after in successors(node, rule):
                count += 1
                name = key(after.model)
                if name not in met:
                    met.add(name)
                    reached.append(after)
        layer = reached
    return count


def successors(node: Node, rule: Rule) -> Iterator[Node]:
    for number, owner in enumerate(OWNERS):
        for chosen in CHOICES:
            targets = tuple(Target(PREFIX + path, rule) for path in chosen)
            ids = tuple(f"L{node.steps}.{path}" for path in chosen)
            after, told = ask(node, Touch(owner, targets, ids, WhileAlive(SILENCE_MS, IDLE_MS), RETRY_MS))
            assert told == after.model.touch(NAMES[number], number, chosen, rule, fresh=False)
            yield agreed(after)
        yield agreed(told_nothing(node, Stop(owner), lambda model, who=NAMES[number]: model.stop(who)))
        failed = Stop(owner, failed=True)
        yield agreed(told_nothing(node, failed, lambda model, who=NAMES[number]: model.stop(who, failed=True)))
        end = End(owner, "done", whole_session=True)
        yield agreed(told_nothing(node, end, lambda model, who=NAMES[number]: model.end(who, whole=True)))
        commit = Committed(owner, (PREFIX + "one",))
        yield agreed(told_nothing(node, commit, lambda model, who=NAMES[number]: model.commit(who, "one")))
    for who, path in node.model.waits:
        (wait,) = [x for x in node.ledger.holders(f"waiting:{PREFIX}{path}") if x.owner.session == "/".join(who)]
        resume = Resume(wait.lease_id, OWNERS[0], "go on")
        yield agreed(told_nothing(node, resume, lambda model, who=who, path=path: model.resume(who, path)))
    yield from happenings(node)


def happenings(node: Node) -> Iterator[Node]:
    for ms in (IDLE_MS + 1, RETRY_MS - IDLE_MS - 1):
        model = node.model.copy()
        model.now += ms
        yield Node(node.ledger, model, node.steps + 1)
    for life in ("dead", "unknown"):
        model = node.model.copy()
        model.lives[0] = life
        yield Node(node.ledger, model, node.steps + 1)
    if "one" in node.model.held:
        model = node.model.copy()
        model.contents["one"] = "changed"
        yield Node(node.ledger, model, node.steps + 1)


def told_nothing(node: Node, command: FileCommand, happens: object) -> Node:
    after, told = ask(node, command)
    assert told == ""
    happens(after.model)  # type: ignore[operator]
    return after


def ask(node: Node, command: FileCommand) -> tuple[Node, str]:
    """One step; the answer must not depend on having been asked before."""
    model, ledger = node.model.copy(), node.ledger.copy()
    leases, resources = concerned(ledger, command)
    lives = {x.owner.process: model.lives[x.owner.process.pid] for x in leases if x.owner.process is not None}
    content = {name: model.contents.get(name.removeprefix(PREFIX), "") for name in resources}
    evidence = Evidence(Instant(model.now, model.now, "boot"), lives, None, content)  # type: ignore[arg-type]
    events = decide(ledger, command, evidence)
    assert decide(ledger, command, evidence) == events
    for event in events:
        evolve(ledger, event)
    last = events[-1] if events else None
    told = "held" if isinstance(last, Denied) else last.code if isinstance(last, Refused) else ""
    return Node(ledger, model, node.steps + 1), told


def agreed(node: Node) -> Node:
    """The same holders and the same waits, and never two on one file."""
    files = [lease for lease in node.ledger if lease.resources[0].startswith(PREFIX)]
    assert len({lease.resources[0] for lease in files}) == len(files)
    held = {PREFIX + path: "/".join(hold.who) for path, hold in node.model.held.items()}
    assert {lease.resources[0]: lease.owner.session for lease in files} == held
    waits = {(x.owner.session, x.resources[1]) for x in node.ledger if x.resources[0].startswith("wait:")}
    assert waits == {("/".join(who), f"waiting:{PREFIX}{path}") for who, path in node.model.waits}
    return node


def key(model: Model) -> Hashable:
    """Everything that an answer may depend on, as seen from now and by the order of the grants."""
    order = sorted({*(hold.grant for hold in model.held.values()), *(wait.place for wait in model.waits.values())})
    held = [
        (path, hold.who, hold.before, age(model, hold.beat), hold.stopped, hold.idle_ms, order.index(hold.grant))
        for path, hold in sorted(model.held.items())
    ]
    waits = [
        (
            name,
            wait.phase,
            min(0, model.now - wait.due),
            wait.known,
            age(model, wait.beat),
            current(model, name),
            None if wait.turn is None else min(0, model.now - wait.turn),
        )
        for name, wait in sorted(model.waits.items())
    ]
    queue = tuple(name for name in sorted(model.waits, key=lambda name: model.waits[name].place))
    seen, contents, lives = sorted(model.seen.items()), sorted(model.contents.items()), sorted(model.lives.items())
    return tuple(held), tuple(waits), queue, tuple(seen), tuple(contents), tuple(lives)


def age(model: Model, since: int) -> int:
    return min(model.now - since, 2 * SILENCE_MS)


def current(model: Model, name: tuple[tuple[str, str], str]) -> bool:
    hold = model.held.get(name[1])
    return hold is not None and hold.grant == model.waits[name].grant


@covers("000:FR2.1", "000:S1", "000:S3", "001:DoD1")
@pytest.mark.parametrize(("rule", "depth"), [("retry-then-halt", 5), ("queue", 5), ("fail-fast", 6)])
def test_no_interleaving_is_answered_otherwise_than_the_contract_says(rule: Rule, depth: int) -> None:
    assert search(rule, depth) > 10_000
