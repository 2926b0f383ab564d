"""Eight agents, two hundred edits each, three files: no edit is lost, no file is torn, nobody writes beside another."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

from tests.gate.agent import hook_command
from tests.gate.watch import holders, records, waits
from tests.surface.jitcli import Jit
from tests.traceability import covers

pytestmark = pytest.mark.crash

AGENTS, EDITS, FILES = 8, 200, ("one.txt", "two.txt", "three.txt")
SETTINGS = {
    "JIT_FILES_ON_CONTENTION": "deny",
    "JIT_FILES_RETRY_INTERVAL_SECS": "1",
    "JIT_FILES_STOP_IDLE_SECS": "0",
}


@covers("000:FR1.1", "000:FR2.1", "000:V1", "001:DoD1", "L:24")
@pytest.mark.timeout(600)
def test_no_edit_is_lost_and_at_most_one_agent_holds_a_file_at_any_time(site: Path) -> None:
    for name in FILES:
        (site / name).write_text("")
    storm(site)
    lines = [line for name in FILES for line in (site / name).read_text().splitlines()]
    expected = [f"{agent}-{number}" for agent in range(AGENTS) for number in range(EDITS)]
    assert sorted(lines) == sorted(expected)
    assert holders(site) == {}
    assert {note["phase"] for note in waits(site)} >= {"waiting"}
    assert turns(site) == written(site)
    assert Jit(site)("validate", "replay").code == 0


def storm(site: Path) -> None:
    worker = str(Path(__file__).with_name("storm_agent.py"))
    files = [str(site / name) for name in FILES]
    command = [sys.executable, worker, "NUMBER", str(EDITS), hook_command(), *files]
    agents = [
        subprocess.Popen([*command[:2], str(number), *command[3:]], cwd=site, env={**os.environ, **SETTINGS})
        for number in range(AGENTS)
    ]
    try:
        assert [agent.wait(500) for agent in agents] == [0] * AGENTS
    finally:
        for agent in agents:
            agent.kill()
            agent.wait()


def turns(site: Path) -> dict[str, list[str]]:
    """The sessions that held each file, one after the other, by the log alone."""
    found: dict[str, list[str]] = {name: [] for name in FILES}
    for record in records(site):
        if record["event_type"] == "file.acquired":
            name = record["payload"]["resources"][0].partition("/")[2]
            found[name].append(record["payload"]["session_id"].rstrip("/"))
    return {name: [agent for agent, _ in groupby(line)] for name, line in found.items()}


def written(site: Path) -> dict[str, list[str]]:
    """The agents whose lines stand in each file, one after the other."""
    return {
        name: [f"agent-{a}" for a, _ in groupby(line.split("-")[0] for line in (site / name).read_text().splitlines())]
        for name in FILES
    }
