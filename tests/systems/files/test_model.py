"""Can any sequence of attempts, pauses, deaths, commits and operators make the gate say what it ought not to?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from jit.engine import Engine
from jit.kernel.events import Denied, Refused, recorded
from jit.kernel.lease import Owner
from jit.kernel.ledger import Ledger, evolve
from jit.kernel.policy import WhileAlive
from jit.kernel.record import replace
from jit.store.codec import decode_batch, decode_line, encode_batch
from jit.store.memory import MemoryStore
from jit.systems.decide import decide
from jit.systems.files.commands import Committed, End, Free, Resume, Stop, Target, Touch
from jit.testing import DAY_MS, FakeWorld
from tests.systems.files.model import IDLE_MS, RETRY_MS, SILENCE_MS, Model
from tests.traceability import covers

if TYPE_CHECKING:
    from jit.kernel.events import Event
    from jit.systems.files.commands import FileCommand, Rule

NAMES = (("a", ""), ("a", "sub"), ("b", ""), ("c", ""))
RULES: dict[str, Rule] = {"one": "retry-then-halt", "two": "retry-then-halt", "line": "queue", "fast": "fail-fast"}
PREFIX = "file:wt:00000001/"

agents = st.integers(0, len(NAMES) - 1)
paths = st.sampled_from((("one",), ("two",), ("one", "two"), ("line",), ("fast",)))
pauses = st.sampled_from((1, IDLE_MS, IDLE_MS + 1, SILENCE_MS, SILENCE_MS + 1, RETRY_MS - 1, RETRY_MS))


class Gate(RuleBasedStateMachine):
    """Four owners of three sessions, an engine over a memory store, and the model."""

    def __init__(self) -> None:
        super().__init__()
        self.world = FakeWorld()
        self.store = MemoryStore()
        self.engine = Engine(self.store, self.world)
        self.model = Model()
        self.owners = [Owner(f"agent:{session}", "", f"{session}/{sub}") for session, sub in NAMES]
        for number in range(len(NAMES)):
            self.start(number)

    @rule(agent=agents, chosen=paths, fresh=st.booleans())
    def touch(self, agent: int, chosen: tuple[str, ...], *, fresh: bool) -> None:
        owner = self.owners[agent]
        targets = tuple(Target(PREFIX + path, RULES[path], fresh) for path in chosen)
        ids = tuple(self.world.ulid(self.world.now().wall_ms) for _ in chosen)
        told = self.submit(Touch(owner, targets, ids, WhileAlive(SILENCE_MS, IDLE_MS), RETRY_MS, "Edit", "main"))
        expected = self.model.touch(NAMES[agent], self.pid(agent), chosen, RULES[chosen[0]], fresh=fresh)
        assert told == expected

    @rule(agent=agents, failed=st.booleans())
    def stop(self, agent: int, *, failed: bool) -> None:
        self.submit(Stop(self.owners[agent], failed=failed))
        self.model.stop(NAMES[agent], failed=failed)

    @rule(agent=agents, whole=st.booleans())
    def end(self, agent: int, *, whole: bool) -> None:
        self.submit(End(self.owners[agent], "done", whole))
        self.model.end(NAMES[agent], whole=whole)

    @rule(agent=agents, path=st.sampled_from(sorted(RULES)))
    def commit(self, agent: int, path: str) -> None:
        self.submit(Committed(self.owners[agent], (PREFIX + path,)))
        self.model.commit(NAMES[agent], path)

    @precondition(lambda self: self.model.held)
    @rule(data=st.data(), forced=st.booleans())
    def free(self, data: st.DataObject, *, forced: bool) -> None:
        path = data.draw(st.sampled_from(sorted(self.model.held)))
        (lease,) = self.store.snapshot().ledger.holders(PREFIX + path)
        self.submit(Free(lease.lease_id, self.owners[2] if forced else lease.owner, "because", forced))
        self.model.free(path)

    @precondition(lambda self: self.model.waits)
    @rule(data=st.data())
    def resume(self, data: st.DataObject) -> None:
        who, path = data.draw(st.sampled_from(sorted(self.model.waits)))
        name = f"waiting:{PREFIX}{path}"
        found = [x for x in self.store.snapshot().ledger if name in x.resources and session_of(x.owner) == who]
        self.submit(Resume(found[0].lease_id, self.owners[0], "go on"))
        self.model.resume(who, path)

    @precondition(lambda self: self.model.held)
    @rule(data=st.data(), text=st.sampled_from("xyz"))
    def change_a_file_that_one_holds(self, data: st.DataObject, text: str) -> None:
        path = data.draw(st.sampled_from(sorted(self.model.held)))
        self.model.contents[path] = self.world.contents[PREFIX + path] = text

    @rule(ms=pauses)
    def pass_time(self, ms: int) -> None:
        self.world.clock.advance(ms)
        self.model.now += ms

    @rule(jump_ms=st.sampled_from((-DAY_MS, DAY_MS)))
    def set_the_wall_clock(self, jump_ms: int) -> None:
        self.world.clock.set_wall(self.world.clock.wall_ms + jump_ms)

    @rule(agent=agents, life=st.sampled_from(("dead", "unknown")))
    def lose_a_process(self, agent: int, life: str) -> None:
        process = self.owners[agent].process
        assert process is not None
        if self.model.lives[process.pid] != "dead":
            self.model.lives[process.pid] = life
            self.world.lives[process] = life  # type: ignore[assignment]

    @rule(agent=agents)
    def start(self, agent: int) -> None:
        process = self.world.spawn()
        self.owners[agent] = replace(self.owners[agent], process=process)
        self.model.lives[process.pid] = "alive"

    @invariant()
    def the_model_has_the_same_holders(self) -> None:
        leases = [lease for lease in self.store.snapshot().ledger if lease.resources[0].startswith(PREFIX)]
        names = [lease.resources[0] for lease in leases]
        assert len(names) == len(set(names)), "two leases on one file"
        mine = {PREFIX + path: hold.who for path, hold in self.model.held.items()}
        assert {lease.resources[0]: session_of(lease.owner) for lease in leases} == mine

    @invariant()
    def the_model_has_the_same_waits(self) -> None:
        waits = [lease for lease in self.store.snapshot().ledger if lease.resources[0].startswith("wait:")]
        found = {(session_of(x.owner), x.resources[1].rpartition("/")[2]): json.loads(x.note) for x in waits}
        assert {key: note["phase"] for key, note in found.items()} == {k: w.phase for k, w in self.model.waits.items()}
        begun = self.world.clock.boot_ms - self.model.now
        timed = {key: note["due"][1] - begun for key, note in found.items() if note["phase"] in ("waiting", "blocked")}
        assert timed == {key: wait.due for key, wait in self.model.waits.items() if key in timed}

    def teardown(self) -> None:
        """Every batch comes back from its lines as it was, and decided anew it is the same."""
        ledger, fences = Ledger(), 0
        for entry in self.store.read():
            batch = entry.batch
            lines = [decode_line(line.rstrip(b"\n")) for line in encode_batch(batch, entry.first)]
            assert decode_batch(lines) == batch
            assert recorded(decide(ledger, batch.command, batch.evidence)) == batch.events
            for event in batch.events:
                evolve(ledger, event)
                if type(event).__name__ == "Granted":
                    assert event.lease.fence == fences + 1  # type: ignore[union-attr]
                    fences += 1
        assert ledger == self.store.snapshot().ledger

    def submit(self, command: FileCommand) -> str:
        events: tuple[Event, ...] = self.engine.submit(command).events
        last = events[-1] if events else None
        return "held" if isinstance(last, Denied) else last.code if isinstance(last, Refused) else ""

    def pid(self, agent: int) -> int:
        process = self.owners[agent].process
        assert process is not None
        return process.pid


def session_of(owner: Owner) -> tuple[str, str]:
    session, _, sub = owner.session.partition("/")
    return session, sub


TestGate = pytest.mark.model(covers("000:FR2.1", "000:C3", "001:P4.X", "001:DoD1")(Gate.TestCase))
TestGate.settings = settings(max_examples=200, stateful_step_count=50)
