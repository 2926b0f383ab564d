"""Finding the records about a file in a long log: from the beginning, and from any moment on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from jit.hooks.file_events import events_about
from tests.gate.watch import records
from tests.surface.jitcli import make_site

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.gate.agent import Agent

pytestmark = pytest.mark.crash

NAMES = ["a.txt", "with space.txt", 'quo"te.txt', "[x].txt", "ä.txt"]


@pytest.fixture
def log(site: Path, agent: Callable[..., Agent]) -> Path:
    """Many short leases on a few files, some of them at the same millisecond."""
    ann = agent("ann")
    for turn in range(3):
        for name in NAMES:
            ann.write(name, str(turn))
        ann.tell("SessionEnd", reason="other")
    return site / ".git/jit/claims.jsonl"


def expected(log: Path, name: str, since: str) -> list[str]:
    """The leases of the records about a file, found with another parser and by reading all of them."""
    told = [x for x in records(log.parents[2]) if x["event_type"].startswith("file.") and x["timestamp"] >= since]
    return [x["payload"]["lease_id"] for x in told if x["payload"]["resources"][0].partition("/")[2] == name]


@pytest.mark.parametrize("name", NAMES)
def test_from_every_moment_on_the_same_records_are_found_as_by_reading_all(log: Path, name: str) -> None:
    everything = records(log.parents[2])
    resource = next(
        x["payload"]["resources"][0] for x in everything if x["payload"]["resources"][0].partition("/")[2] == name
    )
    moments = ["", *(x["timestamp"] for x in everything), "2000-01-01T00:00:00.000Z", "9999-01-01T00:00:00.000Z"]
    for since in moments:
        found = [event.lease.lease_id for _, event in events_about(str(log), [resource], since)]  # type: ignore[union-attr]
        assert found == expected(log, name, since), since


def test_a_log_that_is_not_there_and_a_line_that_is_damaged_tell_nothing(tmp_path: Path) -> None:
    log = make_site(tmp_path / "other").cwd / ".git/jit/claims.jsonl"
    assert list(events_about(str(tmp_path / "none"), ["file:x/a"], "2000-01-01T00:00:00.000Z")) == []
    line = json.dumps({"event_type": "file.acquired", "payload": {"resources": ["file:x/a"]}, "crc": "00000000"})
    log.write_text(line + "\n")
    assert list(events_about(str(log), ["file:x/a"])) == []
