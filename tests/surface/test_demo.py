"""`jit demo`: what it shows is true, and it leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jit.cli.demo_audit import audit
from tests.surface.keeping import JIT, has_ended, until
from tests.traceability import covers

pytestmark = pytest.mark.surface

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files; every process of the demonstration carries its name in the environment."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def living(temporary: Path) -> list[int]:
    """The processes that were started with this folder in their environment."""
    wanted = f"TMPDIR={temporary}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environ = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if wanted in environ and not has_ended(int(folder.name)):
            found.append(int(folder.name))
    return found


@on_linux
@covers("002:expiry.evict")
def test_seven_agents_share_six_issues_and_the_killed_ones_is_taken_over_by_the_one_that_came_late(
    temporary: Path,
) -> None:
    done = subprocess.run((*JIT, "demo", "--json"), capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    agents = told["agents"]
    (victim,) = [agent for agent in agents if "killed" in agent["outcome"]]
    (late,) = [agent for agent in agents if "took over" in agent["outcome"]]
    assert len({agent["issue"] for agent in agents}) == len(agents) - 1 == 6
    assert victim["issue"] == late["issue"]
    assert len({int(agent["fence"]) for agent in agents}) == 7
    assert f"is held by {victim['agent_id']}" in told["denial"]
    assert all(check["ok"] for check in told["checks"])
    kinds = [(entry["event_type"], entry["payload"]["agent_id"]) for entry in told["history"]]
    assert kinds == [
        ("claim.acquired", victim["agent_id"]),
        ("claim.renewed", victim["agent_id"]),
        ("claim.denied", victim["agent_id"]),
        ("claim.evicted", victim["agent_id"]),
        ("claim.acquired", late["agent_id"]),
        ("claim.released", late["agent_id"]),
    ]
    assert told["history"][3]["payload"]["why"] == "expired"
    assert list(temporary.iterdir()) == []
    assert living(temporary) == []


def test_agents_edit_the_same_files_and_nobody_overwrites_anybody(temporary: Path) -> None:
    done = subprocess.run((*JIT, "demo", "--keep", "--json"), capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    edits = [(edit["agent_id"], edit["file"], edit["outcome"].split()[0]) for edit in told["edits"]]
    assert edits == [
        ("agent:ann", "shop.py", "took"),
        ("agent:ben", "shop.py", "waited,"),
        ("agent:cleo", "style.css", "took"),
        ("agent:dan", "style.css", "took"),
        ("agent:ann", "notes.md", "took"),
        ("agent:dan", "notes.md", "refused"),
        ("agent:dan", "notes.md", "took"),
    ]
    assert "notes.md is still held by agent:ann" in told["refusal"]
    main = Path(told["repository"])
    assert (main / "shop.py").read_text() == "shop.py\nline of agent:ann\nline of agent:ben\n"
    assert (main / "style.css").read_text() == "style.css\nline of agent:cleo\nline of agent:dan\n"
    assert (main / "notes.md").read_text() == "notes.md\nline of agent:ann\nline of agent:dan\n"


def test_a_person_sees_a_table_the_log_the_promises_and_where_to_go_next(temporary: Path) -> None:
    done = subprocess.run((*JIT, "demo", "--keep"), capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[1].split() == ["AGENT", "FILE", "SECONDS", "WHAT", "HAPPENED"]
    assert ["AGENT", "WORKTREE", "ISSUE", "FENCE", "WHAT", "HAPPENED"] in [line.split() for line in lines]
    assert len([line for line in lines if line.startswith("agent:")]) == 7 + 7
    assert any("claim.evicted" in line and "ran out" in line for line in lines)
    assert len([line for line in lines if line.startswith("ok  ")]) == 6
    (kept,) = temporary.iterdir()
    assert f"cd {kept}/main && jit log" in done.stdout
    assert (kept / "main/.git/jit/claims.jsonl").is_file()
    assert "kill -9" in done.stderr


@on_linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("act", [0, 1], ids=["files", "issues"])
def test_an_interrupted_demonstration_leaves_no_process_and_no_folder(temporary: Path, number: int, act: int) -> None:
    running = subprocess.Popen(
        (*JIT, "demo"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    with running:
        assert running.stderr is not None
        kills = (line for line in running.stderr if line.startswith("kill -9"))
        said = [next(kills) for _ in range(act + 1)][-1]
        assert len(living(temporary)) > 1, said
        os.kill(running.pid, number)
        running.communicate(timeout=60)
    assert running.returncode == 130
    assert list(temporary.iterdir()) == []
    until(lambda: living(temporary) == [], "every agent has ended")


def entry(sequence: int, verb: str, fence: int = 0, issue: str = "A") -> dict[str, Any]:
    payload = {"lease_id": f"L{fence}", "issue_id": issue, "fence": fence}
    return {"sequence": sequence, "event_type": f"claim.{verb}", "payload": payload}


GOOD = [entry(1, "acquired", 1), entry(2, "denied"), entry(3, "evicted"), entry(4, "acquired", 2), entry(5, "released")]


@pytest.mark.parametrize(
    ("log", "broken"),
    [
        (GOOD, ""),
        ([entry(1, "acquired", 1), entry(2, "acquired", 2), entry(3, "released")], "two holders"),
        (
            [entry(1, "acquired", 2), entry(2, "released"), entry(3, "acquired", 2), entry(4, "released")],
            "larger fence",
        ),
        ([entry(1, "acquired", 1), entry(3, "released")], "no gap"),
        ([entry(1, "acquired", 1)], "left behind"),
    ],
)
def test_the_demonstration_sees_when_a_log_breaks_a_promise(log: list[dict[str, Any]], broken: str) -> None:
    faults = [check.name for check in audit(log) if check.fault]
    assert len(faults) == (1 if broken else 0)
    assert all(broken in fault for fault in faults)
