"""Finding the records about a file in a long log: from the beginning, and from any moment on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from jit.hooks.file_events import events_about
from jit.kernel.instant import Instant
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


def about(repository: Path, name: str) -> list[dict[str, Any]]:
    """The records about a file, found with another parser and by reading all of them."""
    told = [x for x in records(repository) if x["event_type"].startswith("file.")]
    return [x for x in told if x["payload"]["resources"][0].partition("/")[2] == name]


def found(log: Path, resource: str, since: Instant | None) -> list[str]:
    return [event.lease.lease_id for _, event in events_about(str(log), [resource], since)]  # type: ignore[union-attr]


@pytest.mark.parametrize("name", NAMES)
def test_from_every_moment_on_the_same_records_are_found_as_by_reading_all(log: Path, name: str) -> None:
    told = about(log.parents[2], name)
    resource = told[0]["payload"]["resources"][0]
    assert found(log, resource, None) == [x["payload"]["lease_id"] for x in told]
    boots = {x["batch"]["id"]: x["evidence"]["now"][1] for x in records(log.parents[2]) if "evidence" in x}
    boot_id = told[0]["evidence"]["now"][2]
    for moment in {0, 10**12, *boots.values(), *(boot + 1 for boot in boots.values())}:
        expected = [x["payload"]["lease_id"] for x in told if boots[x["batch"]["id"]] >= moment]
        assert found(log, resource, Instant(0, moment, boot_id)) == expected, moment
    assert found(log, resource, Instant(0, 0, "a later boot")) == []


def test_a_wall_clock_that_is_set_changes_nothing(log: Path) -> None:
    told = about(log.parents[2], "a.txt")
    wall, boot, boot_id = told[2]["evidence"]["now"]
    expected = found(log, told[0]["payload"]["resources"][0], Instant(wall, boot, boot_id))
    for day in (-86_400_000, 86_400_000):
        assert found(log, told[0]["payload"]["resources"][0], Instant(wall + day, boot, boot_id)) == expected


def test_a_log_that_is_not_there_and_lines_that_are_damaged_tell_nothing(tmp_path: Path) -> None:
    log = make_site(tmp_path / "other").cwd / ".git/jit/claims.jsonl"
    moment = Instant(0, 0, "boot")
    assert list(events_about(str(tmp_path / "none"), ["file:x/a"], moment)) == []
    line = json.dumps({"event_type": "file.acquired", "payload": {"resources": ["file:x/a"]}, "crc": "00000000"})
    broken = '{"event_type":"file.acquired","resources":["file:x/a"],"evidence":{"now":[1,x'
    for text in (line, broken, "", "\0" * 100):
        log.write_text(f"{text}\n{text}\n{text}")
        assert list(events_about(str(log), ["file:x/a"])) == []
        assert list(events_about(str(log), ["file:x/a"], moment)) == []
