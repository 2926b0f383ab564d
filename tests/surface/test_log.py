"""`jit log`, `log at`, `log archive` and `claim history`, as a person and as a program see them."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, Any

import pytest

from tests.surface.keeping import PATIENCE_S, Ground
from tests.traceability import covers

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path / "repository")


def items(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@covers("002:AC7", "002:inv5")
def test_every_operation_on_a_claim_is_in_the_log(ground: Ground) -> None:
    issue = ground.issue()
    lease = ground.ok("claim", "acquire", issue)["lease_id"]
    ground.run("claim", "acquire", issue, agent="agent:two")
    ground.run("claim", "release", lease, agent="agent:two")
    ground.ok("claim", "renew", lease)
    given = ground.ok("claim", "transfer", lease, "--to-agent", "agent:two", "--reason", "night shift")["lease_id"]
    ground.ok("claim", "force-evict", given, "--reason", "out for lunch", agent="human:boss")
    last = ground.ok("claim", "acquire", issue, "--ttl", "0", "--reason", "long")["lease_id"]
    ground.ok("claim", "renew", last)
    ground.ok("claim", "release", last)
    verbs = [record["event_type"].removeprefix("claim.") for record in items(ground.run("log", "--json"))]
    before = ["acquired", "denied", "refused", "renewed", "transferred", "evicted"]
    assert verbs == [*before, "acquired", "renewed", "released"]


def test_every_event_is_one_line_that_explains_the_decision(ground: Ground) -> None:
    issue = ground.issue()
    lease = ground.ok("claim", "acquire", issue)["lease_id"]
    ground.run("claim", "acquire", issue, agent="agent:two")
    ground.ok("claim", "force-evict", lease, "--reason", "out for lunch", agent="human:boss")
    lines = ground.run("log").stdout.splitlines()
    assert len(lines) == 3
    assert f"agent:two was denied issue {issue}: held by agent:one since" in lines[1]
    assert "evicted by human:boss: out for lunch" in lines[2]


@covers("002:envelope.control")
def test_with_json_each_line_is_the_record_as_the_log_has_it(ground: Ground) -> None:
    for title in ("one", "two"):
        ground.ok("claim", "acquire", ground.issue(title))
    records = items(ground.run("log", "--json"))
    assert records == ground.events()
    envelope = {"schema_version", "sequence", "event_type", "timestamp", "actor", "payload"}
    assert all(envelope <= set(record) for record in records)


def test_a_limit_shows_the_newest_and_nought_shows_all(ground: Ground) -> None:
    lease = ground.ok("claim", "acquire", ground.issue())["lease_id"]
    for _ in range(4):
        ground.ok("claim", "renew", lease)
    assert [x["sequence"] for x in items(ground.run("log", "-n", "2", "--json"))] == [4, 5]
    assert [x["sequence"] for x in items(ground.run("log", "--limit", "0", "--json"))] == [1, 2, 3, 4, 5]


def test_events_can_be_chosen_by_issue_agent_and_batch(ground: Ground) -> None:
    one, two = ground.issue("one"), ground.issue("two")
    ground.ok("claim", "acquire", one)
    ground.run("claim", "acquire", one, agent="agent:two")
    ground.ok("claim", "acquire", two, agent="agent:three")
    assert [x["sequence"] for x in items(ground.run("log", "--issue", one.lower(), "--json"))] == [1, 2]
    assert [x["sequence"] for x in items(ground.run("log", "--agent", "agent:two", "--json"))] == [2]
    batch = ground.events()[2]["batch"]["id"]
    assert [x["sequence"] for x in items(ground.run("log", "--batch", batch, "--json"))] == [3]


def test_an_unknown_batch_is_not_found(ground: Ground) -> None:
    done = ground.run("log", "--batch", "01" + "0" * 24, "--json")
    assert done.returncode == 3
    assert json.loads(done.stdout)["error"]["code"] == "not-found"


def test_an_empty_log_shows_nothing_and_is_no_fault(ground: Ground) -> None:
    done = ground.run("log")
    assert (done.returncode, done.stdout) == (0, "")


def test_words_from_elsewhere_cannot_steer_the_terminal(ground: Ground) -> None:
    lease = ground.ok("claim", "acquire", ground.issue())["lease_id"]
    ground.ok("claim", "release", lease, "--reason", "done\x1b[2J\nforged line")
    lines = ground.run("log").stdout.splitlines()
    assert len(lines) == 2
    assert "\x1b" not in lines[1]


def test_the_tail_that_was_never_finished_is_not_shown(ground: Ground) -> None:
    ground.ok("claim", "acquire", ground.issue())
    with ground.log_file.open("ab") as file:
        file.write(b'{"schema_version":1,"sequence":2,"event')
    assert [x["sequence"] for x in items(ground.run("log", "--json"))] == [1]


def test_following_shows_the_last_and_then_what_is_appended_also_across_an_archive(ground: Ground) -> None:
    issue = ground.issue()
    lease = ground.ok("claim", "acquire", issue)["lease_id"]
    following = ground.start("log", "--follow", "--json")
    assert following.stdout is not None
    try:
        assert json.loads(following.stdout.readline())["sequence"] == 1
        ground.ok("claim", "renew", lease)
        assert json.loads(following.stdout.readline())["sequence"] == 2
        ground.ok("claim", "renew", lease)
        ground.ok("log", "archive")
        ground.ok("claim", "release", lease)
        later = [json.loads(following.stdout.readline()) for _ in range(2)]
    finally:
        following.send_signal(signal.SIGINT)
        following.communicate(timeout=PATIENCE_S)
    assert [record["event_type"] for record in later] == ["claim.renewed", "claim.released"]
    assert [record["sequence"] for record in later] == [3, 4]
    assert following.returncode == 130


def test_who_held_what_at_a_moment(ground: Ground) -> None:
    issue = ground.issue()
    taken = ground.ok("claim", "acquire", issue)
    ground.ok("claim", "release", taken["lease_id"])
    released_at = ground.events("claim.released")[0]["timestamp"]
    then = ground.ok("log", "at", taken["acquired_at"])
    assert (then["at"], then["count"]) == (taken["acquired_at"], 1)
    assert then["leases"][0]["lease_id"] == taken["lease_id"]
    assert ground.ok("log", "at", released_at)["count"] == 0
    assert ground.ok("log", "at", "10m") | {"at": ""} == {"at": "", "leases": [], "count": 0, "files": []}


def test_a_lease_that_had_run_out_by_then_is_not_shown_as_held(ground: Ground) -> None:
    taken = ground.ok("claim", "acquire", ground.issue(), "--ttl", "60")
    minute = taken["acquired_at"][:17]
    assert ground.ok("log", "at", taken["acquired_at"])["count"] == 1
    assert ground.ok("log", "at", f"2100{minute[4:]}00Z")["count"] == 0


@pytest.mark.parametrize("word", ["14:32", "14:32:05", "90s", "2h", "2026-01-03T12:00:00+02:00", "2026-01-03"])
def test_moments_can_be_said_in_several_ways(ground: Ground, word: str) -> None:
    assert ground.ok("log", "at", word)["count"] == 0


def test_a_word_that_is_no_time_is_refused_with_examples(ground: Ground) -> None:
    done = ground.run("log", "at", "yesterday")
    assert done.returncode == 4
    assert "jit log at 14:32" in done.stderr


@covers("002:seq.archive")
def test_archiving_moves_the_records_and_history_stays_as_it_was(ground: Ground) -> None:
    issue = ground.issue()
    lease = ground.ok("claim", "acquire", issue)["lease_id"]
    before = items(ground.run("log", "--json"))
    done = ground.ok("log", "archive")
    assert (done["records"], done["carried"]) == (1, 1)
    assert done["segment"].endswith(".jsonl.gz")
    assert items(ground.run("log", "--json")) == before
    ground.ok("claim", "release", lease)
    assert [x["sequence"] for x in items(ground.run("log", "--json"))] == [1, 2]
    assert ground.ok("validate", "all")["valid"]


def test_archiving_twice_moves_nothing_the_second_time(ground: Ground) -> None:
    ground.ok("claim", "acquire", ground.issue())
    ground.ok("log", "archive")
    again = ground.ok("log", "archive")
    assert (again["segment"], again["records"]) == (None, 0)


def test_a_damaged_log_is_not_archived(ground: Ground) -> None:
    ground.ok("claim", "acquire", ground.issue())
    spoilt = ground.log_file.read_bytes().replace(b"agent:one", b"agent:0ne")
    ground.log_file.write_bytes(spoilt)
    done = ground.run("log", "archive")
    assert done.returncode == 21
    assert "jit doctor --fix" in done.stderr
    assert ground.log_file.read_bytes() == spoilt


def test_the_history_of_an_issue_is_all_its_events_and_no_others(ground: Ground) -> None:
    one, two = ground.issue("one"), ground.issue("two")
    lease = ground.ok("claim", "acquire", one)["lease_id"]
    ground.ok("claim", "acquire", two)
    ground.ok("log", "archive")
    ground.ok("claim", "release", lease)
    story = ground.ok("claim", "history", one[:10] if one[:10] != two[:10] else one)
    assert story["issue_id"] == one
    assert [event["event_type"] for event in story["events"]] == ["claim.acquired", "claim.released"]
    assert story["count"] == 2
