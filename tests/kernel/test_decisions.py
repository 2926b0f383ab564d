"""What the table cannot show: several resources, fences, changes of policy, and who may be asked for a reason."""

from __future__ import annotations

import pytest

from jit.kernel.commands import Acquire, Beat, Evict, Release, Renew, Transfer
from jit.kernel.decide import decide
from jit.kernel.events import (
    Beaten,
    Denied,
    Evicted,
    Granted,
    Lapsed,
    Refused,
    Released,
    Renewed,
    Transferred,
    recorded,
)
from jit.kernel.ledger import Ledger, evolve, fold
from jit.kernel.policy import Indefinite, Revisions, Ttl, WhileAlive
from jit.kernel.record import replace
from jit.testing import Spec
from tests.kernel.made import ALIVE, ANN, BOB, ENDLESS, EVE, REVS, START, TTL, known, later, made_lease
from tests.traceability import covers


@covers("002:inv4")
def test_several_resources_are_granted_together() -> None:
    command = Acquire("L1", ("file:a", "file:b"), ANN, TTL, "why", "main")
    Spec(decide).when(command, known()).then(Granted(made_lease("L1", "file:a", "file:b")))


@covers("002:inv4")
@pytest.mark.parametrize("taken", ["file:a", "file:b", "file:c"])
def test_of_several_resources_one_that_is_held_denies_all(taken: str) -> None:
    lease = made_lease("L1", taken)
    command = Acquire("L2", ("file:a", "file:b", "file:c"), BOB, TTL)
    Spec(decide).given(Granted(lease)).when(command, known()).then(Denied(taken, BOB, lease))


def test_a_lapse_found_on_the_way_to_a_denial_is_recorded() -> None:
    over, now = made_lease("L1", "file:a"), later(600_001)
    live = made_lease("L2", "file:b", owner=EVE, fence=2, at=now)
    command = Acquire("L3", ("file:a", "file:b"), BOB, TTL)
    Spec(decide).given(Granted(over), Granted(live)).when(command, known(now)).then(
        Lapsed(over), Denied("file:b", BOB, live)
    )


def test_a_lapsed_lease_on_several_resources_lapses_once() -> None:
    over, now = made_lease("L1", "file:a", "file:b"), later(600_001)
    granted = made_lease("L2", "file:a", "file:b", owner=BOB, fence=2, at=now)
    command = Acquire("L2", ("file:a", "file:b"), BOB, TTL, "why", "main")
    Spec(decide).given(Granted(over)).when(command, known(now)).then(Lapsed(over), Granted(granted))


def test_acquiring_nothing_is_refused() -> None:
    Spec(decide).when(Acquire("L1", (), ANN, TTL), known()).then(Refused("empty", ANN, ""))


def test_one_resource_named_twice_is_one_resource() -> None:
    state = fold(decide(Ledger(), Acquire("L1", ("file:a", "file:a"), ANN, TTL), known()))
    assert [lease.lease_id for lease in state.holders("file:a")] == ["L1"]
    assert state.holders("file:a") == (state.active["L1"],)


def test_each_grant_and_each_transfer_has_a_higher_fence_also_after_everything_was_given_back() -> None:
    state = Ledger()
    fences = []
    for number in range(4):
        for event in decide(state, Acquire(f"L{number}", ("issue:1",), ANN, TTL), known()):
            evolve(state, event)
        for event in decide(state, Transfer(f"L{number}", ANN, BOB, f"M{number}", "ill"), known()):
            evolve(state, event)
        fences.append(state.active[f"M{number}"].fence)
        for event in decide(state, Release(f"M{number}", BOB), known()):
            evolve(state, event)
    assert fences == [2, 4, 6, 8]
    assert (state.fence, len(state)) == (8, 0)


def test_renewing_and_beating_keep_the_fence() -> None:
    lease, now = made_lease(fence=7), later(3)
    spec = Spec(decide).given(Granted(lease))
    spec.when(Renew("L1", ANN), known(now)).then(Renewed(replace(lease, renewed=now, beat=now)))
    spec.when(Beat("L1", ANN), known(now)).then(Beaten(replace(lease, beat=now)))


@pytest.mark.parametrize("policy", [Ttl(5), WhileAlive(1, 2), Revisions(9)])
def test_a_renewal_may_change_the_policy(policy: Ttl | WhileAlive | Revisions) -> None:
    lease, now = made_lease(), later(3)
    changed = replace(lease, policy=policy, renewed=now, beat=now)
    Spec(decide).given(Granted(lease)).when(Renew("L1", ANN, policy), known(now)).then(Renewed(changed))


@pytest.mark.parametrize("policy", [TTL, ALIVE, REVS])
def test_a_lease_with_an_end_is_not_renewed_into_one_without(policy: Ttl | WhileAlive | Revisions) -> None:
    lease = made_lease(policy=policy)
    decision = Spec(decide).given(Granted(lease)).when(Renew("L1", ANN, ENDLESS), known())
    decision.then(Refused("forbidden", ANN, "L1", lease))


