"""File commands in the log: each comes back as it was, and the history decided anew is the history."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jit.engine import Engine
from jit.kernel.instant import Instant
from jit.kernel.lease import Evidence, Owner, ProcessRef
from jit.kernel.ledger import Ledger
from jit.kernel.policy import WhileAlive
from jit.store.api import Batch
from jit.store.codec import decode_batch, decode_line, encode_batch
from jit.store.jsonl import JsonlStore
from jit.store.plane import Plane
from jit.store.replay import replay
from jit.systems.files.commands import Committed, End, Free, Resume, Stop, Target, Touch
from jit.systems.files.decide import decide
from jit.testing import FakeWorld
from tests.systems.files.ground import ANN, BOB, CAT, IDLE_MS, POLICY, RETRY_MS, Ground, resource

if TYPE_CHECKING:
    from pathlib import Path

    from jit.systems.files.commands import FileCommand

ODD = 'ä "quoted" \\ \u2028 \U0001f600'
EVE = Owner("human:eve", "wt:0000000e", f"{ODD}/{ODD}")
BATCH = "01KE1TESTBATCH000000000000"
COMMANDS: list[FileCommand] = [
    Touch(ANN, (Target(resource("a")),), ("L1",), POLICY, RETRY_MS),
    Touch(
        EVE,
        (Target(resource(ODD), "queue", fresh=True), Target(resource("b"), "fail-fast", shared=True)),
        ("L1", "L2"),
        WhileAlive(1, 0),
        1,
        ODD,
        ODD,
    ),
    Stop(ANN),
    Stop(EVE),
    End(ANN, "done"),
    End(EVE, ODD, whole_session=True),
    Committed(ANN, ()),
    Committed(EVE, (resource("a"), resource(ODD))),
    Free("L1", ANN, "done"),
    Free("L1", EVE, ODD, forced=True),
    Resume("W1", EVE, ODD),
    Resume("W1", ANN, ""),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: type(command).__name__)
def test_every_command_comes_back_from_its_lines_as_it_was(command: FileCommand) -> None:
    ground = Ground()
    ground.touch(CAT, "z.txt")
    process = ProcessRef("host", "boot", 1, 2, "ns")
    evidence = Evidence(Instant(1, 2, "boot"), {process: "unknown"}, None, {resource(ODD): "abc", resource("b"): ""})
    batch = Batch(BATCH, command, evidence, tuple(ground.history))
    lines = [decode_line(line.rstrip(b"\n")) for line in encode_batch(batch, 7)]
    assert decode_batch(lines) == batch


def test_a_history_on_disk_decided_anew_is_the_history(tmp_path: Path) -> None:
    world = FakeWorld()
    store = JsonlStore(Plane(str(tmp_path / "jit")), world)
    engine = Engine(store, world)
    ground = Ground()

    def touch(who: Owner, *paths: str) -> None:
        engine.submit(ground.attempt(who, *paths))

    world.contents[resource("a")] = "old"
    touch(ANN, "a", "b")
    touch(BOB, "a")
    touch(CAT, "c")
    touch(BOB, "c", "b")
    touch(ANN, "c")
    world.contents[resource("a")] = "new"
    world.clock.advance(RETRY_MS)
    touch(BOB, "a")
    waits = [lease for lease in store.snapshot().ledger if lease.resources[0].startswith("wait:")]
    engine.submit(Resume(waits[0].lease_id, CAT, "go on"))
    engine.submit(Committed(ANN, (resource("a"),)))
    engine.submit(Stop(ANN))
    world.clock.advance(IDLE_MS + 1)
    touch(BOB, "a", "b")
    engine.submit(End(BOB, "done", whole_session=True))
    touch(CAT, "a")
    (lease,) = [lease for lease in store.snapshot().ledger if resource("a") in lease.resources]
    engine.submit(Free(lease.lease_id, BOB, "in the way", forced=True))
    store.close()
    reader = JsonlStore(Plane(str(tmp_path / "jit")), world)
    report = replay(reader.plane, reader.snapshot())
    assert report.mismatches == ()
    assert report.batches >= 9
    kinds = {type(entry.batch.command).__name__ for entry in reader.read()}
    assert kinds == {"Touch", "Stop", "End", "Committed", "Free", "Resume"}
    reader.close()


def test_deciding_needs_no_evidence_that_is_not_there() -> None:
    ground = Ground()
    bare = Evidence(ground.now(), {})
    assert [type(event).__name__ for event in decide(Ledger(), ground.attempt(ANN, "a"), bare)] == ["Granted"]
