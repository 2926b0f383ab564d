"""The contract page of the file gate says what was promised. What the page says was answered by the code itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.traceability import covers

pytestmark = pytest.mark.unit

PAGE = (Path(__file__).parents[2] / "docs/reference/file-gate.md").read_text("utf-8")


def rows(heading: str) -> list[tuple[str, ...]]:
    """The table below a heading, without its title."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines[2:]]


def answer(text: str) -> str:
    """The word that the agent gets, if it is refused."""
    return text.rpartition(" **")[2].strip("*") if "**" in text else ""


@covers("001:P1.X", "000:FR4.2", "000:FR4.3")
def test_an_attempt_is_answered_as_promised() -> None:
    told = {when: (answer(text), "`" in text) for when, text in rows("An attempt to write")}
    assert told["nobody holds it"] == ("", True)
    assert told["Anna holds it, first attempt"] == ("waiting", True)
    assert told["the same, again before due"] == ("waiting", False)
    assert told["the same, at due"] == ("blocked", True)
    assert told["the same, after that"] == ("blocked", False)
    assert told["denied; Anna's lease has ended"] == told["blocked; Anna's lease has ended"] == ("", True)
    assert told["Anna waits for a file of Ben's"] == ("deadlock", True)
    assert told["denied, then free; the file changed; Ben writes it whole"] == ("outdated", True)
    assert told["the same, whole, a second time"] == ("", False)
    assert told["Anna's subagent holds it, Anna asks"] == ("waiting", True)
    assert told["the same, and that subagent has stopped"] == ("", True)


@covers("001:P1.2", "001:P1.X")
def test_every_state_of_life_is_written_down_with_what_becomes_of_the_lease() -> None:
    found = rows("When an owner is alive")
    assert {life.strip("*") for life, _, _ in found} == {"alive", "dead", "unknown"}
    fates = {(life.strip("*"), what): fate.strip("`") for life, what, fate in found}
    assert fates["alive", "however long it is silent"] == "held"
    assert fates["dead", "at once"] == "lapsed"
    assert fates["unknown", "silent for 3600 s"] == "held"
    assert fates["unknown", "silent for longer"] == "lapsed"
    assert fates["alive", "it stopped 30 s ago and did nothing since"] == "held"
    assert fates["alive", "it stopped longer ago and did nothing since"] == "lapsed"


@covers("001:P1.X", "001:DoD3")
def test_the_times_of_the_contract_are_written_down() -> None:
    times = {name.strip("`"): value for name, value, _ in rows("Times")}
    assert (times["files.retry_interval_secs"], times["files.stop_idle_secs"]) == ("180", "30")


@covers("001:P1.X")
def test_every_way_in_which_a_lease_ends_is_written_down() -> None:
    ends = {what: text for what, text in rows("How a lease ends")}  # noqa: C416  rows are of any length
    ended = [what for what, text in ends.items() if "`file Released`" in text or "`file Evicted`" in text]
    assert ended == [
        "her session ends",
        "her session commits the file",
        "she gives it back",
        "an operator takes it away",
    ]
    lapsed = [what for what, text in ends.items() if "`file Lapsed`" in text]
    assert lapsed == [
        "she does not; Ben attempts it later",
        "her turn fails; Ben attempts it",
        "her process is dead; Ben attempts it",
    ]
