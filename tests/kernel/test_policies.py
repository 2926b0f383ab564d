"""When a lease is held, stale or lapsed: each boundary from both sides, and every clock that may lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jit.kernel.instant import Instant
from jit.kernel.lease import Evidence, expires_wall_ms, lease_standing
from jit.kernel.policy import Indefinite, Signs, Ttl, WhileAlive, standing
from jit.kernel.record import replace
from jit.testing import DAY_MS
from jit.testing.oracle import is_over, is_stale
from tests.kernel import strategies
from tests.kernel.made import ALIVE, ANN, ENDLESS, EVE, REVS, START, TTL, known, later, made_lease, rebooted
from tests.traceability import covers

if TYPE_CHECKING:
    from jit.kernel.lease import Lease
    from jit.kernel.policy import Liveness


@pytest.mark.parametrize(
    ("ms", "expected"), [(0, "held"), (599_999, "held"), (600_000, "held"), (600_001, "lapsed"), (DAY_MS, "lapsed")]
)
def test_a_ttl_is_held_up_to_its_last_millisecond_and_lapses_with_the_next(ms: int, expected: str) -> None:
    assert lease_standing(made_lease(), known(later(ms))) == expected


def test_a_ttl_counts_from_the_renewal_and_not_from_the_sign_of_life() -> None:
    renewed = replace(made_lease(), renewed=later(500_000))
    beaten = replace(made_lease(), beat=later(500_000))
    now = known(later(700_000))
    assert (lease_standing(renewed, now), lease_standing(beaten, now)) == ("held", "lapsed")


@covers("002:time.jump", "002:lease.monotonic", "L:23")
@pytest.mark.parametrize("jump_ms", [-DAY_MS, DAY_MS, -365 * DAY_MS, 365 * DAY_MS])
@pytest.mark.parametrize(("ms", "expected"), [(0, "held"), (600_000, "held"), (600_001, "lapsed")])
def test_setting_the_wall_clock_neither_ends_nor_prolongs_a_ttl(jump_ms: int, ms: int, expected: str) -> None:
    assert lease_standing(made_lease(), known(later(ms, wall_jump_ms=jump_ms))) == expected


@covers("002:time.jump", "L:23")
@pytest.mark.parametrize("jump_ms", [-DAY_MS, DAY_MS])
@pytest.mark.parametrize("ms", [0, 30_000, 30_001, 90_000, 90_001, 3_600_000, 3_600_001])
@pytest.mark.parametrize(
    "lease",
    [made_lease(policy=ENDLESS), made_lease(policy=ALIVE), replace(made_lease(policy=ALIVE), stopped=True)],
    ids=["indefinite", "while alive", "stopped"],
)
def test_setting_the_wall_clock_changes_no_other_standing(lease: Lease, ms: int, jump_ms: int) -> None:
    plain, jumped = later(ms), later(ms, wall_jump_ms=jump_ms)
    assert lease_standing(lease, known(jumped)) == lease_standing(lease, known(plain))


@pytest.mark.parametrize(("ms", "expected"), [(0, "held"), (600_000, "held"), (600_001, "lapsed"), (-DAY_MS, "held")])
def test_across_a_reboot_the_wall_clock_counts_and_going_back_counts_as_no_time(ms: int, expected: str) -> None:
    assert lease_standing(made_lease(), known(rebooted(ms))) == expected


@covers("002:AC4", "002:ttl0.1", "002:expiry.stale")
@pytest.mark.parametrize(("ms", "expected"), [(3_600_000, "held"), (3_600_001, "stale"), (1000 * DAY_MS, "stale")])
def test_an_indefinite_lease_goes_stale_by_silence_and_never_lapses(ms: int, expected: str) -> None:
    assert lease_standing(made_lease(policy=ENDLESS), known(later(ms), ann="dead")) == expected


@covers("L:8")
def test_a_sign_of_life_clears_stale() -> None:
    beaten = replace(made_lease(policy=ENDLESS), beat=later(3_000_000))
    assert lease_standing(beaten, known(later(6_600_000))) == "held"
    assert lease_standing(beaten, known(later(6_600_001))) == "stale"


@pytest.mark.parametrize("ms", [0, 1, 90_001])
def test_an_owner_proven_dead_loses_its_lease_at_once(ms: int) -> None:
    assert lease_standing(made_lease(policy=ALIVE), known(later(ms), ann="dead")) == "lapsed"


@pytest.mark.parametrize("ms", [0, 90_001, 1000 * DAY_MS])
def test_an_owner_proven_alive_keeps_its_lease_however_silent(ms: int) -> None:
    assert lease_standing(made_lease(policy=ALIVE), known(later(ms), ann="alive")) == "held"


@pytest.mark.parametrize(("ms", "expected"), [(0, "held"), (90_000, "held"), (90_001, "lapsed")])
def test_an_owner_whose_life_is_unknown_loses_its_lease_by_silence_alone(ms: int, expected: str) -> None:
    assert lease_standing(made_lease(policy=ALIVE), known(later(ms), ann="unknown")) == expected
    without_process = made_lease(policy=ALIVE, owner=EVE)
    assert lease_standing(without_process, known(later(ms), ann="dead")) == expected
    assert lease_standing(made_lease(policy=ALIVE), Evidence(later(ms), {})) == expected


@pytest.mark.parametrize("alive", ["alive", "unknown"])
@pytest.mark.parametrize(("ms", "expected"), [(30_000, "held"), (30_001, "lapsed")])
def test_an_owner_that_stopped_loses_its_lease_after_the_idle_time(alive: Liveness, ms: int, expected: str) -> None:
    stopped = replace(made_lease(policy=ALIVE), stopped=True)
    assert lease_standing(stopped, known(later(ms), ann=alive)) == expected


def test_death_ends_no_lease_that_ends_by_time() -> None:
    assert lease_standing(made_lease(policy=TTL), known(ann="dead")) == "held"


@pytest.mark.parametrize(
    ("revision", "expected"), [(5, "held"), (7, "held"), (8, "lapsed"), (4, "held"), (None, "held")]
)
def test_a_revision_lease_counts_revisions(revision: int | None, expected: str) -> None:
    lease = made_lease(policy=REVS, acquired_rev=5)
    assert lease_standing(lease, known(later(1000 * DAY_MS), ann="dead", revision=revision)) == expected


def test_a_revision_lease_that_does_not_know_where_it_began_is_held() -> None:
    assert lease_standing(made_lease(policy=REVS), known(revision=99)) == "held"


@pytest.mark.parametrize("policy", [Ttl(1), Indefinite(1), WhileAlive(1, 1)])
def test_a_clock_that_reads_earlier_than_the_lease_ends_nothing(policy: Ttl | Indefinite | WhileAlive) -> None:
    before = Instant(START.wall_ms - 5, START.boot_ms - 5, START.boot_id)
    assert standing(policy, Signs(before, START, START)) == "held"


@given(strategies.leases(), strategies.evidence())
def test_every_standing_agrees_with_the_words_of_the_requirements(lease: Lease, evidence: Evidence) -> None:
    expected = "lapsed" if is_over(lease, evidence) else "stale" if is_stale(lease, evidence) else "held"
    assert lease_standing(lease, evidence) == expected


@given(st.integers(0, 10**12), st.integers(0, 10**12), st.integers(-(10**12), 10**12))
def test_a_ttl_lapses_exactly_when_more_time_has_passed(ttl_ms: int, passed_ms: int, jump_ms: int) -> None:
    now = later(passed_ms, wall_jump_ms=jump_ms)
    expected = "lapsed" if passed_ms > ttl_ms else "held"
    assert standing(Ttl(ttl_ms), Signs(now, START, START)) == expected


def test_only_a_ttl_has_an_end_on_the_wall_clock() -> None:
    renewed = replace(made_lease(), renewed=later(1000))
    assert expires_wall_ms(renewed) == 1_767_441_600_000 + 1000 + 600_000
    endless = [made_lease(policy=policy, owner=ANN) for policy in (ENDLESS, ALIVE, REVS)]
    assert [expires_wall_ms(lease) for lease in endless] == [None, None, None]
