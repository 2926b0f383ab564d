from __future__ import annotations

import json
from pathlib import Path

import pytest

from jit.kernel.instant import Instant
from jit.kernel.record import replace
from jit.world import heartbeat
from jit.world.heartbeat import Heartbeat
from tests.traceability import covers
from tests.world.ground import FILES, NOON

BEAT = Heartbeat("agent:copilot-1", "wt:abc123ef", "agents/copilot-1", 12345, NOON, 30)


@covers("002:schema.heartbeat-file")
def test_the_file_has_the_documented_fields(tmp_path: Path) -> None:
    heartbeat.write(str(tmp_path), BEAT, FILES)
    found = json.loads((tmp_path / "heartbeat/agent:copilot-1.json").read_text("utf-8"))
    documented = ("agent_id", "worktree_id", "branch", "pid", "last_beat", "interval_secs")
    assert {name: found[name] for name in documented} == {
        "agent_id": "agent:copilot-1",
        "worktree_id": "wt:abc123ef",
        "branch": "agents/copilot-1",
        "pid": 12345,
        "last_beat": "2026-01-03T12:00:00.000Z",
        "interval_secs": 30,
    }


def test_the_directory_is_for_its_owner_only(tmp_path: Path) -> None:
    heartbeat.write(str(tmp_path), BEAT, FILES)
    assert (tmp_path / "heartbeat").stat().st_mode & 0o077 == 0


def test_the_last_beat_counts_and_keeps_its_boot_clock(tmp_path: Path) -> None:
    later = replace(BEAT, beat=Instant(NOON.wall_ms - 86_400_000, NOON.boot_ms + 1, NOON.boot_id))
    for beat in (BEAT, later):
        heartbeat.write(str(tmp_path), beat, FILES)
    assert heartbeat.read(str(tmp_path), BEAT.agent_id) == later


def test_an_agent_that_never_beat_has_no_heartbeat(tmp_path: Path) -> None:
    assert heartbeat.read(str(tmp_path), "agent:x") is None
    assert heartbeat.read_all(str(tmp_path)) == []


def test_all_agents_are_read_and_damaged_files_are_passed_over(tmp_path: Path) -> None:
    other = replace(BEAT, agent_id="agent:a")
    for beat in (BEAT, other):
        heartbeat.write(str(tmp_path), beat, FILES)
    for name, text in (("bad", "{"), ("list", "[]"), ("typed", '{"agent_id": 3}')):
        (tmp_path / f"heartbeat/{name}.json").write_text(text, "utf-8")
    (tmp_path / "heartbeat/notes.txt").write_text("x", "utf-8")
    assert heartbeat.read_all(str(tmp_path)) == [other, BEAT]


@pytest.mark.parametrize("name", ["é" * 120, "x" * 120])
def test_a_long_name_still_has_a_file(tmp_path: Path, name: str) -> None:
    long = replace(BEAT, agent_id=f"agent:{name}")
    heartbeat.write(str(tmp_path), long, FILES)
    assert heartbeat.read(str(tmp_path), long.agent_id) == long