def test_a_lease_without_an_end_may_get_another_threshold_or_an_end() -> None:
    lease, now = made_lease(policy=ENDLESS), later(3)
    for policy in (Indefinite(1), Ttl(60_000)):
        changed = replace(lease, policy=policy, renewed=now, beat=now)
        Spec(decide).given(Granted(lease)).when(Renew("L1", ANN, policy), known(now)).then(Renewed(changed))


def test_a_renewal_takes_back_that_the_owner_stopped() -> None:
    lease, now = made_lease(policy=ALIVE), later(30_000)
    stopped = replace(lease, stopped=True)
    decision = Spec(decide).given(Granted(lease), Beaten(stopped)).when(Renew("L1", ANN), known(now, ann="alive"))
    decision.then(Renewed(replace(lease, renewed=now, beat=now)))


def test_an_heir_has_not_stopped_because_the_one_before_did() -> None:
    lease, now = made_lease(policy=ALIVE), later(3)
    stopped = replace(lease, stopped=True)
    heir = replace(lease, lease_id="L2", owner=BOB, fence=2, acquired=now, renewed=now, beat=now, branch="")
    decision = Spec(decide).given(Granted(lease), Beaten(stopped))
    decision.when(Transfer("L1", ANN, BOB, "L2", "ill"), known(now, ann="alive")).then(
        Transferred(heir, "L1", ANN, "ill")
    )


def test_a_transfer_leaves_no_moment_in_which_the_resource_is_free() -> None:
    state = fold([Granted(made_lease())])
    for event in decide(state, Transfer("L1", ANN, BOB, "L2", "ill"), known()):
        evolve(state, event)
        assert len(state.holders("issue:1")) == 1
    assert [lease.owner for lease in state.holders("issue:1")] == [BOB]
    assert state.lease("L1") is None


@covers("002:op.evict")
@pytest.mark.parametrize("reason", ["", " \t\n"])
def test_evicting_without_a_reason_is_refused(reason: str) -> None:
    lease = made_lease()
    decision = Spec(decide).given(Granted(lease)).when(Evict("L1", BOB, reason), known())
    decision.then(Refused("reason", BOB, "L1", lease))


def test_asking_again_with_renew_renews_ones_own_lease() -> None:
    lease, now = made_lease("L1", "file:a", "file:b", policy=ALIVE), later(3)
    command = Acquire("L2", ("file:b",), ANN, WhileAlive(7, 8), again="renew")
    renewed = replace(lease, policy=WhileAlive(7, 8), renewed=now, beat=now)
    Spec(decide).given(Granted(lease)).when(command, known(now, ann="alive")).then(Renewed(renewed))


def test_asking_again_for_more_than_one_holds_is_refused() -> None:
    lease = made_lease("L1", "file:a")
    command = Acquire("L2", ("file:a", "file:b"), ANN, TTL, again="renew")
    Spec(decide).given(Granted(lease)).when(command, known()).then(Refused("yours", ANN, "file:a", lease))


def test_asking_again_does_not_renew_somebody_elses_lease() -> None:
    lease = made_lease()
    command = Acquire("L2", ("issue:1",), BOB, TTL, again="renew")
    Spec(decide).given(Granted(lease)).when(command, known()).then(Denied("issue:1", BOB, lease))


def test_a_new_lease_remembers_the_revision_it_was_acquired_at() -> None:
    command = Acquire("L1", ("issue:1",), ANN, REVS, "why", "main")
    Spec(decide).when(command, known(revision=12)).then(Granted(made_lease(policy=REVS, acquired_rev=12)))


@pytest.mark.parametrize("code", ["not-owner", "forbidden", "agent-limit", "repo-limit"])
def test_refusals_that_explain_something_later_are_recorded(code: str) -> None:
    refusal = Refused(code, ANN, "issue:1")  # type: ignore[arg-type]
    assert recorded((refusal,)) == (refusal,)


@pytest.mark.parametrize("code", ["not-found", "expired", "yours", "empty", "reason", "no-work"])
def test_refusals_that_change_and_explain_nothing_are_not_recorded(code: str) -> None:
    lapsed = Lapsed(made_lease())
    assert recorded((lapsed, Refused(code, ANN, "issue:1"))) == (lapsed,)  # type: ignore[arg-type]


@covers("002:inv5", "002:AC7")
def test_everything_else_that_happens_is_recorded() -> None:
    lease = made_lease()
    events = (
        Granted(lease),
        Renewed(lease),
        Beaten(lease),
        Released(lease, ANN, ""),
        Lapsed(lease),
        Evicted(lease, BOB, "gone"),
        Transferred(lease, "L0", ANN, "ill"),
        Denied("issue:1", BOB, lease),
    )
    assert recorded(events) == events


def test_a_lease_begins_at_the_moment_of_the_decision() -> None:
    now = later(77, wall_jump_ms=-5)
    (granted,) = decide(Ledger(), Acquire("L1", ("issue:1",), ANN, TTL), known(now))
    assert isinstance(granted, Granted)
    assert (granted.lease.acquired, granted.lease.renewed, granted.lease.beat) == (now, now, now)
    assert now != START
