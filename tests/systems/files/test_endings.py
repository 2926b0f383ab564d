"""When file leases end: stop and idleness, the end of a session, a commit; and what keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jit.kernel.events import Beaten, Released, Renewed
from jit.kernel.record import replace
from jit.systems.files.commands import Committed, End, Free, Stop
from tests.systems.files.ground import ANN, BOB, CAT, IDLE_MS, Ground, answer, names, owner, resource
from tests.traceability import covers

if TYPE_CHECKING:
    from jit.kernel.lease import Owner

SUB = owner("ann", "sub-1")
OTHER_SUB = owner("ann", "sub-2")


@pytest.fixture
def ground() -> Ground:
    """Ann holds a.txt, one of her subagents b.txt."""
    made = Ground()
    made.touch(ANN, "a.txt")
    made.touch(SUB, "b.txt")
    return made


@covers("000:FR6.5", "000:V5", "001:T3", "001:P4.4", "L:24")
def test_a_stopped_owners_lease_ends_after_the_idle_time_and_not_before(ground: Ground) -> None:
    ground.wait(5_000)
    ground.ask(Stop(ANN))
    ground.wait(IDLE_MS)
    assert answer(ground.touch(BOB, "a.txt")) == "waiting"
    ground.wait(1)
    assert names(ground.touch(BOB, "a.txt")) == ["Lapsed", "Renewed", "Granted", "Released"]
    assert ground.holder("a.txt") == BOB


@pytest.mark.parametrize("jump_ms", [-86_400_000, 86_400_000])
def test_the_idle_time_is_not_told_by_the_wall_clock(ground: Ground, jump_ms: int) -> None:
    ground.ask(Stop(ANN))
    ground.wall_jump_ms = jump_ms
    ground.wait(IDLE_MS)
    assert answer(ground.touch(BOB, "a.txt")) == "waiting"
    ground.wait(1)
    assert answer(ground.touch(CAT, "a.txt")) == ""


def test_activity_before_the_idle_time_is_over_keeps_the_lease(ground: Ground) -> None:
    ground.ask(Stop(ANN))
    ground.wait(IDLE_MS)
    assert names(ground.touch(ANN, "a.txt")) == ["Beaten", "Released"]
    assert ground.leases("stop:") == []
    ground.wait(10 * IDLE_MS)
    assert answer(ground.touch(BOB, "a.txt")) == "waiting"


@pytest.mark.parametrize("path", ["free.txt", "c.txt"])
def test_activity_on_any_file_keeps_all_of_the_owners_leases(ground: Ground, path: str) -> None:
    ground.touch(CAT, "c.txt")
    ground.ask(Stop(ANN))
    ground.wait(IDLE_MS)
    ground.touch(ANN, path)
    ground.wait(10 * IDLE_MS)
    assert answer(ground.touch(BOB, "a.txt")) == "waiting"


def test_activity_from_another_process_of_the_owner_keeps_the_lease_too(ground: Ground) -> None:
    ground.ask(Stop(ANN))
    ground.touch(owner("ann", pid=77), "a.txt")
    ground.wait(10 * IDLE_MS)
    assert answer(ground.touch(BOB, "a.txt")) == "waiting"


def test_activity_does_not_revive_what_the_idle_time_has_ended(ground: Ground) -> None:
    ground.ask(Stop(ANN))
    ground.wait(IDLE_MS + 1)
    ground.touch(ANN, "c.txt")
    assert answer(ground.touch(BOB, "a.txt")) == ""


def test_activity_of_a_subagent_keeps_only_its_own_leases(ground: Ground) -> None:
    ground.ask(Stop(ANN))
    ground.ask(Stop(SUB))
    ground.wait(IDLE_MS)
    ground.touch(SUB, "b.txt")
    ground.wait(1)
    assert answer(ground.touch(BOB, "a.txt")) == ""
    assert answer(ground.touch(BOB, "b.txt")) == "waiting"


def test_a_stop_is_recorded_for_every_file_of_the_owner_and_only_once(ground: Ground) -> None:
    ground.touch(ANN, "c.txt")
    mine = [lease for lease in ground.leases() if lease.owner == ANN]
    ground.wait(10)
    expected = tuple(Beaten(replace(lease, beat=ground.now(), stopped=True)) for lease in mine)
    *told, mark = ground.ask(Stop(ANN))
    assert tuple(told) == expected
    assert isinstance(mark, Renewed)
    assert mark.lease.resources == ("stop:agent:ann||ann/",)
    assert ground.leases("stop:") == [mark.lease]
    ground.wait(10)
    assert ground.ask(Stop(ANN)) == ()


def test_a_stop_of_the_main_thread_says_nothing_about_its_subagents(ground: Ground) -> None:
    ground.ask(Stop(ANN))
    ground.wait(IDLE_MS + 1)
    assert answer(ground.touch(BOB, "b.txt")) == "waiting"


@covers("000:FR6.3", "001:P4.2")
def test_the_end_of_a_session_ends_everything_of_it_and_of_its_subagents(ground: Ground) -> None:
    ground.touch(BOB, "c.txt")
    ground.touch(SUB, "c.txt")
    ended = ground.ask(End(ANN, "the session ended", whole_session=True))
    assert names(ended) == ["Released"] * 3
    assert [lease.owner for lease in ground.leases()] == [BOB]
    assert ground.leases("wait:") == []


def test_the_end_of_a_subagent_ends_only_what_is_its_own(ground: Ground) -> None:
    ground.touch(OTHER_SUB, "c.txt")
    ground.ask(End(SUB, "done"))
    assert {lease.owner for lease in ground.leases()} == {ANN, OTHER_SUB}


def test_the_end_of_one_session_does_not_touch_another_of_the_same_agent(ground: Ground) -> None:
    twin = replace(ANN, session="other/")
    ground.touch(twin, "c.txt")
    ground.ask(End(ANN, "done", whole_session=True))
    assert ground.holder("c.txt") == twin


def test_the_end_of_an_owner_ends_its_waits_and_what_it_remembers(ground: Ground) -> None:
    ground.touch(BOB, "a.txt")
    ground.touch(BOB, "c.txt")
    ground.ask(Committed(BOB, (resource("c.txt"),)))
    assert [len(ground.leases(kind)) for kind in ("wait:", "seen:")] == [1, 1]
    ground.ask(End(BOB, "done"))
    assert [len(ground.leases(kind)) for kind in ("wait:", "seen:")] == [0, 0]


@covers("000:FR6.1", "001:P4.1", "L:24")
def test_a_commit_ends_the_leases_on_its_files_and_no_others(ground: Ground) -> None:
    ground.touch(ANN, "c.txt")
    lease = next(lease for lease in ground.leases() if resource("a.txt") in lease.resources)
    assert ground.ask(Committed(ANN, (resource("a.txt"),)))[0] == Released(lease, ANN, "committed")
    assert answer(ground.touch(BOB, "a.txt")) == ""
    assert answer(ground.touch(BOB, "c.txt")) == "waiting"


def test_a_commit_speaks_for_the_whole_session(ground: Ground) -> None:
    ground.ask(Committed(ANN, (resource("a.txt"), resource("b.txt"))))
    assert ground.leases() == []


def test_a_commit_of_anothers_file_does_not_end_the_others_lease(ground: Ground) -> None:
    assert ground.ask(Committed(BOB, (resource("a.txt"),))) == ()
    assert ground.holder("a.txt") == ANN


def test_nobody_gives_back_anothers_lease_but_with_force_and_a_reason_it_is_taken_away(ground: Ground) -> None:
    lease = next(lease for lease in ground.leases() if lease.owner == ANN)
    assert answer(ground.ask(Free(lease.lease_id, BOB, "mine"))) == "not-owner"
    assert answer(ground.ask(Free(lease.lease_id, BOB, "", forced=True))) == "reason"
    assert ground.holder("a.txt") == ANN
    ground.ask(Free(lease.lease_id, BOB, "in the way", forced=True))
    assert ground.holder("a.txt") is None


def test_stop_end_and_commit_of_somebody_unknown_change_nothing(ground: Ground) -> None:
    assert ground.ask(Stop(CAT)) == ()
    assert ground.ask(End(CAT, "done", whole_session=True)) == ()
    assert ground.ask(Committed(CAT, (resource("c.txt"),))) == ()


@pytest.mark.parametrize(("first", "then"), [(SUB, ANN), (ANN, SUB)], ids=["its subagent", "its main thread"])
def test_a_session_goes_on_at_once_with_what_a_part_of_it_has_finished(first: Owner, then: Owner) -> None:
    ground = Ground()
    ground.touch(first, "a.txt")
    assert answer(ground.touch(then, "a.txt")) == "waiting"
    ground.ask(Stop(first))
    assert answer(ground.touch(then, "a.txt")) == ""
    assert ground.holder("a.txt") == then
    assert answer(ground.touch(BOB, "a.txt")) == "waiting"


def test_another_session_waits_for_the_idle_time(ground: Ground) -> None:
    ground.ask(Stop(ANN))
    assert answer(ground.touch(BOB, "a.txt")) == "waiting"


def test_a_failure_lets_go_of_everything_at_once(ground: Ground) -> None:
    ground.ask(Stop(ANN, failed=True))
    ground.wait(1)
    assert answer(ground.touch(BOB, "a.txt")) == ""
    assert answer(ground.touch(BOB, "b.txt")) == "waiting"  # her subagent works on


def test_whoever_goes_on_after_a_failure_is_told_what_changed_meanwhile(ground: Ground) -> None:
    ground.ask(Stop(ANN, failed=True))
    ground.wait(1)
    ground.touch(BOB, "a.txt")
    ground.write("a.txt", "by bob")
    ground.ask(End(BOB, "done"))
    assert answer(ground.touch(ANN, "a.txt")) == "outdated"


def test_whoever_goes_on_after_a_failure_has_its_idle_time_again(ground: Ground) -> None:
    ground.ask(Stop(ANN, failed=True))
    ground.touch(ANN, "a.txt")
    ground.ask(Stop(ANN))
    ground.wait(IDLE_MS)
    assert answer(ground.touch(BOB, "a.txt")) == "waiting"
