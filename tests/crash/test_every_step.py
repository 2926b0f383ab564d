"""kill -9 at every step of an operation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crash.steps import MANNERS, OPERATIONS
from tests.store.checker import Replayed, read_log
from tests.store.ground import BOB, Site
from tests.traceability import covers

pytestmark = pytest.mark.crash
ROOT = Path(__file__).parents[2]
LEAST_STEPS = 5  # take the lock, write the record, write the table, give the lock back, sync


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("operation", OPERATIONS)
@covers("L:10", "002:inv1", "002:inv4", "002:AC6", "002:lock.crash")
def test_killed_at_any_step_the_log_is_right_and_the_next_writer_goes_on(
    tmp_path: Path, operation: str, manner: str
) -> None:
    steps = die_at_every_step(tmp_path, operation, manner)
    assert steps > LEAST_STEPS
    for step in range(1, steps + 1):
        place = tmp_path / f"{step:03d}"
        state = read_log(place / "jit/claims.jsonl", torn=True) if (place / "jit/claims.jsonl").exists() else Replayed()
        assert_acknowledged(place, operation, state)
        assert_goes_on(place, state)


def die_at_every_step(folder: Path, operation: str, manner: str) -> int:
    command = [sys.executable, "-m", "tests.crash.steps", str(folder), operation, manner]
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    environment = os.environ | {"PYTHONPATH": paths}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def assert_acknowledged(place: Path, operation: str, state: Replayed) -> None:
    """What the dead process was told is in the log."""
    if not (place / "acknowledged").exists():
        return
    lease = (place / "acknowledged").read_text()
    if operation == "release":
        assert lease in state.ended
    else:
        assert lease in state.active
    if operation == "renew":
        assert state.types[-1] == "claim.renewed"


def assert_goes_on(place: Path, state: Replayed) -> None:
    """Reader, writer and index agree with the log, and a rival gets what is free and no more."""
    site = Site(place)
    assert site.held() == set(state.active)
    holder = state.holders().get("issue:subject")
    answer = site.claim("subject", BOB).answer
    own = holder is not None and state.active[holder]["agent_id"] == BOB.agent
    assert type(answer).__name__ == ("Refused" if own else "Denied" if holder else "Granted")
    site.take("another", BOB)
    site.close()
    after = read_log(place / "jit/claims.jsonl")
    assert set(state.active) <= set(after.active)
    rows = json.loads(site.index.read_text())["active"]
    assert {row["lease_id"] for row in rows} == set(after.active) == site.anew().held()
