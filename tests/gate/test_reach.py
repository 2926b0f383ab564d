"""What reaches further than one file of one repository: patches, shell commands, and what goes on after the turn."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.gate.agent import said, shell
from tests.gate.watch import holder_of, names, records
from tests.surface.jitcli import Jit, make_site, wait_until
from tests.traceability import covers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.gate.agent import Agent, Answer

pytestmark = pytest.mark.crash


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A second repository that is set up."""
    return make_site(tmp_path / "other").cwd


def patch(agent: Agent, *paths: Path) -> Answer:
    body = "".join(f"*** Add File: {path}\n+new\n" for path in paths)
    text = f"*** Begin Patch\n{body}*** End Patch\n"
    number = agent.send(agent.payload("PreToolUse", tool_name="apply_patch", tool_input={"command": text}), "codex")
    return agent.wait_for(number)


def test_a_patch_over_two_repositories_is_leased_in_both(site: Path, other: Path, agent: Callable[..., Agent]) -> None:
    ann, bob = agent("ann"), agent("bob")
    assert patch(ann, site / "a.txt", other / "b.txt").denied == ""
    assert (names(site), names(other)) == ({"a.txt"}, {"b.txt"})
    assert "being changed" in bob.write(other / "b.txt")


def test_a_patch_that_one_repository_refuses_holds_nothing_in_the_other(
    site: Path, other: Path, agent: Callable[..., Agent]
) -> None:
    ann, bob = agent("ann"), agent("bob")
    ann.write(other / "b.txt")
    assert "b.txt is being changed by agent:claude-ann" in patch(bob, site / "a.txt", other / "b.txt").denied
    assert names(site) == set()
    assert ann.write("a.txt") == ""


def test_a_patch_that_waited_for_another_repository_is_to_be_made_again(
    site: Path, other: Path, agent: Callable[..., Agent]
) -> None:
    waiting = {"JIT_FILES_ON_CONTENTION": "wait", "JIT_FILES_RETRY_INTERVAL_SECS": "1"}
    ann, bob = agent("ann"), agent("bob", **waiting)
    ann.write(other / "b.txt")
    text = f"*** Begin Patch\n*** Add File: {site}/a.txt\n+x\n*** Update File: {other}/b.txt\n@@\n+x\n*** End Patch\n"
    number = bob.send(bob.payload("PreToolUse", tool_name="apply_patch", tool_input={"command": text}), "codex")
    wait_until(lambda: any(record["event_type"] == "wait.acquired" for record in records(other)))
    wait_until(lambda: names(site) == set())
    ann.kill()
    assert "yours now" in bob.wait_for(number).denied
    assert patch(bob, site / "a.txt", other / "b.txt").denied == ""
    assert (names(site), names(other)) == ({"a.txt"}, {"b.txt"})


def test_a_shell_command_that_writes_in_another_repository_is_leased_there(
    site: Path, other: Path, agent: Callable[..., Agent]
) -> None:
    ann, bob = agent("ann"), agent("bob")
    assert shell(ann, f"echo x > {other}/b.txt && echo y > a.txt").denied == ""
    assert (names(site), names(other)) == ({"a.txt"}, {"b.txt"})
    assert "being changed" in shell(bob, f"cd {other} && rm b.txt").denied


def test_a_file_outside_any_repository_is_nobodys(site: Path, tmp_path: Path, agent: Callable[..., Agent]) -> None:
    (tmp_path / "plain").mkdir()
    assert patch(agent("ann"), site / "a.txt", tmp_path / "plain/b.txt").denied == ""
    assert names(site) == {"a.txt"}


def test_what_cannot_be_known_is_said_before_the_call_while_others_hold_files(
    site: Path, agent: Callable[..., Agent]
) -> None:
    ann, bob = agent("ann"), agent("bob")
    assert said(shell(bob, "make")) == ""  # nobody holds anything: nothing is at stake
    ann.write("a.txt")
    words = said(shell(bob, "python build.py && make"))
    assert "cannot tell which files this command will write: runs python build.py; runs make" in words
    assert "a.txt (agent:claude-ann)" in words
    assert len(words.split()) <= 60
    assert said(shell(bob, "make test")) == ""  # it knows
    ann.write("b.txt")
    assert "b.txt (agent:claude-ann)" in said(shell(bob, "make test"))
    assert said(shell(bob, "ls -la")) == ""
    assert said(shell(ann, "make")) == ""  # only its own files
    ann.kill()
    assert said(shell(bob, "make")) == ""
    assert holder_of(site, "a.txt")


