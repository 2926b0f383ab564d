"""Two clients, one file: who waits, until when, who is blocked, and how the operator lets them go on."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from tests.docs.contract import faults
from tests.surface.gate import ONE, TWO, Client, contenders, moment, records
from tests.surface.jitcli import Jit, wait_until
from tests.traceability import covers

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.surface


@pytest.fixture
def clients(jit: Jit) -> Iterator[tuple[Client, Client]]:
    with contenders(jit) as pair:
        yield pair


@covers("000:FR2.1", "000:FR2.2", "001:P2.X", "001:T5", "001:DoD1")
def test_two_clients_that_write_one_file_are_never_both_listed(jit: Jit, clients: tuple[Client, Client]) -> None:
    one, two = clients
    assert one.write("a.txt", "one\n") == ""
    assert two.write("a.txt", "two\n") != ""
    assert [row["owner"]["agent_id"] for row in jit.ask("file", "list")["files"]] == [one.agent]
    assert (jit.cwd / "a.txt").read_text() == "one\n"


@covers("000:FR4.1", "000:FR4.2", "000:FR4.3", "001:P3.1", "001:P3.2", "001:P3.3", "001:DoD3", "000:S2", "000:V2")
def test_a_denied_client_waits_for_one_retry_exactly_three_minutes_later(jit: Jit) -> None:
    jit.ask("config", "set", "files.on_contention", "deny")
    with Client(jit, ONE) as one, Client(jit, TWO) as two:
        one.write("a.txt")
        words = two.write("a.txt")
        (row,) = jit.ask("file", "waiters")["waiters"]
        assert (row["file"], row["state"], row["tool"]) == ("a.txt", "waiting", "Write")
        assert (row["waiter"]["agent_id"], row["holder"]["agent_id"]) == (two.agent, one.agent)
        assert moment(row["retry_at"]) - moment(row["since"]) == timedelta(seconds=180)
        assert row["retry_at"].replace("T", " ")[:19] in words
        before = records(jit)
        assert two.write("a.txt") != ""
        assert records(jit) == before
        assert jit.ask("file", "waiters", "a.txt")["waiters"] == [row]
        assert jit.ask("file", "waiters", "b.txt")["count"] == 0
        until = f"{two.agent} waits for a.txt, held by {one.agent}, until {row['retry_at'].replace('T', ' ')[:19]}"
        assert until in jit("log").out
        assert jit.refuse(4, "file", "resume", "a.txt")["details"] == {"wait_id": row["wait_id"]}


@covers("000:FR5.2", "000:FR5.3", "000:V3", "001:P5.1", "001:P5.2", "001:P5.3", "001:P5.X", "001:T6", "001:DoD4")
@covers("000:FR7.1", "000:FR7.2", "000:FR7.3", "000:FR7.4", "000:FR7.6", "001:P3.X", "000:S3")
def test_a_file_still_held_at_the_retry_is_a_blocker_with_the_whole_report(
    jit: Jit, clients: tuple[Client, Client]
) -> None:
    one, two = clients
    one.write("a.txt", "one\n")
    words = two.write("a.txt", "two\n")
    document = jit.ask("file", "blockers")
    (report,) = document["blockers"]
    assert document["count"] == 1
    assert (report["file"], report["state"]) == ("a.txt", "waiting_for_instruction")
    (row,) = jit.ask("file", "list")["files"]
    assert report["owner"] == row["owner"]
    assert report["last_heartbeat_at"] == row["last_heartbeat_at"]
    assert report["lock_age_secs"] >= 1
    assert report["retry_interval_secs"] == 1
    assert report["blocked"]["agent_id"] == two.agent
    assert moment(report["blocked_since"]) - moment(row["since"]) >= timedelta(seconds=1)
    assert report["blocker_id"] in words
    assert [option for option in report["options"] if not option.startswith("jit file ")] == []
    assert two.write("a.txt", "two\n") == words
    assert (jit.cwd / "a.txt").read_text() == "one\n"
    assert [record["event_type"] for record in records(jit)] == ["file.acquired", "wait.acquired", "wait.renewed"]
    assert "blocked after one retry" in jit("log").out
    assert jit.ask("status")["counts"]["files"] == {"held": 1, "waiting": 1, "blocked": 1}
    assert jit.ask("status")["next"] == "jit file blockers"


@covers("000:FR5.1", "000:S3")
def test_a_client_whose_retry_finds_the_file_free_only_sees_a_slow_edit(jit: Jit) -> None:
    jit.ask("config", "set", "files.retry_interval_secs", "5")
    with Client(jit, ONE) as one, Client(jit, TWO) as two, ThreadPoolExecutor(1) as pool:
        one.write("a.txt", "one\n")
        slow = pool.submit(two.write, "a.txt", "two\n", tool="Edit")
        wait_until(lambda: jit.ask("file", "waiters")["count"] == 1)
        one.tell("SessionEnd")
        assert slow.result(60) == ""
        assert (jit.cwd / "a.txt").read_text() == "two\n"
        assert jit.ask("file", "waiters")["count"] == 0
        grants = [moment(r["timestamp"]) for r in records(jit) if r["event_type"].endswith(".acquired")]
        assert grants[-1] - grants[1] >= timedelta(seconds=5)


@covers("001:P1.3")
def test_every_command_prints_what_its_contract_promises(jit: Jit, clients: tuple[Client, Client]) -> None:
    one, two = clients
    one.write("a.txt")
    one.write("b.txt", subagent="helper")
    two.write("a.txt")
    calls = [("list",), ("why", "a.txt"), ("waiters",), ("blockers",), ("history", "a.txt"), ("resume", "a.txt")]
    for words in (*calls, ("evict", "a.txt", "--reason", "x"), ("release", "b.txt", "--agent-id", one.agent)):
        document = jit.ask("file", *words)
        assert document.get("count") != 0
        assert faults(f"file {words[0]}", document) == []
    assert faults("log at", jit.ask("log", "at", "0s")) == []
    assert faults("status", jit.ask("status")) == []


@covers("000:FR7.5")
def test_waits_that_close_a_circle_are_blockers_at_once(jit: Jit) -> None:
    jit.ask("config", "set", "files.on_contention", "deny")
    with Client(jit, ONE) as one, Client(jit, TWO) as two:
        one.write("a.txt")
        two.write("b.txt")
        assert "b.txt" in one.write("b.txt")
        assert jit.ask("file", "blockers")["count"] == 0
        assert "a.txt" in two.write("a.txt")
        (report,) = jit.ask("file", "blockers")["blockers"]
        assert (report["why"], report["blocked"]["agent_id"], report["retry_interval_secs"]) == (
            "deadlock",
            two.agent,
            180,
        )
        assert "deadlock" in jit("file", "blockers").out


@covers("000:S4")
def test_a_blocked_client_goes_on_after_the_release_and_a_resume(jit: Jit, clients: tuple[Client, Client]) -> None:
    one, two = clients
    one.write("a.txt", "one\n")
    two.write("a.txt", "two\n")
    (report,) = jit.ask("file", "blockers")["blockers"]
    assert jit.refuse(3, "file", "resume", "b.txt")["code"] == "not-found"
    one.jit.ask("file", "release", "a.txt")
    resumed = jit.ask("file", "resume", report["blocker_id"][:-3].lower(), "--reason", "one is done")["resumed"]
    assert [(row["blocker_id"], row["blocked"]["agent_id"]) for row in resumed] == [(report["blocker_id"], two.agent)]
    assert jit.ask("file", "blockers")["count"] == 0
    assert f"agent:ann let {two.agent} try a.txt again: one is done" in jit("log").out
    denied = two.write("a.txt", "two\n")
    assert "changed since" in denied  # what it knew of the file was old: it reads again, and holds the file meanwhile
    assert two.write("a.txt", "two\n") == ""
    assert (jit.cwd / "a.txt").read_text() == "two\n"


def test_a_resume_by_path_lets_everybody_there_begin_a_new_round(jit: Jit, clients: tuple[Client, Client]) -> None:
    one, two = clients
    one.write("a.txt")
    two.write("a.txt")
    (jit.cwd / "deep").mkdir()
    assert "resumed" in jit.at(jit.cwd / "deep")("file", "resume", "../a.txt").out
    assert jit.ask("file", "waiters")["count"] == 0
    assert two.write("a.txt") != ""
    assert jit.ask("file", "blockers")["count"] == 1


def test_a_block_is_no_blocker_any_more_once_the_holder_is_gone(jit: Jit, clients: tuple[Client, Client]) -> None:
    one, two = clients
    one.write("a.txt")
    two.write("a.txt")
    one.kill()
    assert jit.ask("file", "blockers")["count"] == 0
    (row,) = jit.ask("file", "waiters")["waiters"]
    assert (row["state"], row["holder"]) == ("free", None)
    assert "may go on" in jit("file", "why", "a.txt").out


def test_a_client_that_nobody_contends_with_hears_nothing(jit: Jit, clients: tuple[Client, Client]) -> None:
    one, two = clients
    assert [one.write("a.txt"), two.write("b.txt"), one.write("a.txt")] == ["", "", ""]


@covers("000:FR8.2", "000:V6", "001:DoD5")
def test_neither_the_gate_nor_its_commands_stage_or_commit_anything(jit: Jit, clients: tuple[Client, Client]) -> None:
    def state() -> str:
        words = ["sh", "-c", "git rev-parse HEAD; git ls-files --stage"]
        return subprocess.run(words, cwd=jit.cwd, check=True, capture_output=True, text=True, timeout=60).stdout

    before = state()
    one, two = clients
    one.write("a.txt")
    two.write("a.txt")
    jit.ask("file", "resume", "a.txt")
    jit.ask("file", "evict", "a.txt", "--reason", "hangs")
    one.tell("SessionEnd")
    assert state() == before
