"""Waits that lead back to oneself are told at once, to the one that closes the circle."""

from __future__ import annotations

from jit.systems.files.commands import Committed, End, Stop
from tests.systems.files.ground import ANN, BOB, CAT, DAN, IDLE_MS, RETRY_MS, Ground, answer, due_ms, resource


def circle(*, of: int) -> Ground:
    """Each holds a file of its own; all but the last wait for the next one's."""
    ground = Ground()
    people = (ANN, BOB, CAT)[:of]
    for number, who in enumerate(people):
        ground.touch(who, f"{number}.txt")
    for number, who in enumerate(people[:-1]):
        assert answer(ground.touch(who, f"{number + 1}.txt")) == "waiting"
    return ground


def test_a_deadlock_of_two_is_told_at_once_to_the_one_that_closes_it() -> None:
    ground = circle(of=2)
    assert answer(ground.touch(BOB, "0.txt")) == "deadlock"
    assert answer(ground.touch(ANN, "1.txt")) == "waiting"


def test_a_deadlock_of_three_is_told_at_once_to_the_one_that_closes_it() -> None:
    ground = circle(of=3)
    assert answer(ground.touch(CAT, "0.txt")) == "deadlock"


def test_a_chain_that_does_not_close_is_no_deadlock() -> None:
    ground = circle(of=3)
    assert answer(ground.touch(DAN, "0.txt")) == "waiting"
    assert answer(ground.touch(CAT, "free.txt")) == ""


def test_a_deadlock_is_told_as_long_as_it_lasts() -> None:
    ground = circle(of=2)
    first = ground.touch(BOB, "0.txt")[-1:]
    ground.wait(2 * RETRY_MS)
    assert ground.touch(BOB, "0.txt") == first


def test_whoever_does_as_it_is_told_and_tries_again_waits_like_anybody_else() -> None:
    ground = circle(of=2)
    ground.touch(BOB, "0.txt")
    ground.ask(Committed(BOB, (resource("1.txt"),)))
    events = ground.touch(BOB, "0.txt")
    assert (answer(events), due_ms(events)) == ("waiting", ground.ms + RETRY_MS)


def test_whoever_gave_way_is_granted_the_file_when_it_is_free() -> None:
    ground = circle(of=2)
    ground.touch(BOB, "0.txt")
    ground.ask(End(ANN, "done"))
    assert answer(ground.touch(BOB, "0.txt")) == ""


def test_a_wait_for_the_dead_is_no_part_of_a_circle() -> None:
    ground = circle(of=3)
    ground.kill(BOB)
    assert answer(ground.touch(CAT, "0.txt")) == "waiting"


def test_a_wait_for_the_idle_is_no_part_of_a_circle() -> None:
    ground = circle(of=3)
    ground.ask(Stop(BOB))
    ground.wait(IDLE_MS + 1)
    assert answer(ground.touch(CAT, "0.txt")) == "waiting"


def test_a_wait_that_is_over_is_no_part_of_a_circle() -> None:
    ground = circle(of=2)
    ground.ask(Committed(BOB, (resource("1.txt"),)))
    ground.touch(DAN, "1.txt")
    ground.touch(BOB, "2.txt")
    assert answer(ground.touch(BOB, "0.txt")) == "waiting"


def test_a_circle_is_found_behind_any_of_several_files() -> None:
    ground = circle(of=2)
    ground.touch(DAN, "d.txt")
    assert answer(ground.touch(BOB, "d.txt", "0.txt")) == "deadlock"