def test_a_turn_that_ends_while_its_command_runs_keeps_what_the_command_writes(
    site: Path, agent: Callable[..., Agent]
) -> None:
    idle = {"JIT_FILES_STOP_IDLE_SECS": "0"}
    ann, bob = agent("ann", **idle), agent("bob", **idle)
    command = "sleep 60; echo x > a.txt"
    ann.tell("PreToolUse", tool_name="Bash", tool_input={"command": command, "run_in_background": True})
    ann.write("b.txt")
    task = {"id": "1", "type": "shell", "status": "running", "description": "", "command": command}
    ann.tell("Stop", background_tasks=[task])
    wait_until(lambda: bob.write("b.txt") == "")
    assert "being changed" in bob.write("a.txt")
    ann.tell("Stop", background_tasks=[])
    wait_until(lambda: bob.write("a.txt") == "")


def test_a_queue_goes_on_without_one_that_does_not_come(site: Path, agent: Callable[..., Agent]) -> None:
    (site / ".jit/config.toml").write_text('[[path]]\npattern = "q.txt"\npolicy = "queue"\n')
    quick = {"JIT_FILES_RETRY_INTERVAL_SECS": "1"}
    ann, bob, cat = agent("ann", **quick), agent("bob", **quick), agent("cat", JIT_FILES_ON_CONTENTION="wait", **quick)
    ann.write("q.txt")
    assert "in its queue" in bob.write("q.txt")  # and never asks again
    number = cat.begin("q.txt", tool="Edit")
    wait_until(lambda: len([r for r in records(site) if r["event_type"] == "wait.acquired"]) == 2)
    ann.tell("SessionEnd")
    assert cat.wait_for(number).denied == ""
    story = Jit(site)("file", "history", "q.txt").out
    assert "agent:claude-cat" in story


@covers("001:M2")
def test_held_blocked_and_retry_are_only_spoken_of_when_they_matter(site: Path, agent: Callable[..., Agent]) -> None:
    jit = Jit(site)
    ann, bob = agent("ann"), agent("bob", JIT_FILES_RETRY_INTERVAL_SECS="1")
    quiet = ann.ask("a.txt")
    assert (quiet.out, quiet.err, quiet.code) == ("", "", 0)
    assert "retry" not in jit("file", "why", "a.txt").out
    assert gate_line(jit) == "1 held"
    bob.ask("a.txt")
    assert "until its one retry" in jit("file", "why", "a.txt").out
    assert gate_line(jit) == "1 held, 1 waiting"
    wait_until(lambda: "after one retry" in bob.ask("a.txt").denied)
    assert gate_line(jit) == "1 held, 1 waiting, 1 blocked"
    assert "jit file blockers" in jit("status").out
    ann.tell("SessionEnd")
    assert "blocked" not in gate_line(jit)
    assert "jit file blockers" not in jit("status").out


def gate_line(jit: Jit) -> str:
    """What `jit status` says about files."""
    return next((line[5:].strip() for line in jit("status").out.splitlines() if line.startswith("files")), "")


@covers("000:FR6.2", "001:P4.2")
def test_an_agent_whose_model_failed_lets_go_of_its_files_at_once(site: Path, agent: Callable[..., Agent]) -> None:
    ann, bob = agent("ann"), agent("bob")
    ann.write("a.txt")
    ann.tell("StopFailure", error="unknown")
    wait_until(lambda: bob.write("a.txt") == "")
    assert ann.write("b.txt") == ""


def test_the_readable_index_follows_claims_at_once_and_files_in_time(site: Path, agent: Callable[..., Agent]) -> None:
    index, jit = site / ".git/jit/claims.index.json", Jit(site)
    ann = agent("ann")
    ann.write("a.txt")
    assert not index.exists()
    issue = jit.ask("issue", "create", "--title", "one")["id"]
    assert jit("claim", "acquire", issue).code == 0
    told = json.loads(index.read_text())
    assert told["sequence"] == len(records(site))
    assert {lease.get("issue_id") or lease["resources"][0].partition("/")[2] for lease in told["active"]} == {
        issue,
        "a.txt",
    }
    many = " ".join(f"f{number}.txt" for number in range(70))
    assert shell(ann, f"touch {many}").denied == ""
    assert len(records(site)) - json.loads(index.read_text())["sequence"] < 64
