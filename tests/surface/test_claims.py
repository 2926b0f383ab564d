"""Claims as an agent sees them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from tests.surface.jitcli import Jit, log_of, wait_until
from tests.traceability import covers

if TYPE_CHECKING:
    from typing import Any

pytestmark = pytest.mark.surface

ULID = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
GRANTED = {
    "lease_id", "issue_id", "agent_id", "worktree_id", "branch", "ttl_secs",
    "acquired_at", "expires_at", "fence", "sequence",
}  # fmt: skip
LISTED = GRANTED - {"sequence"} | {"last_beat", "stale", "reason"}


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def is_ulid(text: str) -> bool:
    return len(text) == 26 and set(text) <= set(ULID)


@covers("L:1", "002:op.acquire", "002:op.acquire.context", "002:lease.id", "002:lease.fields", "002:lease.default-ttl")
@covers("002:T1", "002:cmd.claim.acquire", "002:schema.acquire")
def test_acquire_answers_with_the_whole_lease(jit: Jit) -> None:
    issue = jit.issue()
    lease = jit.ask("claim", "acquire", issue)
    assert set(lease) >= GRANTED
    assert (lease["issue_id"], lease["agent_id"], lease["branch"]) == (issue, "agent:ann", "main")
    assert (lease["ttl_secs"], lease["fence"], lease["sequence"]) == (600, 1, 1)
    assert is_ulid(lease["lease_id"])
    assert lease["worktree_id"] == jit.ask("worktree", "info")["worktree_id"]
    assert moment(lease["expires_at"]) - moment(lease["acquired_at"]) == timedelta(seconds=600)
    (record,) = log_of(jit).records
    assert {name: record["payload"][name] for name in lease if name in record["payload"]} == {
        name: value for name, value in lease.items() if name in record["payload"]
    }
    assert set(record["payload"]) >= GRANTED - {"sequence"}


@covers("002:envelope.control", "002:envelope.types.control")
def test_every_record_has_the_unified_envelope(jit: Jit) -> None:
    lease = jit.ask("claim", "acquire", jit.issue())["lease_id"]
    jit.ask("claim", "renew", lease)
    jit.ask("claim", "release", lease)
    lease = jit.ask("claim", "next")["lease_id"]
    jit.ask("claim", "force-evict", lease, "--reason", "x")
    state = log_of(jit)
    assert state.types == ["claim.acquired", "claim.renewed", "claim.released", "claim.acquired", "claim.evicted"]
    for record in state.records:
        assert {"schema_version", "sequence", "event_type", "timestamp", "actor", "payload"} <= set(record)
        assert (record["schema_version"], record["actor"]["agent_id"]) == (1, "agent:ann")


@covers("L:2", "002:op.acquire.refused", "002:T2")
def test_a_second_agent_is_told_who_since_when_until_when_and_what_to_do(jit: Jit) -> None:
    issue = jit.issue()
    lease = jit.ask("claim", "acquire", issue)
    error = jit.by("agent:bob").refuse(10, "claim", "acquire", issue)
    assert error["code"] == "held"
    for words in ("agent:ann", lease["worktree_id"], "since", "until", lease["expires_at"][:10]):
        assert words in error["message"]
    assert "jit claim" in error["hint"]
    assert error["details"]["lease_id"] == lease["lease_id"]


def test_an_agent_that_holds_the_issue_already_is_told_so(jit: Jit) -> None:
    issue = jit.issue()
    lease = jit.ask("claim", "acquire", issue)["lease_id"]
    error = jit.refuse(6, "claim", "acquire", issue)
    assert error["code"] == "already-exists"
    assert f"jit claim renew {lease}" in error["hint"]


@covers("L:4", "002:inv3", "002:expiry.evict", "002:schema.auto-evict", "002:T3", "002:T11")
def test_after_its_time_another_agent_gets_the_issue_and_the_log_has_one_eviction(jit: Jit) -> None:
    issue = jit.issue()
    first = jit.ask("claim", "acquire", issue, "--ttl", "1")["lease_id"]
    wait_until(lambda: jit.ask("claim", "status")["count"] == 0)
    for _ in range(10):
        assert jit.ask("claim", "status")["count"] == 0
    assert log_of(jit).types == ["claim.acquired"]
    second = jit.by("agent:bob").ask("claim", "acquire", issue)
    state = log_of(jit)
    assert state.types == ["claim.acquired", "claim.evicted", "claim.acquired"]
    payload = state.records[1]["payload"]
    assert (payload["lease_id"], payload["op"], payload["why"]) == (first, "auto-evict", "expired")
    assert (second["fence"], set(state.active)) == (2, {second["lease_id"]})
    assert jit.refuse(3, "claim", "renew", first)["code"] == "not-found"


def test_renewing_a_lease_that_ran_out_is_refused_as_expired(jit: Jit) -> None:
    issue = jit.issue()
    lease = jit.ask("claim", "acquire", issue, "--ttl", "1")["lease_id"]
    wait_until(lambda: jit.ask("claim", "status")["count"] == 0)
    result = jit("claim", "renew", lease, "--json")
    assert (result.code, result.error["code"]) == (12, "expired")
    assert f"jit claim acquire {issue}" in result.error["hint"]


@covers("L:5", "002:op.renew", "002:T4", "002:cmd.claim.renew", "002:schema.renew", "002:inv2")
def test_renew_extends_and_is_refused_to_everybody_else(jit: Jit) -> None:
    lease = jit.ask("claim", "acquire", jit.issue(), "--ttl", "60")
    renewed = jit.ask("claim", "renew", lease["lease_id"], "--ttl", "2h")
    assert (renewed["lease_id"], renewed["ttl_secs"], renewed["fence"]) == (lease["lease_id"], 7200, lease["fence"])
    assert renewed["expires_at"] > lease["expires_at"]
    assert renewed["acquired_at"] == lease["acquired_at"]
    record = log_of(jit).records[-1]
    assert (record["payload"]["ttl_secs"], record["payload"]["expires_at"]) == (7200, renewed["expires_at"])
    before = jit.ask("claim", "list")["leases"]
    assert jit.refuse(3, "claim", "renew", "01" + "0" * 24)["code"] == "not-found"
    other = jit.by("agent:bob").refuse(5, "claim", "renew", lease["lease_id"])
    assert "agent:ann" in other["message"]
    assert "agent:bob" in other["message"]
    assert _without_time(jit.ask("claim", "list")["leases"]) == _without_time(before)


@covers("L:5", "002:inv2")
def test_the_same_agent_in_another_worktree_is_another_owner(jit: Jit) -> None:
    lease = jit.ask("claim", "acquire", jit.issue())["lease_id"]
    away = jit.at(jit.cwd.parent / "away")
    jit.ask("worktree", "create", "../away")
    assert away.refuse(5, "claim", "renew", lease)["code"] == "not-permitted"
    assert away.refuse(5, "claim", "release", lease)["code"] == "not-permitted"
    assert set(log_of(jit).active) == {lease}


@covers("L:6", "002:op.release", "002:cmd.claim.release", "002:schema.release")
def test_release_by_lease_and_by_issue_frees_the_issue(jit: Jit) -> None:
    issue = jit.issue()
    for name in ("lease_id", "issue_id"):
        lease = jit.ask("claim", "acquire", issue)
        released = jit.ask("claim", "release", lease[name], "--reason", "done ✓")["released"]
        assert released["lease_id"] == lease["lease_id"]
        record = log_of(jit).records[-1]
        assert (record["event_type"], record["payload"]["by"]["agent_id"]) == ("claim.released", "agent:ann")
        assert record["payload"]["why"] == "done ✓"
    assert jit.ask("claim", "list") == {"leases": [], "count": 0}


@covers("L:6", "002:op.evict", "002:T5", "002:cmd.claim.force-evict", "002:schema.force-evict")
def test_others_end_a_claim_only_by_eviction_with_a_reason(jit: Jit) -> None:
    bob = jit.by("human:bob")
    lease = jit.ask("claim", "acquire", jit.issue())["lease_id"]
    assert bob.refuse(5, "claim", "release", lease)["code"] == "not-permitted"
    assert bob("claim", "force-evict", lease).code == 2
    assert bob.refuse(4, "claim", "force-evict", lease, "--reason", " ")["code"] == "invalid"
    assert bob.ask("claim", "force-evict", lease, "--reason", "crashed")["evicted"]["lease_id"] == lease
    payload = log_of(jit).records[-1]["payload"]
    assert (payload["op"], payload["by"]["agent_id"], payload["why"]) == ("force-evict", "human:bob", "crashed")
    assert jit.refuse(3, "claim", "renew", lease)["code"] == "not-found"


@covers("L:7", "002:ttl0.1", "002:ttl0.3", "002:ttl0.5", "002:ttl0.6", "002:config.coordination.max_indefinite_leases")
def test_a_claim_without_end_needs_a_reason_and_room(jit: Jit) -> None:
    issues = [jit.issue(f"i{n}") for n in range(4)]
    assert jit.refuse(4, "claim", "acquire", issues[0], "--ttl", "0")["code"] == "invalid"
    for issue in issues[:2]:
        lease = jit.ask("claim", "acquire", issue, "--ttl", "0", "--reason", "migration")
        assert (lease["ttl_secs"], lease["expires_at"]) == (0, None)
    shown = jit.ask("claim", "status", "--issue", issues[0])["leases"][0]
    assert (shown["reason"], shown["expires_at"], shown["stale"]) == ("migration", None, False)
    assert jit.refuse(14, "claim", "acquire", issues[2], "--ttl", "0", "--reason", "more")["code"] == "limit"
    tight = jit.by("agent:bob").where(JIT_COORDINATION_MAX_INDEFINITE_LEASES_PER_REPO="2")
    assert tight.refuse(14, "claim", "acquire", issues[2], "--ttl", "0", "--reason", "more")["code"] == "limit"
    assert jit("claim", "acquire", issues[3]).code == 0
    assert "claim.refused" in log_of(jit).types


@covers("002:ttl0.4")
def test_settings_may_forbid_claims_without_end(jit: Jit) -> None:
    strict = jit.where(JIT_COORDINATION_MAX_INDEFINITE_LEASES_PER_AGENT="0")
    error = strict.refuse(5, "claim", "acquire", jit.issue(), "--ttl", "0", "--reason", "why")
    assert error["code"] == "not-permitted"


@covers(
    "L:8", "002:expiry.stale", "002:ttl0.2", "002:ttl0.7", "002:config.coordination.stale_threshold_secs", "002:AC4"
)
@covers("002:op.renew.indefinite", "002:schema.heartbeat-record")
def test_a_silent_claim_without_end_goes_stale_and_a_heartbeat_makes_it_good(jit: Jit) -> None:
    ann = jit.where(JIT_COORDINATION_STALE_THRESHOLD_SECS="1")
    issue = ann.issue()
    lease = ann.ask("claim", "acquire", issue, "--ttl", "0", "--reason", "long")["lease_id"]
    wait_until(lambda: bool(_only(ann)["stale"]))
    assert ann.by("agent:bob").refuse(10, "claim", "acquire", issue)["code"] == "held"
    assert ann.refuse(12, "issue", "update", issue, "--state", "in_progress")["code"] == "expired"
    silent = _only(ann)["last_beat"]
    ann.ask("claim", "heartbeat", lease)
    assert (_only(ann)["stale"], _only(ann)["last_beat"] > silent) == (False, True)
    assert log_of(jit).types[-1] == "claim.heartbeat"
    wait_until(lambda: bool(_only(ann)["stale"]))
    ann.by("human:op").ask("claim", "force-evict", lease, "--reason", "silent")
    assert ann.by("agent:bob").ask("claim", "acquire", issue)["fence"] == 2


@covers("002:op.transfer", "002:op.transfer.owner", "002:cmd.claim.transfer")
def test_transfer_gives_the_issue_to_another_agent_and_worktree(jit: Jit) -> None:
    issue = jit.issue()
    place = jit.ask("worktree", "create", "../away", "--branch", "agents/away")["worktree_id"]
    away = Jit(jit.cwd.parent / "away", "agent:bob")
    lease = jit.ask("claim", "acquire", issue)
    words = ("--to-agent", "agent:bob", "--to-worktree", place, "--reason", "yours")
    assert jit.by("agent:eve").refuse(5, "claim", "transfer", lease["lease_id"], *words)["code"] == "not-permitted"
    moved = jit.ask("claim", "transfer", lease["lease_id"], *words)
    assert (moved["agent_id"], moved["worktree_id"], moved["branch"]) == ("agent:bob", place, "agents/away")
    assert moved["lease_id"] != lease["lease_id"]
    assert moved["fence"] > lease["fence"]
    payload = log_of(jit).records[-1]["payload"]
    assert (payload["previous"], payload["by"]["agent_id"], payload["why"]) == (lease["lease_id"], "agent:ann", "yours")
    assert jit.refuse(3, "claim", "release", lease["lease_id"])["code"] == "not-found"
    assert away.ask("claim", "renew", moved["lease_id"])["fence"] == moved["fence"]


@covers("002:cmd.claim.status", "002:cmd.claim.list", "002:read.claims")
def test_status_and_list_show_what_is_held_by_issue_and_by_agent(jit: Jit) -> None:
    one, two = jit.issue("one"), jit.issue("two")
    jit.ask("claim", "acquire", one)
    jit.by("agent:bob").ask("claim", "acquire", two)
    everything = jit.ask("claim", "list")
    assert set(everything) == {"leases", "count"}
    assert everything["count"] == 2
    for row in everything["leases"]:
        assert set(row) >= LISTED
    assert [x["issue_id"] for x in jit.ask("claim", "status", "--agent", "agent:bob")["leases"]] == [two]
    assert [x["issue_id"] for x in jit.ask("claim", "status", "--issue", one[:20])["leases"]] == [one]
    plain = jit("claim", "status").out
    assert (one in plain, "agent:bob" in plain) == (True, True)


def _only(jit: Jit) -> dict[str, Any]:
    (row,) = jit.ask("claim", "list")["leases"]
    found: dict[str, Any] = row
    return found


def _without_time(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "remaining_secs"} for row in rows]
