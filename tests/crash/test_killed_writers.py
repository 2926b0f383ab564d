"""Many writers, killed at random, beside readers and a mender that throws the caches away."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jit.app import SystemWorld
from jit.store.jsonl import JsonlStore
from jit.store.plane import Plane
from tests.store.checker import Replayed, read_log
from tests.traceability import covers

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.crash
ROOT = Path(__file__).parents[2]
PATIENCE_S = 60
STEPS_BETWEEN_KILLS = 12


@contextmanager
def worker(folder: Path, number: int, role: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "tests.crash.worker", str(folder), str(number), role]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    with (folder / f"errors-{number}").open("wb") as errors:
        child = subprocess.Popen(command, env=environment, stderr=errors)
    try:
        yield child
    finally:
        child.kill()
        child.wait(PATIENCE_S)


def told(folder: Path, number: int) -> list[tuple[str, str]]:
    """What a worker was told, as far as it came to write it down."""
    path = folder / f"told-{number}"
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    return [(line.split()[0], line.split()[1]) for line in lines]


def wait_for_work(folder: Path, numbers: list[int], children: dict[int, subprocess.Popen[bytes]], least: int) -> None:
    """Until each of these workers has done so much."""
    deadline = time.monotonic() + PATIENCE_S
    while any(len(told(folder, number)) < least for number in numbers):
        for number, child in children.items():
            assert child.poll() is None, (folder / f"errors-{number}").read_text()
        assert time.monotonic() < deadline, "the workers do not get on"
        time.sleep(0.005)


def assert_nothing_lost(folder: Path, numbers: int, state: Replayed) -> None:
    for number in range(numbers):
        for kind, lease in told(folder, number):
            if kind == "Granted":
                assert lease in state.granted
            elif kind == "Released":
                assert state.ended.get(lease) == "release"


def assert_caches_agree(folder: Path, state: Replayed) -> None:
    store = JsonlStore(Plane(str(folder / "jit")), SystemWorld())
    assert set(store.snapshot().ledger.active) == set(state.active)
    with store.exclusive():
        leases = store.view().leases
        assert {name: leases.holders(name)[0].lease_id for name in state.holders()} == state.holders()
        assert (leases.fence, store.view().sequence) == (state.fence, state.sequence)
    store.close()
    index = folder / "jit/claims.index.json"
    if index.exists():
        rows = json.loads(index.read_text())
        assert rows["sequence"] <= state.sequence
        assert rows["sequence"] < state.sequence or {x["lease_id"] for x in rows["active"]} == set(state.active)


@covers("L:10", "L:12", "002:AC9", "002:durable.append", "002:recovery.locks", "002:inv1")
def test_writers_killed_at_random_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    chance = random.Random(20)
    roles = ["agent"] * 4 + ["reader", "mender"]
    kills = 15
    with ExitStack() as running:
        children = {n: running.enter_context(worker(tmp_path, n, role)) for n, role in enumerate(roles)}
        wait_for_work(tmp_path, list(children), children, 3)
        for fresh in range(len(roles), len(roles) + kills):
            victim = chance.choice([n for n in children if n not in (4, 5)])
            children[victim].kill()
            children.pop(victim).wait(PATIENCE_S)
            children[fresh] = running.enter_context(worker(tmp_path, fresh, "agent"))
            wait_for_work(tmp_path, [chance.choice(list(children))], children, chance.randrange(STEPS_BETWEEN_KILLS))
        wait_for_work(tmp_path, list(children), children, 5)
    state = read_log(tmp_path / "jit/claims.jsonl", torn=True)
    assert_nothing_lost(tmp_path, len(roles) + kills, state)
    assert len(state.granted) > kills
    assert_caches_agree(tmp_path, state)


@covers("L:12", "002:AC3", "002:AC9")
def test_twenty_writers_beside_a_mender_never_overlap(tmp_path: Path) -> None:
    roles = ["agent"] * 20 + ["mender"]
    with ExitStack() as running:
        children = {n: running.enter_context(worker(tmp_path, n, role)) for n, role in enumerate(roles)}
        wait_for_work(tmp_path, list(children), children, 20)
    state = read_log(tmp_path / "jit/claims.jsonl", torn=True)
    assert_nothing_lost(tmp_path, len(roles), state)
    assert_caches_agree(tmp_path, state)
