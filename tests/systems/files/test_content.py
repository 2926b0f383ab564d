"""Waiting for a file and then writing old content over it is impossible; nobody is told about its own changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jit.kernel.ledger import fold
from jit.kernel.record import replace
from jit.systems.files.commands import Committed, End, Free, Resume, Stop
from jit.systems.files.concern import concerned
from jit.systems.files.sight import overtaken
from tests.systems.files.ground import ANN, BOB, CAT, IDLE_MS, RETRY_MS, SILENCE_MS, Ground, answer, names, resource

if TYPE_CHECKING:
    from jit.kernel.lease import Lease, Owner


@pytest.fixture
def ground() -> Ground:
    """Ann holds a.txt, which held "old" when she got it."""
    made = Ground()
    made.write("a.txt", "old")
    made.touch(ANN, "a.txt")
    return made


def test_a_file_that_changed_while_one_waited_is_refused_once_with_the_lease_already_held(ground: Ground) -> None:
    ground.touch(BOB, "a.txt")
    ground.write("a.txt", "new")
    ground.ask(End(ANN, "done"))
    events = ground.touch(BOB, "a.txt")
    assert names(events) == ["Granted", "Released", "Refused"]
    assert answer(events) == "outdated"
    assert ground.holder("a.txt") == BOB
    assert ground.touch(BOB, "a.txt") == ()


def test_a_file_that_did_not_change_while_one_waited_is_granted(ground: Ground) -> None:
    ground.touch(BOB, "a.txt")
    ground.ask(End(ANN, "done"))
    assert answer(ground.touch(BOB, "a.txt")) == ""


def test_a_change_that_is_applied_to_the_fresh_file_passes(ground: Ground) -> None:
    ground.touch(BOB, "a.txt", fresh=True)
    ground.write("a.txt", "new")
    ground.ask(End(ANN, "done"))
    assert answer(ground.touch(BOB, "a.txt", fresh=True)) == ""
    assert answer(ground.touch(BOB, "a.txt")) == ""


def test_a_change_made_before_the_denial_counts_too_because_the_reading_may_be_older(ground: Ground) -> None:
    ground.write("a.txt", "new")
    ground.touch(BOB, "a.txt")
    ground.ask(End(ANN, "done"))
    assert answer(ground.touch(BOB, "a.txt")) == "outdated"


def test_a_change_by_the_first_of_two_holders_is_not_forgotten_in_the_second_round(ground: Ground) -> None:
    ground.touch(BOB, "a.txt")
    ground.write("a.txt", "new")
    ground.ask(End(ANN, "done"))
    ground.touch(CAT, "a.txt")
    ground.wait(RETRY_MS)
    assert answer(ground.touch(BOB, "a.txt")) == "waiting"
    ground.ask(End(CAT, "done"))
    assert answer(ground.touch(BOB, "a.txt")) == "outdated"


@pytest.mark.parametrize("held_again", [False, True])
def test_a_change_is_not_forgotten_when_an_operator_ends_the_wait(ground: Ground, *, held_again: bool) -> None:
    ground.touch(BOB, "a.txt")
    (wait,) = ground.leases("wait:")
    ground.write("a.txt", "new")
    ground.ask(Resume(wait.lease_id, CAT, "go on"))
    if held_again:
        assert answer(ground.touch(BOB, "a.txt")) == "waiting"
    ground.ask(End(ANN, "done"))
    assert answer(ground.touch(BOB, "a.txt")) == "outdated"
    assert ground.leases("seen:") == []


def test_the_owners_own_changes_are_never_held_against_it(ground: Ground) -> None:
    for text in ("one", "two", "three"):
        ground.write("a.txt", text)
        assert ground.touch(ANN, "a.txt") == ()
    ground.ask(Committed(ANN, (resource("a.txt"),)))
    assert answer(ground.touch(ANN, "a.txt")) == ""


def test_after_a_commit_a_change_by_another_is_told(ground: Ground) -> None:
    ground.write("a.txt", "mine")
    ground.ask(Committed(ANN, (resource("a.txt"),)))
    ground.touch(BOB, "a.txt")
    ground.write("a.txt", "theirs")
    ground.ask(Committed(BOB, (resource("a.txt"),)))
    assert answer(ground.touch(ANN, "a.txt")) == "outdated"
    assert ground.touch(ANN, "a.txt") == ()


def test_after_a_commit_a_change_by_another_that_still_holds_the_file_is_told_after_the_wait(ground: Ground) -> None:
    ground.write("a.txt", "mine")
    ground.ask(Committed(ANN, (resource("a.txt"),)))
    ground.touch(BOB, "a.txt")
    ground.write("a.txt", "theirs")
    assert answer(ground.touch(ANN, "a.txt")) == "waiting"
    ground.ask(End(BOB, "done"))
    assert answer(ground.touch(ANN, "a.txt")) == "outdated"


def test_after_a_lapse_by_idleness_a_change_by_another_is_told(ground: Ground) -> None:
    ground.write("a.txt", "mine")
    ground.ask(Stop(ANN))
    ground.wait(IDLE_MS + 1)
    ground.touch(BOB, "a.txt")
    ground.write("a.txt", "theirs")
    ground.ask(End(BOB, "done"))
    assert answer(ground.touch(ANN, "a.txt")) == "outdated"


def test_after_a_lapse_by_silence_a_change_by_another_is_told(ground: Ground) -> None:
    ground.hide(ANN)
    ground.wait(SILENCE_MS + 1)
    ground.touch(BOB, "a.txt")
    ground.write("a.txt", "theirs")
    ground.ask(End(BOB, "done"))
    assert answer(ground.touch(ANN, "a.txt")) == "outdated"


def test_a_lease_that_ran_out_and_that_nobody_else_took_is_granted_anew_without_a_word(ground: Ground) -> None:
    ground.write("a.txt", "mine")
    ground.ask(Stop(ANN))
    ground.wait(IDLE_MS + 1)
    events = ground.touch(ANN, "a.txt")
    assert (names(events), answer(events)) == (["Lapsed", "Released", "Granted"], "")
    assert ground.leases("seen:") == ground.leases("stop:") == []


def test_a_change_by_another_is_told_after_an_operator_found_the_lease_to_be_over(ground: Ground) -> None:
    (lease,) = ground.leases()
    ground.ask(Stop(ANN))
    ground.wait(IDLE_MS + 1)
    assert names(ground.ask(Free(lease.lease_id, CAT, "because", forced=True))) == ["Lapsed", "Renewed"]
    ground.touch(BOB, "a.txt")
    ground.write("a.txt", "theirs")
    ground.ask(End(BOB, "done"))
    assert answer(ground.touch(ANN, "a.txt")) == "outdated"


@pytest.mark.parametrize("forced", [False, True])
def test_a_change_by_another_is_told_after_the_lease_was_given_back_or_taken_away(
    ground: Ground, *, forced: bool
) -> None:
    (lease,) = ground.leases()
    ground.ask(Free(lease.lease_id, CAT if forced else ANN, "because", forced))
    ground.touch(BOB, "a.txt")
    ground.write("a.txt", "theirs")
    ground.ask(End(BOB, "done"))
    assert answer(ground.touch(ANN, "a.txt")) == "outdated"


def test_what_a_dead_owner_saw_is_not_kept(ground: Ground) -> None:
    ground.kill(ANN)
    ground.touch(BOB, "a.txt")
    assert ground.leases("seen:") == []


def test_one_outdated_file_of_several_is_enough_to_refuse_and_all_are_held(ground: Ground) -> None:
    ground.touch(BOB, "a.txt")
    ground.write("a.txt", "new")
    ground.ask(End(ANN, "done"))
    events = ground.touch(BOB, "b.txt", "a.txt")
    assert answer(events) == "outdated"
    assert [ground.holder("a.txt"), ground.holder("b.txt")] == [BOB, BOB]
    assert ground.touch(BOB, "b.txt", "a.txt") == ()


def test_a_file_that_was_made_while_one_waited_counts_as_changed() -> None:
    ground = Ground()
    ground.touch(ANN, "new.txt")
    ground.touch(BOB, "new.txt")
    ground.write("new.txt", "hers")
    ground.ask(End(ANN, "done"))
    assert answer(ground.touch(BOB, "new.txt")) == "outdated"


def one_after_the_other(*steps: tuple[Owner, str]) -> list[Lease]:
    """The leases of owners who each leave something else in the file, or the same."""
    ground, leases = Ground(), []
    ground.write("a.txt", "old")
    for who, text in steps:
        ground.touch(who, "a.txt", fresh=True)
        leases += ground.leases()
        ground.write("a.txt", text)
        ground.ask(End(who, "done"))
    return leases


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ([(BOB, "mine")], None),
        ([(ANN, "new"), (BOB, "mine")], ANN),
        ([(ANN, "new"), (CAT, "newer"), (BOB, "mine")], CAT),
        ([(ANN, "old"), (BOB, "mine")], None),
        ([(ANN, "new"), (CAT, "old"), (BOB, "mine")], None),
        ([(ANN, "new"), (BOB, "mine"), (BOB, "more")], None),
        ([(BOB, "mine"), (ANN, "new"), (BOB, "more")], ANN),
    ],
)
def test_whoever_may_know_an_older_file_is_told_who_had_it_last(
    steps: list[tuple[Owner, str]], told: Owner | None
) -> None:
    leases = one_after_the_other(*steps)
    found = overtaken(leases[-1], leases)
    assert (found and found.owner) == told
    assert overtaken(replace(leases[-1], lease_id="other"), []) is None


def test_what_a_file_holds_is_not_asked_of_an_owner_that_goes_on_with_it(ground: Ground) -> None:
    """Reading a large file takes time, under the lock of all writers."""

    def asked(who: Owner) -> list[str]:
        return concerned(fold(ground.history), ground.attempt(who, "a.txt"))[1]

    assert asked(ANN) == []
    assert asked(BOB) == asked(replace(ANN, process=None)) == [resource("a.txt")]
    ground.ask(Stop(ANN))
    assert asked(ANN) == [resource("a.txt")]
