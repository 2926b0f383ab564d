"""Each event in one line of words that explains the decision, and who held what at a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jit.kernel.commands import Acquire
from jit.kernel.events import Beaten, Denied, Evicted, Granted, Lapsed, Refused, Released, Renewed, Transferred
from jit.kernel.instant import Instant
from jit.kernel.lease import Evidence, Lease, Owner
from jit.kernel.ledger import Ledger
from jit.kernel.policy import Indefinite, Revisions, Ttl, WhileAlive
from jit.kernel.record import replace
from jit.store.api import Batch
from jit.systems.claims.decide import Claim, ClaimNext, Quota
from jit.views.timeline import asker, held_at, tell

if TYPE_CHECKING:
    from jit.views.timeline import Moment

NOON = 1_767_441_600_000  # 2026-01-03 12:00:00Z
ANN = Owner("agent:ann", "wt:0000000a")
BOB = Owner("agent:bob", "wt:0000000b")


def at(seconds: float) -> Instant:
    return Instant(NOON + round(seconds * 1000), 5_000 + round(seconds * 1000), "boot")


LEASE = Lease("L1", ("issue:X",), ANN, Ttl(600_000), 7, at(0), at(0), at(0), "", "main")


def asked_by(owner: Owner, seconds: float) -> Batch:
    command = Claim(Acquire("L2", ("issue:X",), owner, Ttl(1000)), Quota(2, 10))
    return Batch("B", command, Evidence(at(seconds), {}), ())


def test_a_grant_tells_who_where_what_until_when_and_with_which_fence() -> None:
    words = tell(Granted(LEASE), asked_by(ANN, 0))
    assert words == "agent:ann in wt:0000000a took issue X until 2026-01-03 12:10:00Z, fence 7"


def test_a_grant_without_end_tells_its_reason() -> None:
    lease = replace(LEASE, policy=Indefinite(1000), reason="a long job")
    words = tell(Granted(lease), asked_by(ANN, 0))
    assert words == "agent:ann in wt:0000000a took issue X without end, fence 7: a long job"


def test_a_denial_names_the_holder_since_when_and_until_when() -> None:
    words = tell(Denied("issue:X", BOB, LEASE), asked_by(BOB, 5))
    since, until = "2026-01-03 12:00:00Z", "2026-01-03 12:10:00Z"
    assert words == f"agent:bob was denied issue X: held by agent:ann since {since} until {until}"


def test_a_lapse_tells_how_long_before_the_question_the_time_ran_out() -> None:
    words = tell(Lapsed(LEASE), asked_by(BOB, 603))
    assert words == "agent:ann lost issue X, lapsed: its 10m ran out 3s before agent:bob asked"


def test_a_lapse_that_its_own_holder_meets_says_so() -> None:
    assert tell(Lapsed(LEASE), asked_by(ANN, 601)).endswith("its 10m ran out 1s before it asked")


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (WhileAlive(1, 1), "its owner was gone when agent:bob asked"),
        (Revisions(2), "the document was more than 2 revisions ahead when agent:bob asked"),
    ],
)
def test_a_lapse_of_another_policy_gives_that_policys_reason(policy: WhileAlive | Revisions, words: str) -> None:
    assert tell(Lapsed(replace(LEASE, policy=policy)), asked_by(BOB, 1)).endswith(words)


def test_an_eviction_names_who_did_it_and_why() -> None:
    words = tell(Evicted(LEASE, Owner("human:root", "wt:0000000c"), "left for lunch"), asked_by(BOB, 1))
    assert words == "agent:ann lost issue X, evicted by human:root: left for lunch"


def test_a_release_tells_how_long_it_was_held() -> None:
    assert tell(Released(LEASE, ANN, "done"), asked_by(ANN, 192)) == "agent:ann gave issue X back after 3m12s: done"


def test_a_renewal_tells_the_new_end() -> None:
    renewed = replace(LEASE, renewed=at(60))
    assert tell(Renewed(renewed), asked_by(ANN, 60)) == "agent:ann renewed issue X until 2026-01-03 12:11:00Z"


def test_a_beat_is_a_sign_of_life() -> None:
    assert tell(Beaten(LEASE), asked_by(ANN, 60)) == "agent:ann gave a sign of life for issue X"


def test_a_transfer_tells_from_whom_to_whom_and_why() -> None:
    heir = replace(LEASE, lease_id="L2", owner=BOB)
    words = tell(Transferred(heir, "L1", ANN, "night shift"), asked_by(ANN, 5))
    assert words == "agent:ann handed issue X to agent:bob in wt:0000000b: night shift"


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Refused("not-owner", BOB, "L1", LEASE), "issue X: it belongs to agent:ann in wt:0000000a"),
        (Refused("agent-limit", BOB, "issue:X", None, 2), "issue X: it holds 2 claims without end, its limit"),
        (Refused("repo-limit", BOB, "issue:X", None, 9), "issue X: the repository has 9 claims without end, its limit"),
        (Refused("forbidden", BOB, "issue:X"), "issue X: claims without end are not permitted"),
    ],
)
def test_a_refusal_gives_its_reason(event: Refused, words: str) -> None:
    assert tell(event, asked_by(BOB, 1)) == f"agent:bob was refused {words}"


def test_whoever_asks_is_found_in_every_kind_of_claim() -> None:
    claim = Claim(Acquire("L2", ("issue:X",), BOB, Ttl(1)), Quota(1, 1))
    assert {asker(claim), asker(claim.acquire), asker(ClaimNext(claim, ()))} == {BOB}


def test_who_held_what_is_the_state_after_the_last_record_up_to_that_moment() -> None:
    history: list[Moment] = [(NOON, (Granted(LEASE),)), (NOON + 10, (Released(LEASE, ANN, ""),))]
    held = [set(held_at(history, moment).active) for moment in (NOON - 1, NOON, NOON + 9, NOON + 10)]
    assert held == [set(), {"L1"}, {"L1"}, set()]


def test_a_record_behind_a_clock_that_was_set_back_still_counts() -> None:
    other = replace(LEASE, lease_id="L2", resources=("issue:Y",), fence=8)
    tomorrow = NOON + 86_400_000
    history: list[Moment] = [(NOON, (Granted(LEASE),)), (tomorrow, (Granted(other),)), (NOON + 5, (Renewed(LEASE),))]
    assert set(held_at(history, NOON + 6).active) == {"L1", "L2"}


def test_a_repair_in_the_history_says_what_is_active_from_there_on() -> None:
    found = Ledger()
    found.put(replace(LEASE, lease_id="L9"))
    assert set(held_at([(NOON, (Granted(LEASE),)), (NOON + 1, found)], NOON + 2).active) == {"L9"}
