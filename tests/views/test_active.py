"""The rows that people and programs see, against a calendar and arithmetic of their own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jit.kernel.policy import Ttl
from jit.kernel.record import replace
from jit.views.active import active, active_row, clock_text, duration, granted_row, remaining_ms, subject, ttl_secs
from tests.kernel.made import ALIVE, ANN, BOB, ENDLESS, REVS, START, known, later, made_lease
from tests.traceability import covers

NOON = datetime(2026, 1, 3, 12, tzinfo=UTC)


@covers("002:lease.fields")
def test_a_granted_row_has_every_field_of_a_lease() -> None:
    row = granted_row(made_lease())
    assert list(row) == [
        "lease_id", "issue_id", "agent_id", "worktree_id", "branch", "ttl_secs", "acquired_at", "expires_at", "fence",
    ]  # fmt: skip
    assert (row["lease_id"], row["issue_id"], row["agent_id"]) == ("L1", "1", "agent:ann")
    assert (row["worktree_id"], row["branch"], row["ttl_secs"], row["fence"]) == ("wt:0000000a", "main", 600, 1)
    assert datetime.fromisoformat(str(row["acquired_at"])) == NOON
    assert datetime.fromisoformat(str(row["expires_at"])) == NOON + timedelta(seconds=600)


def test_a_renewal_moves_the_end_and_not_the_beginning() -> None:
    row = granted_row(replace(made_lease(), renewed=later(300_000)))
    assert datetime.fromisoformat(str(row["acquired_at"])) == NOON
    assert datetime.fromisoformat(str(row["expires_at"])) == NOON + timedelta(seconds=900)


@pytest.mark.parametrize("policy", [ENDLESS, ALIVE, REVS])
def test_a_lease_without_a_time_to_live_has_no_end_in_its_row(policy: object) -> None:
    row = active_row(replace(made_lease(), policy=policy), known())
    assert (row["ttl_secs"], row["expires_at"], row["remaining_secs"]) == (0, None, None)


@covers("L:8")
def test_an_active_row_adds_the_last_sign_of_life_staleness_and_the_reason() -> None:
    lease = replace(made_lease(policy=ENDLESS), beat=later(5000))
    fresh, stale = active_row(lease, known(later(3_605_000))), active_row(lease, known(later(3_605_001)))
    assert datetime.fromisoformat(str(fresh["last_beat"])) == NOON + timedelta(seconds=5)
    assert (fresh["stale"], stale["stale"], fresh["reason"]) == (False, True, "why")


@pytest.mark.parametrize(("ms", "left"), [(0, 600_000), (599_999, 1), (600_000, 0), (700_000, 0)])
def test_what_remains_is_counted_by_the_clock_that_nobody_can_set(ms: int, left: int) -> None:
    for jump_ms in (0, -86_400_000, 86_400_000):
        assert remaining_ms(made_lease(), later(ms, wall_jump_ms=jump_ms)) == left
    assert active_row(made_lease(), known(later(ms)))["remaining_secs"] == left // 1000


def test_only_leases_that_have_not_lapsed_are_active_and_the_oldest_comes_first() -> None:
    over = made_lease("L0")
    young = made_lease("L1", "issue:2", at=later(400_000))
    old = made_lease("L2", "issue:3", at=later(300_000))
    twin = made_lease("L3", "issue:4", at=later(300_000))
    names = [lease.lease_id for lease in active([over, young, twin, old], known(later(600_001)))]
    assert names == ["L2", "L3", "L1"]


def test_leases_are_chosen_by_issue_and_by_agent() -> None:
    leases = [
        made_lease("L1", "issue:1"),
        made_lease("L2", "issue:12", owner=BOB),
        made_lease("L3", "issue:3", owner=replace(ANN, worktree="wt:000000ff")),
    ]
    assert [lease.lease_id for lease in active(leases, known(), issue="1")] == ["L1"]
    assert [lease.lease_id for lease in active(leases, known(), agent="agent:ann")] == ["L1", "L3"]
    assert active(leases, known(), issue="1", agent="agent:bob") == []


def test_the_subject_is_the_resource_without_its_kind() -> None:
    assert subject(made_lease("L1", "issue:01AB")) == "01AB"
    assert subject(made_lease("L1", "file:a:b", "file:c")) == "a:b, c"


@pytest.mark.parametrize(("ttl_ms", "secs"), [(600_000, 600), (1500, 1.5), (1, 0.001)])
def test_a_time_to_live_is_whole_seconds_where_it_can_be(ttl_ms: int, secs: float) -> None:
    shown = ttl_secs(made_lease(policy=Ttl(ttl_ms)))
    assert shown == secs
    assert isinstance(shown, int) is (ttl_ms % 1000 == 0)


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0s"),
        (999, "0s"),
        (59_999, "59s"),
        (60_000, "1m"),
        (598_000, "9m58s"),
        (3_600_000, "1h"),
        (3_661_000, "1h1m"),
        (3_601_000, "1h1s"),
        (90_000_000, "1d1h"),
        (86_400_000 * 400, "400d"),
    ],
)
def test_a_duration_is_told_in_its_two_largest_units(ms: int, text: str) -> None:
    assert duration(ms) == text


def test_a_moment_is_told_without_its_milliseconds() -> None:
    assert clock_text(START.wall_ms + 999) == "2026-01-03 12:00:00Z"
