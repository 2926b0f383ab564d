"""The contract under contention: denied, one retry after exactly the interval, then granted or blocked; no more."""

from __future__ import annotations

import pytest

from jit.kernel.events import Beaten, Denied, Granted, Lapsed, Refused, Released, Renewed
from jit.kernel.record import replace
from jit.systems.files.commands import End, Resume
from tests.systems.files.ground import (
    ANN,
    BOB,
    CAT,
    RETRY_MS,
    SILENCE_MS,
    Ground,
    answer,
    due_ms,
    names,
    owner,
    resource,
)
from tests.traceability import covers


@pytest.fixture
def ground() -> Ground:
    """Ann holds a.txt."""
    made = Ground()
    made.touch(ANN, "a.txt")
    return made


@covers("000:S1", "001:T1", "001:P1.1")
def test_a_free_file_is_granted_under_its_name_to_whoever_writes_first() -> None:
    ground = Ground()
    (event,) = ground.touch(ANN, "a.txt")
    assert isinstance(event, Granted)
    lease = event.lease
    assert (lease.resources, lease.owner, lease.stopped) == ((resource("a.txt"),), ANN, False)
    assert (lease.acquired, lease.beat) == (ground.now(), ground.now())


@covers("000:FR2.1", "000:FR2.2", "000:S2", "001:T1", "001:P2.2", "001:P2.3")
def test_a_rival_is_denied_and_its_wait_is_recorded(ground: Ground) -> None:
    events = ground.touch(BOB, "a.txt")
    assert names(events) == ["Granted", "Refused"]
    assert answer(events) == "waiting"
    assert ground.holder("a.txt") == ANN
    (wait,) = ground.leases("wait:")
    assert (wait.owner, wait.resources[1]) == (BOB, f"waiting:{resource('a.txt')}")


@covers("000:FR4.1", "000:FR4.2", "000:V2", "001:P3.1", "001:P3.2", "001:T4", "001:DoD3", "L:24")
def test_the_retry_is_due_exactly_one_interval_after_the_denial(ground: Ground) -> None:
    ground.wait(12_345)
    assert due_ms(ground.touch(BOB, "a.txt")) == ground.ms + 180_000


