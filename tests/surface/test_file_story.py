"""A file's story, and the places beside `jit file` where leases on files are told or must not be mistaken."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

import pytest

from tests.surface.gate import Client, contenders, records
from tests.surface.jitcli import Jit, control_plane
from tests.traceability import covers

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.surface


@pytest.fixture
def clients(jit: Jit) -> Iterator[tuple[Client, Client]]:
    with contenders(jit) as pair:
        yield pair


@covers("000:FR1.3")
def test_why_tells_the_whole_story_from_any_directory_and_for_any_spelling(
    jit: Jit, clients: tuple[Client, Client]
) -> None:
    one, two = clients
    one.write("src/deep/a.txt")
    two.write("src/deep/a.txt")
    (jit.cwd / "link").symlink_to("src")
    story = jit.ask("file", "why", "src/deep/a.txt")
    assert story["file"] == "src/deep/a.txt"
    assert story["holders"] == jit.ask("file", "list")["files"]
    assert story["waiters"] == jit.ask("file", "waiters")["waiters"]
    assert story["events"] == records(jit)
    inside = jit.at(jit.cwd / "src/deep")
    assert inside.ask("file", "why", "a.txt") == story
    assert inside.ask("file", "why", "../../link/deep/./a.txt") == story
    assert jit.ask("file", "why", str(jit.cwd / "src/deep/a.txt")) == story
    told = inside("file", "why", "a.txt").out
    (holder,) = story["holders"]
    (waiter,) = story["waiters"]
    facts = (one.agent, "client claude", f"pid {one.process.pid}", holder["lease_id"], two.agent, waiter["wait_id"])
    assert [fact for fact in (*facts, holder["since"].replace("T", " ")[:19]) if fact not in told] == []
    assert told.rstrip().endswith(f"next: jit file resume {waiter['wait_id']}")


def test_why_shows_no_more_than_the_last_five_events_and_history_shows_all(
    jit: Jit, clients: tuple[Client, Client]
) -> None:
    one, two = clients
    for _ in range(3):
        one.write("a.txt")
        one.jit.ask("file", "release", "a.txt")
    two.write("b.txt")
    about = [record for record in records(jit) if "b.txt" not in json.dumps(record["payload"])]
    told = [record for record in about if not record["event_type"].startswith("seen.")]
    assert len(told) == 6
    assert jit.ask("file", "why", "a.txt")["events"] == told[-5:]
    history = jit.ask("file", "history", "a.txt")
    assert (history["events"], history["count"]) == (told, 6)
    assert len(jit("file", "history", "a.txt").out.splitlines()) == 6


def test_why_of_a_file_that_nobody_ever_held_says_so(jit: Jit) -> None:
    assert jit.ask("file", "why", "new.txt") == {"file": "new.txt", "holders": [], "waiters": [], "events": []}
    assert "held by     nobody" in jit("file", "why", "new.txt").out
    assert jit.ask("file", "history", "new.txt") == {"file": "new.txt", "events": [], "count": 0}


@pytest.mark.parametrize("verb", ["why", "history", "waiters", "release"])
def test_a_path_outside_the_repository_is_refused(jit: Jit, verb: str) -> None:
    error = jit.refuse(4, "file", verb, "/etc/hosts")
    assert "is not a file of this repository" in error["message"]
    assert jit.refuse(4, "file", verb, ".git/config")["code"] == "invalid"


def test_what_owners_saw_is_in_the_log_for_programs_and_not_for_people(
    jit: Jit, clients: tuple[Client, Client]
) -> None:
    jit.ask("config", "set", "files.stop_idle_secs", "0")
    one, two = clients
    one.write("a.txt")
    one.tell("Stop")
    two.write("a.txt")
    assert "seen.renewed" in [record["event_type"] for record in records(jit)]
    assert "seen." not in jit("log").out
    assert "seen." not in jit("file", "history", "a.txt").out
    assert [event for event in jit.ask("status")["events"] if event["event_type"].startswith("seen.")] == []
    assert [json.loads(line) for line in jit("log", "--json").out.splitlines()] == records(jit)


def test_the_log_tells_which_files_were_held_at_a_moment(jit: Jit, clients: tuple[Client, Client]) -> None:
    one, _ = clients
    one.write("a.txt")
    since = records(jit)[0]["timestamp"]
    one.tell("SessionEnd")
    then = jit.ask("log", "at", since)
    assert ([row["file"] for row in then["files"]], then["leases"]) == (["a.txt"], [])
    assert jit.ask("log", "at", "0s")["files"] == []
    assert one.agent in jit("log", "at", since).out


def test_claims_are_counted_and_checked_without_the_files(jit: Jit, clients: tuple[Client, Client]) -> None:
    one, two = clients
    one.write("a.txt")
    two.write("a.txt")
    assert jit.ask("claim", "list")["count"] == 0
    assert jit.ask("claim", "status", "--agent", one.agent)["count"] == 0
    status = jit.ask("status")
    assert (status["counts"]["claims"], status["counts"]["yours"], status["claims"]) == (0, 0, [])
    assert jit.ask("worktree", "info")["claims"] == 0
    checked = jit.ask("validate", "leases")["checks"][0]
    assert (checked["problems"], checked["notes"]) == ([], [])
    doctor = {check["name"]: check["state"] for check in jit.ask("doctor")["checks"]}
    assert doctor["worktrees"] == "ok"
    assert jit("validate", "replay").code == 0


def test_two_leases_on_one_file_are_a_problem_that_validation_finds(jit: Jit, clients: tuple[Client, Client]) -> None:
    one, _ = clients
    one.write("a.txt")
    one.tell("SessionEnd")
    one.write("a.txt")
    assert jit.ask("validate", "leases")["valid"] is True
    plane = control_plane(jit)
    first, ended, second = (plane / "claims.jsonl").read_bytes().splitlines()
    assert b"file.released" in ended
    text = second.replace(b'"sequence":3', b'"sequence":2', 1).rpartition(b',"crc":"')[0]
    forged = b'%s,"crc":"%08x"}' % (text, zlib.crc32(text))
    (plane / "claims.jsonl").write_bytes(first + b"\n" + forged + b"\n")
    for cache in ("claims.table", "claims.index.json"):
        (plane / cache).unlink(missing_ok=True)
    result = jit("validate", "leases", "--json")
    (problem,) = result.json["checks"][0]["problems"]
    assert (result.code, problem["hint"]) == (4, 'jit file evict a.txt --reason "two leases on one file"')
    assert len(problem["details"]["leases"]) == 2


def test_a_name_that_could_steer_a_terminal_is_shown_harmlessly(jit: Jit, clients: tuple[Client, Client]) -> None:
    clients[0].write("a\x1b[31m.txt")
    for words in (("list",), ("why", "a\x1b[31m.txt"), ("history", "a\x1b[31m.txt")):
        assert "\x1b" not in jit("file", *words, "--color", "never").out
