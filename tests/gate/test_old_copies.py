"""Content that is older than the file: whoever waited, or only read, must not write it over somebody else's work."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from tests.gate.watch import holder_of, waits
from tests.surface.jitcli import Jit, make_site, wait_until
from tests.world.ground import git

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.gate.agent import Agent, Answer

    Start = Callable[..., Agent]

pytestmark = pytest.mark.crash

WAITING = {"JIT_FILES_ON_CONTENTION": "wait", "JIT_FILES_RETRY_INTERVAL_SECS": "1"}


def command(text: str) -> dict[str, object]:
    return {"tool_name": "Bash", "tool_input": {"command": text}}


def patch(*lines: str) -> dict[str, object]:
    body = "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])
    return {"tool_name": "apply_patch", "tool_input": {"command": body}}


OVERWRITE = [
    command("cat > a.txt <<'EOF'\nwhat I made of it\nEOF"),
    command("echo x | tee a.txt"),
    command("cp b.txt a.txt"),
    command("mv b.txt a.txt"),
    command("rm a.txt"),
    command("git checkout -- a.txt"),
    command("git reset --hard"),
    command("sed -i s/1/2/ a.txt && cat > a.txt < b.txt"),
    command("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\nEOF"),
    patch("*** Add File: a.txt", "+what I made of it"),
    patch("*** Delete File: a.txt"),
    patch("*** Update File: b.txt", "*** Move to: a.txt", "@@", "-b", "+c"),
]
ADAPT = [
    command("echo more >> a.txt"),
    command("echo x | tee -a a.txt"),
    command("sed -i s/1/2/ a.txt"),
    command("chmod +x a.txt"),
    command("apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\nEOF"),
    patch("*** Update File: a.txt", "@@", "-one", "+two"),
]


def ask_while_held(site: Path, agent: Start, call: dict[str, object]) -> tuple[Agent, Answer]:
    """The answer to a call that waits for a file which changes meanwhile, and who asked."""
    (site / "a.txt").write_text("one\n")
    (site / "b.txt").write_text("b\n")
    ann, bob = agent("ann"), agent("bob", **WAITING)
    ann.write("a.txt", "two\n")
    number = bob.send(bob.payload("PreToolUse", **call), "codex")
    wait_until(lambda: len(waits(site)) == 1)
    ann.write("a.txt", "three\n")
    ann.tell("SessionEnd", reason="other")
    return bob, bob.wait_for(number)


@pytest.mark.parametrize("call", OVERWRITE, ids=str)
def test_what_brings_its_own_content_is_refused_once_after_the_wait(
    site: Path, agent: Start, call: dict[str, object]
) -> None:
    bob, answer = ask_while_held(site, agent, call)
    assert "changed since you read it" in answer.denied
    assert holder_of(site, "a.txt") == "bob/"
    again = bob.wait_for(bob.send(bob.payload("PreToolUse", **call), "codex"))
    assert (again.denied, again.code) == ("", 0)


@pytest.mark.parametrize("call", ADAPT, ids=str)
def test_what_is_applied_to_the_file_as_it_then_is_goes_on_after_the_wait(
    site: Path, agent: Start, call: dict[str, object]
) -> None:
    _, answer = ask_while_held(site, agent, call)
    assert (answer.denied, answer.code) == ("", 0)
    assert holder_of(site, "a.txt") == "bob/"


def write(agent: Agent, path: str, client: str) -> str:
    """The denial of a whole-file write by one of the clients that do not look at the file first."""
    call = {"tool_name": "write_file", "tool_input": {"file_path": str(agent.cwd / path), "content": "mine\n"}}
    event = "BeforeTool" if client == "gemini" else "PreToolUse"
    answer = agent.wait_for(agent.send(agent.payload(event, **call), client))
    assert answer.code == 0, answer
    said = json.loads(answer.out) if answer.out else {}
    return str(said.get("reason", "")) or answer.denied


@pytest.mark.parametrize("client", ["gemini", "qwen"])
@pytest.mark.parametrize("ending", ["commit", "end", "death"])
def test_what_another_changed_since_the_client_began_is_refused_once_to_whoever_may_have_read_it_before(
    site: Path, agent: Start, client: str, ending: str
) -> None:
    (site / "a.txt").write_text("one\n")
    bob, ann = agent("bob"), agent("ann")
    change(site, ann, ending)
    words = write(bob, "a.txt", client)
    assert "a.txt may have changed since you read it: agent:claude-ann had it at" in words
    assert len(words.split()) <= 60
    assert holder_of(site, "a.txt") == "bob/"
    assert write(bob, "a.txt", client) == ""


def change(site: Path, who: Agent, ending: str) -> None:
    assert who.write("a.txt", "two\n") == ""
    if ending == "commit":
        git(site, "add", "a.txt")
        git(site, "-c", "core.hooksPath=/dev/null", "commit", "-qm", "two")
        Jit(site).ask("file", "release", "a.txt", "--agent-id", "agent:claude-ann")
    elif ending == "end":
        who.tell("SessionEnd", reason="other")
    else:
        who.kill()


def test_a_shell_command_counts_the_same_with_every_client(site: Path, agent: Start) -> None:
    (site / "a.txt").write_text("one\n")
    bob, ann = agent("bob"), agent("ann")
    change(site, ann, "end")
    overwrite = command("cat > a.txt <<'EOF'\nmine\nEOF")
    assert "may have changed" in bob.tell("PreToolUse", **overwrite).denied
    assert bob.tell("PreToolUse", **overwrite).denied == ""


def test_a_subagent_is_told_of_another_one_of_its_session(site: Path, agent: Start) -> None:
    (site / "a.txt").write_text("one\n")
    ann = agent("ann")
    ann.write("a.txt", "two\n", subagent="s1")
    ann.tell("SubagentStop", agent_id="s1")
    words = ann.tell("PreToolUse", agent_id="s2", **command("cp b.txt a.txt")).denied
    assert "another subagent of your own session (agent:claude-ann) had it at" in words


def test_whoever_began_after_the_change_is_not_refused(site: Path, agent: Start) -> None:
    (site / "a.txt").write_text("one\n")
    change(site, agent("ann"), "end")
    time.sleep(0.05)  # start times are told in hundredths of a second
    assert write(agent("bob"), "a.txt", "gemini") == ""


def test_a_file_that_is_again_as_it_was_before_is_not_refused(site: Path, agent: Start) -> None:
    (site / "a.txt").write_text("one\n")
    bob, ann = agent("bob"), agent("ann")
    ann.write("a.txt", "two\n")
    ann.write("a.txt", "one\n")
    ann.tell("SessionEnd", reason="other")
    assert write(bob, "a.txt", "gemini") == ""


def test_the_owners_own_changes_and_other_files_are_not_refused(site: Path, agent: Start) -> None:
    (site / "a.txt").write_text("one\n")
    bob, ann = agent("bob"), agent("ann")
    change(site, ann, "end")
    assert write(bob, "b.txt", "gemini") == ""
    (site / "b.txt").write_text("mine\n")
    Jit(site).ask("file", "release", "b.txt", "--agent-id", "agent:gemini-bob")
    assert write(bob, "b.txt", "gemini") == ""


def test_a_client_that_checks_its_copies_itself_and_a_change_in_place_are_not_refused(site: Path, agent: Start) -> None:
    (site / "a.txt").write_text("one\n")
    bob, cat, ann = agent("bob"), agent("cat"), agent("ann")
    change(site, ann, "end")
    assert bob.ask("a.txt").denied == ""
    bob.tell("SessionEnd", reason="other")
    assert cat.tell("PreToolUse", **command("sed -i s/1/2/ a.txt")).denied == ""


def test_a_file_of_another_repository_counts_too(site: Path, agent: Start, tmp_path: Path) -> None:
    other = make_site(tmp_path / "other").cwd
    (other / "a.txt").write_text("one\n")
    bob, ann = agent("bob"), agent("ann", other)
    change(other, ann, "end")
    overwrite = command(f"echo x > b.txt; cp b.txt {other}/a.txt")
    assert "a.txt may have changed" in bob.tell("PreToolUse", **overwrite).denied
    assert bob.tell("PreToolUse", **overwrite).denied == ""


def test_a_file_that_git_ignores_is_not_refused(site: Path, agent: Start) -> None:
    (site / ".gitignore").write_text("a.txt\n")
    (site / "a.txt").write_text("one\n")
    bob, ann = agent("bob"), agent("ann")
    change(site, ann, "end")
    assert write(bob, "a.txt", "gemini") == ""
