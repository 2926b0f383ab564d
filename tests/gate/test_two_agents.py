"""Two agents, one file, real hooks: what each is told, and what reaches the file."""

from __future__ import annotations

import json
import os
import re
import signal
from typing import TYPE_CHECKING

import pytest

from tests.gate.watch import holder_of, holders, records, waits
from tests.surface.jitcli import Jit, wait_until
from tests.traceability import covers
from tests.world.ground import git

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.gate.agent import Agent

pytestmark = pytest.mark.crash

WAITING = {"JIT_FILES_ON_CONTENTION": "wait", "JIT_FILES_RETRY_INTERVAL_SECS": "1"}


@covers("000:FR1.1", "000:FR1.2", "000:FR2.2", "000:V1", "000:C2", "001:P2.1", "001:P2.X", "001:T5", "001:DoD1", "L:24")
def test_of_two_agents_that_want_one_file_the_second_never_reaches_it(site: Path, agent: Callable[..., Agent]) -> None:
    ann, bob = agent("ann"), agent("bob")
    assert ann.write("a.txt", "hers\n") == ""
    assert "being changed by agent:claude-ann" in bob.write("a.txt", "his\n")
    assert (site / "a.txt").read_text() == "hers\n"
    assert bob.write("b.txt") == ""


@covers("000:FR4.2", "000:V2", "001:P2.3", "001:DoD3", "L:24")
def test_the_denial_carries_the_time_of_the_retry_which_is_exactly_three_minutes_later(
    site: Path, agent: Callable[..., Agent]
) -> None:
    ann, bob = agent("ann"), agent("bob")
    ann.write("a.txt")
    words = bob.write("a.txt")
    (wait,) = waits(site)
    denied = next(record for record in records(site) if record["event_type"] == "wait.acquired")
    assert [due - at for due, at in zip(wait["due"][:2], denied["evidence"]["now"][:2], strict=True)] == [180_000] * 2
    assert re.search(r"again at \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ", words)
    assert len(words.split()) <= 60


@covers("000:FR4.3", "001:P3.3")
def test_earlier_attempts_get_the_same_time_and_leave_the_log_as_it_is(site: Path, agent: Callable[..., Agent]) -> None:
    ann, bob = agent("ann"), agent("bob")
    ann.write("a.txt")
    first, count = bob.write("a.txt"), len(records(site))
    again = [bob.write("a.txt") for _ in range(3)]
    times = {re.search(r"again at (\S+ \S+)", words).group(1) for words in [first, *again]}  # type: ignore[union-attr]
    assert len(times) == 1
    assert len(records(site)) == count


@covers("000:FR5.2", "000:V3", "001:T6", "001:P5.1", "001:P5.2", "001:P5.3", "001:DoD4", "000:FR5.3")
def test_still_held_at_the_retry_the_agent_is_told_to_stop_and_the_operator_gets_the_report(
    site: Path, agent: Callable[..., Agent]
) -> None:
    ann, bob = agent("ann"), agent("bob", **WAITING)
    ann.write("a.txt", "hers\n")
    words = bob.write("a.txt", "his\n")
    assert "Stop this task" in words
    assert len(words.split()) <= 60
    assert bob.write("a.txt", "his\n") == words
    assert (site / "a.txt").read_text() == "hers\n"
    assert [note["phase"] for note in waits(site)] == ["waiting", "blocked"]
    (report,) = Jit(site).ask("file", "blockers")["blockers"]
    assert (report["file"], report["state"]) == ("a.txt", "waiting_for_instruction")
    assert report["owner"]["session_id"] == "ann"


@covers("000:FR5.1", "001:P3.X")
def test_a_hook_that_waits_is_granted_at_the_retry_what_was_released_meanwhile(
    site: Path, agent: Callable[..., Agent]
) -> None:
    ann, bob = agent("ann"), agent("bob", **WAITING)
    ann.write("a.txt", "hers\n")
    call = bob.begin(site / "a.txt", tool="Edit")
    wait_until(lambda: len(waits(site)) == 1)
    ann.tell("SessionEnd", reason="other")
    answer = bob.wait_for(call)
    assert (answer.code, answer.out) == (0, "")
    assert holder_of(site, "a.txt") == "bob/"


def test_a_whole_write_after_the_wait_is_refused_once_if_the_file_changed(
    site: Path, agent: Callable[..., Agent]
) -> None:
    ann, bob = agent("ann"), agent("bob", **WAITING)
    ann.write("a.txt", "one\n")
    call = bob.begin(site / "a.txt")
    wait_until(lambda: len(waits(site)) == 1)
    ann.write("a.txt", "two\n")
    ann.tell("SessionEnd", reason="other")
    assert "changed since you read it" in bob.wait_for(call).denied
    assert bob.write("a.txt", "three\n") == ""


@covers("000:FR3.1", "000:FR3.3", "000:FR6.2", "000:FR6.4", "000:V4", "001:DoD2", "001:P4.2", "001:P4.X", "L:24")
def test_a_holder_that_is_killed_frees_its_files_at_once(site: Path, agent: Callable[..., Agent]) -> None:
    ann, bob = agent("ann"), agent("bob")
    ann.write("a.txt")
    assert bob.write("a.txt", tool="Edit")
    ann.kill()
    assert bob.write("a.txt", "his\n", tool="Edit") == ""
    assert holder_of(site, "a.txt") == "bob/"


