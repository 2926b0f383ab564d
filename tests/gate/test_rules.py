"""Rules for paths, files that git ignores, and what a script changed behind the gate's back: with real hooks."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

import jit
from tests.gate.watch import holder_of, holders, records, waits
from tests.surface.jitcli import Jit, wait_until
from tests.world.ground import git

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.gate.agent import Agent

pytestmark = pytest.mark.crash


def rule(site: Path, text: str) -> None:
    path = site / ".jit/config.toml"
    path.write_text(f"{path.read_text()}\n[[path]]\n{text}\n")


def test_a_free_path_is_leased_to_nobody(site: Path, agent: Callable[..., Agent]) -> None:
    rule(site, 'pattern = "*.log"\npolicy = "free"')
    ann, bob = agent("ann"), agent("bob")
    assert ann.write("x.log") == bob.write("x.log") == ""
    assert holders(site) == {}


def test_a_shared_path_is_held_by_all_who_write_it(site: Path, agent: Callable[..., Agent]) -> None:
    rule(site, 'pattern = "CHANGELOG.md"\nmode = "shared"')
    ann, bob = agent("ann"), agent("bob")
    assert ann.write("CHANGELOG.md") == bob.write("CHANGELOG.md") == ""
    assert ann.write("other.md") == ""
    assert "being changed" in bob.write("other.md")


def test_fail_fast_answers_at_once_and_begins_no_wait(site: Path, agent: Callable[..., Agent]) -> None:
    rule(site, 'pattern = "*.lock"\npolicy = "fail-fast"')
    ann, bob = agent("ann"), agent("bob", JIT_FILES_ON_CONTENTION="wait")
    ann.write("a.lock")
    assert "held by agent:claude-ann" in bob.write("a.lock")
    assert waits(site) == []


def test_a_queue_lets_the_first_go_on_when_the_holder_is_done(site: Path, agent: Callable[..., Agent]) -> None:
    rule(site, 'pattern = "migrations/**"\npolicy = "queue"')
    ann, bob = agent("ann"), agent("bob", JIT_FILES_ON_CONTENTION="wait")
    assert ann.write("migrations.txt") == ""
    assert ann.ask("migrations/1.sql").denied == ""
    call = bob.begin("migrations/1.sql", tool="Edit")
    wait_until(lambda: [wait["phase"] for wait in waits(site)] == ["queued"])
    assert not bob.has_answered(call)
    ann.tell("SessionEnd")
    assert bob.wait_for(call).denied == ""
    assert holder_of(site, "migrations/1.sql") == "bob/"


def test_a_file_that_git_ignores_is_free_when_it_matters(site: Path, agent: Callable[..., Agent]) -> None:
    (site / ".gitignore").write_text("build/\n")
    ann, bob = agent("ann"), agent("bob")
    (site / "build").mkdir()
    assert ann.write("build/out.txt") == bob.write("build/out.txt") == ""


def test_what_a_script_changed_is_leased_or_told_about_afterwards(site: Path, agent: Callable[..., Agent]) -> None:
    ann, bob = agent("ann"), agent("bob")
    ann.write("a.txt")
    (site / "x.sh").write_text("echo more >> a.txt; echo new > n.txt\n")
    shell = {"tool_name": "Bash", "tool_input": {"command": "sh ./x.sh"}, "turn_id": "t", "tool_use_id": "c"}
    before = bob.wait_for(bob.send(bob.payload("PreToolUse", **shell), "codex"))
    assert before.denied == ""
    (site / "a.txt").write_text("mine\nmore\n")
    (site / "n.txt").write_text("new\n")
    after = bob.wait_for(bob.send(bob.payload("PostToolUse", tool_response="ok", **shell), "codex"))
    told = json.loads(after.out)["hookSpecificOutput"]["additionalContext"]
    assert "changed files that others hold" in told
    assert "a.txt" in told
    assert holder_of(site, "n.txt") == "bob/"
    denied = [record for record in records(site) if record["event_type"] == "file.denied"]
    assert [record["command"]["tool"] for record in denied] == ["Bash (slip)"]
    assert waits(site) == []
    assert "agent:codex-bob changed a.txt: held by agent:claude-ann" in Jit(site)("file", "why", "a.txt").out


def test_a_file_that_a_script_took_away_from_its_holder_is_told_about(site: Path, agent: Callable[..., Agent]) -> None:
    (site / "a.txt").write_text("one\n")
    git(site, "add", "a.txt")
    git(site, "-c", "core.hooksPath=/dev/null", "commit", "-qm", "a")
    ann, bob = agent("ann"), agent("bob")
    ann.ask("a.txt")
    call = {"tool_name": "Bash", "tool_input": {"command": "make clean"}}
    bob.tell("PreToolUse", **call)
    (site / "a.txt").unlink()
    assert "a.txt (held by agent:claude-ann)" in bob.tell("PostToolUse", tool_response={}, **call).out


@pytest.mark.parametrize("begun", ["before", "after"])
def test_what_its_holders_own_command_changed_is_not_laid_to_another_one(
    site: Path, agent: Callable[..., Agent], begun: str
) -> None:
    """Both run a command that nobody can read; the file belongs to the one of them."""
    (site / "a.txt").write_text("one\n")
    ann, bob = agent("ann"), agent("bob")
    ann.ask("a.txt")
    hers = {"tool_name": "Bash", "tool_input": {"command": "make generated"}, "tool_use_id": "hers"}
    his = {"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "his"}
    for one, call in [(ann, hers), (bob, his)] if begun == "before" else [(bob, his), (ann, hers)]:
        one.tell("PreToolUse", **call)
        time.sleep(0.02)  # file systems tell the time in steps of some milliseconds
    (site / "a.txt").write_text("two\n")
    assert bob.tell("PostToolUse", tool_response={}, **his).out == ""
    assert ann.tell("PostToolUse", tool_response={}, **hers).out == ""
    bob.tell("PreToolUse", **his)
    time.sleep(0.02)
    (site / "a.txt").write_text("three\n")
    assert "a.txt (held by agent:claude-ann)" in bob.tell("PostToolUse", tool_response={}, **his).out


def test_a_command_that_was_never_heard_of_again_is_over_with_the_turn(site: Path, agent: Callable[..., Agent]) -> None:
    (site / "a.txt").write_text("one\n")
    ann, bob = agent("ann"), agent("bob")
    ann.tell("PreToolUse", tool_name="Bash", tool_input={"command": "make generated"}, tool_use_id="hers")
    ann.tell("Stop")
    assert list((site / ".git/jit/calls").iterdir()) == []
    ann.ask("a.txt")
    his = {"tool_name": "Bash", "tool_input": {"command": "make test"}}
    bob.tell("PreToolUse", **his)
    time.sleep(0.02)
    (site / "a.txt").write_text("two\n")
    assert "a.txt (held by agent:claude-ann)" in bob.tell("PostToolUse", tool_response={}, **his).out


def test_what_a_program_changed_while_a_command_ran_is_not_laid_to_the_command(
    site: Path, agent: Callable[..., Agent]
) -> None:
    bob = agent("bob")
    call = {"tool_name": "Bash", "tool_input": {"command": "make test"}}
    with jit.lease_files(["a.txt"], owner="agent:program", repo=str(site)):
        bob.tell("PreToolUse", **call)
        (site / "a.txt").write_text("by the program\n")
        answer = bob.tell("PostToolUse", tool_response={}, **call)
    assert (answer.out, answer.err) == ("", "")


def test_what_its_holder_changed_while_a_command_ran_is_not_laid_to_the_command(
    site: Path, agent: Callable[..., Agent]
) -> None:
    (site / "a.txt").write_text("one\n")
    ann, bob = agent("ann"), agent("bob")
    ann.write("a.txt", "two\n")
    call = {"tool_name": "Bash", "tool_input": {"command": "make test"}}
    bob.tell("PreToolUse", **call)
    ann.write("a.txt", "three\n")
    answer = bob.tell("PostToolUse", tool_response={}, **call)
    assert (answer.out, answer.err) == ("", "")
    assert [record["event_type"] for record in records(site)] == ["file.acquired"]