@covers("000:FR4.3", "001:P3.3", "001:P2.X", "L:24")
@pytest.mark.parametrize("early_ms", [1, RETRY_MS // 2, RETRY_MS - 1, RETRY_MS])
def test_an_attempt_before_the_retry_is_due_gets_the_same_answer_and_records_nothing(
    ground: Ground, early_ms: int
) -> None:
    first = ground.touch(BOB, "a.txt")
    ground.wait(RETRY_MS - early_ms)
    for _ in range(3):
        again = ground.touch(BOB, "a.txt")
        assert (again, due_ms(again)) == (first[-1:], due_ms(first))


@covers("000:S3", "000:FR5.2", "000:V3", "001:P5.1", "001:P3.X", "001:P5.X")
@pytest.mark.parametrize("late_ms", [0, 1, RETRY_MS])
def test_still_held_when_the_retry_is_due_the_wait_becomes_a_block(ground: Ground, late_ms: int) -> None:
    ground.touch(BOB, "a.txt")
    ground.wait(RETRY_MS + late_ms)
    events = ground.touch(BOB, "a.txt")
    assert names(events) == ["Renewed", "Refused"]
    assert answer(events) == "blocked"


@covers("000:FR5.3", "001:P5.3")
def test_a_block_stays_and_is_told_at_every_attempt(ground: Ground) -> None:
    ground.touch(BOB, "a.txt")
    ground.wait(RETRY_MS)
    blocked = ground.touch(BOB, "a.txt")[-1:]
    for _ in range(3):
        ground.wait(RETRY_MS)
        assert ground.touch(BOB, "a.txt") == blocked


@covers("000:FR5.1", "000:S3")
@pytest.mark.parametrize("waited_ms", [1, RETRY_MS, 2 * RETRY_MS])
def test_a_file_that_became_free_is_granted_and_the_wait_is_over(ground: Ground, waited_ms: int) -> None:
    ground.touch(BOB, "a.txt")
    ground.ask(End(ANN, "done"))
    ground.wait(waited_ms)
    events = ground.touch(BOB, "a.txt")
    assert names(events) == ["Granted", "Released"]
    assert ground.holder("a.txt") == BOB
    assert ground.leases("wait:") == []


def test_a_blocked_owner_is_granted_the_file_when_the_holders_lease_ends(ground: Ground) -> None:
    ground.touch(BOB, "a.txt")
    ground.wait(RETRY_MS)
    ground.touch(BOB, "a.txt")
    ground.ask(End(ANN, "done"))
    assert answer(ground.touch(BOB, "a.txt")) == ""
    assert ground.holder("a.txt") == BOB


@pytest.mark.parametrize("blocked", [False, True])
def test_another_holder_begins_another_round(ground: Ground, *, blocked: bool) -> None:
    ground.touch(BOB, "a.txt")
    ground.wait(RETRY_MS)
    if blocked:
        ground.touch(BOB, "a.txt")
    ground.ask(End(ANN, "done"))
    ground.touch(CAT, "a.txt")
    events = ground.touch(BOB, "a.txt")
    assert (answer(events), due_ms(events)) == ("waiting", ground.ms + RETRY_MS)
    ground.wait(RETRY_MS - 1)
    assert answer(ground.touch(BOB, "a.txt")) == "waiting"
    ground.wait(1)
    assert answer(ground.touch(BOB, "a.txt")) == "blocked"


@covers("000:S4")
def test_an_operator_who_resumes_lets_the_next_attempt_begin_a_new_round(ground: Ground) -> None:
    ground.touch(BOB, "a.txt")
    ground.wait(RETRY_MS)
    ground.touch(BOB, "a.txt")
    (wait,) = ground.leases("wait:")
    operator = owner("operator")
    released = ground.ask(Resume(wait.lease_id, operator, "go on"))[0]
    assert released == Released(wait, operator, "go on")
    events = ground.touch(BOB, "a.txt")
    assert (answer(events), due_ms(events)) == ("waiting", ground.ms + RETRY_MS)
    ground.ask(End(ANN, "done"))
    assert answer(ground.touch(BOB, "a.txt")) == ""


def test_what_is_no_wait_cannot_be_resumed(ground: Ground) -> None:
    (lease,) = ground.leases()
    for name in (lease.lease_id, "W99"):
        assert ground.ask(Resume(name, BOB, "")) == (Refused("not-found", BOB, name),)
    assert ground.holder("a.txt") == ANN


@covers("001:M3")
@pytest.mark.parametrize("jump_ms", [-86_400_000, 86_400_000])
def test_setting_the_wall_clock_neither_hastens_nor_delays_the_retry(ground: Ground, jump_ms: int) -> None:
    ground.touch(BOB, "a.txt")
    ground.wall_jump_ms = jump_ms
    ground.wait(RETRY_MS - 1)
    assert answer(ground.touch(BOB, "a.txt")) == "waiting"
    ground.wait(1)
    assert answer(ground.touch(BOB, "a.txt")) == "blocked"


def test_the_due_that_was_told_holds_even_if_the_interval_is_set_otherwise_meanwhile(ground: Ground) -> None:
    ground.touch(BOB, "a.txt")
    ground.wait(RETRY_MS - 1)
    assert answer(ground.ask(replace(ground.attempt(BOB, "a.txt"), retry_ms=1_000))) == "waiting"
    ground.wait(1)
    assert answer(ground.ask(replace(ground.attempt(BOB, "a.txt"), retry_ms=10 * RETRY_MS))) == "blocked"


@covers("000:C3")
def test_two_rivals_wait_each_for_its_own_retry(ground: Ground) -> None:
    first = due_ms(ground.touch(BOB, "a.txt"))
    ground.wait(7)
    second = due_ms(ground.touch(CAT, "a.txt"))
    assert second == first + 7
    ground.wait(RETRY_MS - 7)
    assert answer(ground.touch(BOB, "a.txt")) == "blocked"
    assert answer(ground.touch(CAT, "a.txt")) == "waiting"


def test_the_holders_own_writes_pass_and_are_recorded_as_a_sign_of_life_once_a_minute(ground: Ground) -> None:
    (lease,) = ground.leases()
    for _ in range(3):
        assert ground.touch(ANN, "a.txt") == ()
        ground.wait(20_000)
    assert ground.touch(ANN, "a.txt") == ()
    ground.wait(1)
    assert ground.touch(ANN, "a.txt") == (Beaten(replace(lease, beat=ground.now())),)


def test_a_holder_that_was_started_again_holds_on_with_its_new_process(ground: Ground) -> None:
    again = owner("ann", pid=77)
    ground.touch(again, "a.txt")
    ground.kill(ANN)
    assert answer(ground.touch(BOB, "a.txt")) == "waiting"
    assert ground.holder("a.txt") == again


def test_a_holder_that_comes_back_from_the_dead_is_granted_anew(ground: Ground) -> None:
    ground.kill(ANN)
    again = owner("ann", pid=77)
    assert names(ground.touch(again, "a.txt")) == ["Lapsed", "Granted"]
    assert answer(ground.touch(BOB, "a.txt")) == "waiting"


def test_fail_fast_denies_at_once_and_begins_no_wait(ground: Ground) -> None:
    (lease,) = ground.leases()
    for _ in range(2):
        assert ground.touch(BOB, "a.txt", rule="fail-fast") == (Denied(resource("a.txt"), BOB, lease),)
        ground.wait(RETRY_MS)
    assert ground.leases("wait:") == []


@covers("000:FR3.1", "000:FR3.2", "000:FR3.3", "000:FR6.4", "000:V4", "001:T2", "001:P4.3", "001:DoD2")
def test_a_dead_owners_lease_is_taken_at_once(ground: Ground) -> None:
    (lease,) = ground.leases()
    ground.kill(ANN)
    events = ground.touch(BOB, "a.txt")
    assert events[0] == Lapsed(lease)
    assert names(events) == ["Lapsed", "Granted"]
    assert ground.holder("a.txt") == BOB


@covers("000:FR3.2")
@pytest.mark.parametrize("waited_ms", [1, RETRY_MS, 3 * RETRY_MS])
def test_liveness_is_asked_again_at_every_attempt(ground: Ground, waited_ms: int) -> None:
    assert answer(ground.touch(BOB, "a.txt")) == "waiting"
    ground.wait(waited_ms)
    ground.kill(ANN)
    assert answer(ground.touch(BOB, "a.txt")) == ""


@covers("001:M1")
def test_an_owner_whose_life_cannot_be_known_keeps_its_lease_until_it_was_silent_long_enough(ground: Ground) -> None:
    ground.hide(ANN)
    ground.wait(SILENCE_MS)
    assert answer(ground.touch(BOB, "a.txt")) == "waiting"
    ground.wait(1)
    assert answer(ground.touch(BOB, "a.txt")) == ""


def test_a_short_silence_is_not_shorter_for_an_owner_that_goes_on_writing() -> None:
    ground = Ground()
    short = replace(ground.attempt(ANN, "a.txt").policy, silence_ms=10_000)
    for _ in range(10):
        ground.ask(replace(ground.attempt(ANN, "a.txt"), policy=short))
        ground.wait(5_000)
    ground.hide(ANN)
    assert answer(ground.touch(BOB, "a.txt")) == "waiting"


def test_several_files_are_granted_all_together_with_consecutive_fences(ground: Ground) -> None:
    events = ground.touch(BOB, "b.txt", "c.txt", "d.txt")
    leases = [event.lease for event in events if isinstance(event, Granted)]
    assert [lease.resources[0] for lease in leases] == [resource(name) for name in ("b.txt", "c.txt", "d.txt")]
    assert [lease.fence for lease in leases] == [2, 3, 4]


def test_of_several_files_none_is_granted_if_one_is_held(ground: Ground) -> None:
    events = ground.touch(BOB, "b.txt", "a.txt", "c.txt")
    assert answer(events) == "waiting"
    assert [ground.holder(name) for name in ("a.txt", "b.txt", "c.txt")] == [ANN, None, None]


def test_of_several_files_a_dead_holder_is_found_even_if_another_lives(ground: Ground) -> None:
    ground.touch(CAT, "b.txt")
    ground.kill(CAT)
    assert names(ground.touch(BOB, "b.txt", "a.txt")) == ["Lapsed", "Granted", "Refused"]
    assert [ground.holder("a.txt"), ground.holder("b.txt")] == [ANN, None]


def test_of_several_held_files_the_gravest_answer_is_told(ground: Ground) -> None:
    ground.touch(CAT, "b.txt")
    ground.touch(BOB, "a.txt")
    ground.wait(RETRY_MS)
    assert answer(ground.touch(BOB, "a.txt", "b.txt")) == "blocked"


def test_fences_grow_by_one_with_every_grant_waits_included(ground: Ground) -> None:
    ground.touch(BOB, "a.txt")
    ground.touch(CAT, "b.txt")
    grants = [event.lease.fence for event in ground.history if isinstance(event, Granted)]
    assert grants == [1, 2, 3]


def test_subagents_of_one_session_are_rivals(ground: Ground) -> None:
    assert answer(ground.touch(owner("ann", "sub-1"), "a.txt")) == "waiting"


def test_a_wait_keeps_the_process_of_the_last_attempt(ground: Ground) -> None:
    ground.touch(BOB, "a.txt")
    ground.wait(RETRY_MS)
    again = owner("bob", pid=78)
    events = ground.touch(again, "a.txt")
    assert isinstance(events[0], Renewed)
    assert events[0].lease.owner.process == again.process
