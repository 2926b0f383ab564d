"""`jit file list`, `release` and `evict`, while clients that are real processes write through the hook."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from tests.surface.gate import ONE, TWO, Client, contenders, records
from tests.surface.jitcli import Jit
from tests.traceability import covers

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.surface


@pytest.fixture
def clients(jit: Jit) -> Iterator[tuple[Client, Client]]:
    with contenders(jit) as pair:
        yield pair


def held(jit: Jit) -> list[str]:
    return [row["file"] for row in jit.ask("file", "list")["files"]]


@covers("001:P1.1", "000:FR1.2")
def test_a_file_that_a_client_writes_is_listed_with_its_owner_and_its_times(
    jit: Jit, clients: tuple[Client, Client]
) -> None:
    one, _ = clients
    assert one.write("src/app.py") == ""
    assert one.write("src/app.py", "again\n") == ""
    listed = jit.ask("file", "list")
    assert listed["count"] == 1
    (row,) = listed["files"]
    worktree = jit.ask("worktree", "info")["worktree_id"]
    assert row["file"] == "src/app.py"
    assert row["owner"] == {
        "agent_id": "agent:claude-aaaa1111",
        "session_id": ONE,
        "subagent_id": None,
        "client": "claude",
        "pid": one.process.pid,
        "worktree_id": worktree,
    }
    (record,) = records(jit)
    payload = record["payload"]
    assert (row["lease_id"], row["fence"]) == (payload["lease_id"], payload["fence"])
    assert row["since"] == payload["acquired_at"] == row["last_heartbeat_at"]
    assert (row["scope"], row["tool"], row["content"]) == (worktree, "Write", "absent")
    assert (row["stopped"], row["lapsed"], row["shared"]) == (False, False, False)
    shown = jit("file", "list").out
    assert [word for word in ("src/app.py", one.agent, str(one.process.pid), "held") if word not in shown] == []


def test_the_content_of_a_listed_file_is_what_it_held_at_the_grant(jit: Jit, clients: tuple[Client, Client]) -> None:
    (jit.cwd / "a.txt").write_bytes(b"before\n")
    clients[0].write("a.txt")
    (row,) = jit.ask("file", "list")["files"]
    assert row["content"] == hashlib.blake2b(b"before\n", digest_size=16).hexdigest()


def test_nothing_is_listed_where_nothing_is_leased(jit: Jit) -> None:
    assert jit.ask("file", "list") == {"files": [], "count": 0}
    assert jit.ask("file", "waiters") == {"waiters": [], "count": 0}
    assert jit.ask("file", "blockers") == {"blockers": [], "count": 0}
    assert "no file is leased" in jit("file", "list").err


@covers("000:FR3.1", "000:FR3.3", "000:FR6.4", "000:V4", "001:P4.2", "001:P4.3", "001:DoD2")
def test_what_a_killed_client_held_is_free_at_once(jit: Jit, clients: tuple[Client, Client]) -> None:
    one, two = clients
    one.write("a.txt")
    one.kill()
    assert held(jit) == []
    (row,) = jit.ask("file", "list", "--all")["files"]
    assert (row["file"], row["lapsed"], row["owner"]["agent_id"]) == ("a.txt", True, one.agent)
    assert "lapsed" in jit("file", "list", "--all").out
    assert f"{one.agent}'s lease has lapsed" in jit("file", "why", "a.txt").out
    assert two.write("a.txt", "two\n") == ""
    assert jit.ask("file", "list")["files"][0]["owner"]["agent_id"] == two.agent
    assert f"its process {one.process.pid} was gone when {two.agent} asked" in jit("log").out


def test_a_client_gives_back_its_own_files_and_those_of_its_subagents(jit: Jit, clients: tuple[Client, Client]) -> None:
    one, _ = clients
    one.write("a.txt")
    one.write("b.txt", subagent="helper")
    assert held(jit) == ["a.txt", "b.txt"]
    assert jit.ask("file", "list")["files"][1]["owner"]["subagent_id"] == "helper"
    released = one.jit.ask("file", "release", "a.txt", "b.txt", "./a.txt", "--reason", "not needed")
    assert released["count"] == 2
    assert [(row["file"], row["lapsed"]) for row in released["released"]] == [("a.txt", False), ("b.txt", False)]
    assert held(jit) == []
    assert f"{one.agent} gave a.txt back: not needed" in jit("file", "history", "a.txt").out


def test_an_agent_named_on_the_command_line_gives_back_what_is_its_own(
    jit: Jit, clients: tuple[Client, Client]
) -> None:
    one, _ = clients
    one.write("a.txt")
    assert jit.ask("file", "release", "a.txt", "--agent-id", one.agent)["count"] == 1


def test_files_of_others_cannot_be_given_back_and_then_none_is(jit: Jit, clients: tuple[Client, Client]) -> None:
    one, two = clients
    one.write("a.txt")
    two.write("b.txt")
    error = two.jit.refuse(5, "file", "release", "b.txt", "a.txt")
    (row,) = [row for row in jit.ask("file", "list")["files"] if row["file"] == "a.txt"]
    since = row["since"].replace("T", " ")[:19]
    assert [word for word in ("a.txt", one.agent, since, two.agent) if word not in error["message"]] == []
    assert "jit file why a.txt" in error["hint"]
    assert error["details"]["lease_id"] == row["lease_id"]
    assert held(jit) == ["a.txt", "b.txt"]
    assert jit.refuse(3, "file", "release", "c.txt")["code"] == "not-found"


def test_an_eviction_takes_the_file_away_with_a_reason_that_is_kept(jit: Jit, clients: tuple[Client, Client]) -> None:
    one, two = clients
    one.write("a.txt")
    assert jit("file", "evict", "a.txt").code == 2
    assert jit.refuse(4, "file", "evict", "a.txt", "--reason", " ")["code"] == "invalid"
    assert jit.refuse(3, "file", "evict", "b.txt", "--reason", "hangs")["code"] == "not-found"
    done = jit.ask("file", "evict", "a.txt", "--reason", "hangs")
    assert [(row["file"], row["owner"]["agent_id"], row["lapsed"]) for row in done["evicted"]] == [
        ("a.txt", one.agent, False)
    ]
    payload = next(record["payload"] for record in records(jit) if record["event_type"] == "file.evicted")
    assert (payload["op"], payload["by"]["agent_id"], payload["why"]) == ("force-evict", "agent:ann", "hangs")
    assert f"{one.agent} lost a.txt, evicted by agent:ann: hangs" in jit("log").out
    two.write("a.txt")
    assert jit.ask("file", "list")["files"][0]["owner"]["agent_id"] == two.agent


def test_evicting_what_a_dead_client_held_says_that_it_had_lapsed(jit: Jit, clients: tuple[Client, Client]) -> None:
    clients[0].write("a.txt")
    clients[0].kill()
    assert [row["lapsed"] for row in jit.ask("file", "evict", "a.txt", "--reason", "tidy")["evicted"]] == [True]
    assert jit.ask("file", "list", "--all")["count"] == 0


def test_each_worktree_has_its_own_copy_of_a_file(jit: Jit, clients: tuple[Client, Client]) -> None:
    jit.ask("worktree", "create", "../away")
    away = jit.at(jit.cwd.parent / "away")
    clients[0].write("a.txt")
    with Client(away, TWO) as other:
        assert other.write("a.txt") == ""
    scopes = {row["scope"] for row in jit.ask("file", "list", "--all")["files"]}
    assert scopes == {place.ask("worktree", "info")["worktree_id"] for place in (jit, away)}
    assert [row["owner"]["agent_id"] for row in jit.ask("file", "why", "a.txt")["holders"]] == [clients[0].agent]
    assert jit.ask("file", "why", "../away/a.txt")["holders"] == []


@covers("000:FR6.3", "001:P4.2")
def test_what_a_client_held_is_free_when_its_session_ends(jit: Jit, clients: tuple[Client, Client]) -> None:
    one, _ = clients
    one.write("a.txt")
    one.write("b.txt", subagent="helper")
    one.tell("SessionEnd")
    assert jit.ask("file", "list", "--all")["count"] == 0
    assert f"{one.agent} gave a.txt back: the session ended" in jit("log").out


def test_a_stopped_client_is_shown_as_stopped_until_it_goes_on(jit: Jit, clients: tuple[Client, Client]) -> None:
    one, _ = clients
    one.write("a.txt")
    one.tell("Stop")
    assert [row["stopped"] for row in jit.ask("file", "list")["files"]] == [True]
    assert "the file is free in" in jit("file", "why", "a.txt").out
    assert f"{one.agent} stopped" in jit("log").out
    one.write("a.txt")
    assert [row["stopped"] for row in jit.ask("file", "list")["files"]] == [False]
    assert f"{one.agent} goes on with a.txt" in jit("log").out


def test_a_stopped_client_that_is_idle_for_too_long_holds_nothing(jit: Jit, clients: tuple[Client, Client]) -> None:
    jit.ask("config", "set", "files.stop_idle_secs", "0")
    one, two = clients
    one.write("a.txt")
    one.tell("Stop")
    assert held(jit) == []
    two.write("a.txt")
    assert jit.ask("file", "list")["files"][0]["owner"]["agent_id"] == two.agent
    assert "it had stopped and was idle for" in jit("log").out