def test_a_holder_that_only_stands_still_keeps_its_files(site: Path, agent: Callable[..., Agent]) -> None:
    ann, bob = agent("ann"), agent("bob")
    ann.write("a.txt")
    os.kill(ann.process.pid, signal.SIGSTOP)
    assert bob.write("a.txt")
    os.kill(ann.process.pid, signal.SIGCONT)


def test_two_clients_that_do_not_name_their_sessions_are_two_owners(site: Path, agent: Callable[..., Agent]) -> None:
    ann, bob = agent(""), agent("")
    assert ann.write("a.txt") == ""
    assert bob.write("a.txt")
    assert ann.write("a.txt") == ""


@covers("L:24")
def test_a_process_that_got_a_dead_holders_pid_does_not_hold_its_files(site: Path, agent: Callable[..., Agent]) -> None:
    """The log is as it would be if the pid of the dead had been given to a process that lives."""
    ann, bob = agent("ann"), agent("bob")
    ann.write("a.txt")
    log = site / ".git/jit/claims.jsonl"
    (line,) = log.read_text().splitlines()
    start = json.loads(line)["payload"]["process"][3]
    changed = line.replace(f",{start},", f",{start - 1},")
    log.write_text(sealed(changed) + "\n")
    (site / ".git/jit/claims.table").unlink()
    assert bob.write("a.txt", "his\n") == ""


def sealed(line: str) -> str:
    """The line with a checksum that fits."""
    from zlib import crc32

    body = line[: line.rindex(',"crc":')]
    return f'{body},"crc":"{crc32(body.encode()):08x}"}}'


def test_a_hook_that_waits_notices_that_its_client_died_and_takes_no_lease(
    site: Path, agent: Callable[..., Agent], tmp_path: Path
) -> None:
    """The shell before the hook tells its pid, so that the end of the orphan can be seen."""
    note = tmp_path / "pid"
    before = f'echo $$ > "{note}"; '
    ann = agent("ann")
    bob = agent("bob", before=before, **WAITING | {"JIT_FILES_RETRY_INTERVAL_SECS": "3"})
    ann.write("a.txt")
    bob.begin(site / "a.txt")
    wait_until(lambda: len(waits(site)) == 1)
    bob.kill()
    ann.tell("SessionEnd", reason="other")
    wait_until(lambda: not os.path.exists(f"/proc/{note.read_text().strip()}"))
    assert holders(site) == {}
    assert [note["phase"] for note in waits(site)] == ["waiting"]


@covers("000:FR6.3", "000:FR6.5", "000:V5")
def test_a_stopped_agents_file_is_free_after_the_idle_time_and_activity_keeps_it(
    site: Path, agent: Callable[..., Agent]
) -> None:
    idle = {"JIT_FILES_STOP_IDLE_SECS": "0"}
    ann, bob = agent("ann", **idle), agent("bob")
    ann.write("a.txt")
    ann.write("b.txt")
    ann.tell("Stop")
    assert bob.write("a.txt", tool="Edit") == ""
    patient = agent("cat")
    patient.write("c.txt")
    patient.tell("Stop")
    patient.write("d.txt")
    assert [record["payload"].get("stopped", False) for record in records(site)][-2:] == [False, False]
    assert bob.write("c.txt")


def test_subagents_are_owners_of_their_own_and_end_with_their_session(site: Path, agent: Callable[..., Agent]) -> None:
    ann, bob = agent("ann"), agent("bob")
    assert ann.write("a.txt", subagent="sub-1") == ""
    assert ann.write("a.txt", subagent="sub-2")
    assert ann.write("a.txt")
    assert bob.write("a.txt")
    ann.tell("SessionEnd", reason="other")
    assert holders(site) == {}
    assert bob.write("a.txt", tool="Edit") == ""


@covers("000:FR8.1", "000:FR8.2", "000:V6", "000:C1", "001:DoD5", "L:24")
def test_index_and_head_are_touched_by_nobody_but_the_agent(site: Path, agent: Callable[..., Agent]) -> None:
    (site / "dirty.txt").write_text("work that is not committed\n")
    git(site, "add", "dirty.txt")
    before = git(site, "status", "--porcelain"), git(site, "rev-parse", "HEAD"), (site / ".git/index").read_bytes()
    ann, bob = agent("ann"), agent("bob")
    assert ann.ask("dirty.txt").denied == ""
    bob.ask("dirty.txt")
    ann.tell("Stop")
    ann.tell("SessionEnd", reason="other")
    bob.ask("dirty.txt")
    bob.kill()
    assert before == (
        git(site, "status", "--porcelain"),
        git(site, "rev-parse", "HEAD"),
        (site / ".git/index").read_bytes(),
    )


def test_reads_and_calls_that_write_nothing_are_never_gated(site: Path, agent: Callable[..., Agent]) -> None:
    ann, bob = agent("ann"), agent("bob")
    ann.write("a.txt")
    count = len(records(site))
    assert bob.ask("a.txt", tool="Read").denied == ""
    look = bob.tell("PreToolUse", tool_name="Bash", tool_input={"command": "cat a.txt; jit file list; git status"})
    assert look.denied == ""
    assert len(records(site)) == count


def test_a_shell_command_that_writes_a_held_file_is_denied(site: Path, agent: Callable[..., Agent]) -> None:
    ann, bob = agent("ann"), agent("bob")
    ann.write("a.txt")
    for command in ("echo x > a.txt", "cd . && sed -i s/a/b/ a.txt", "rm -f a.txt"):
        answer = bob.tell("PreToolUse", tool_name="Bash", tool_input={"command": command})
        assert "a.txt" in answer.denied, command
