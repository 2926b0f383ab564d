"""Under the rule `queue` whoever asked first is served first, and nobody is served by chance."""

from __future__ import annotations

from jit.systems.files.commands import End, Stop
from tests.systems.files.ground import ANN, BOB, CAT, DAN, RETRY_MS, Ground, answer

WAITERS = (BOB, CAT, DAN)


def lined_up() -> Ground:
    """Ann holds the file; three others wait for it, in this order."""
    ground = Ground()
    ground.touch(ANN, "q.txt", rule="queue")
    for who in WAITERS:
        assert answer(ground.touch(who, "q.txt", rule="queue")) == "queued"
    return ground


def test_the_first_in_the_queue_is_the_first_out() -> None:
    ground = lined_up()
    for gone, following in zip((ANN, *WAITERS), WAITERS, strict=False):
        ground.ask(End(gone, "done"))
        for other in WAITERS[WAITERS.index(following) + 1 :]:
            assert answer(ground.touch(other, "q.txt", rule="queue")) == "queued"
        assert answer(ground.touch(following, "q.txt", rule="queue")) == ""
        assert ground.holder("q.txt") == following


def test_a_latecomer_does_not_pass_the_queue_even_if_the_file_is_free() -> None:
    ground = lined_up()
    ground.ask(End(ANN, "done"))
    ground.ask(End(DAN, "done"))
    assert answer(ground.touch(DAN, "q.txt", rule="queue")) == "queued"
    assert ground.holder("q.txt") is None


def test_one_that_queues_is_never_blocked_however_long_it_takes() -> None:
    ground = lined_up()
    ground.wait(10 * RETRY_MS)
    assert answer(ground.touch(BOB, "q.txt", rule="queue")) == "queued"


def test_a_turn_is_kept_for_one_retry_interval_from_when_somebody_asks() -> None:
    ground = lined_up()
    ground.ask(End(ANN, "done"))
    ground.wait(10 * RETRY_MS)  # nobody asked, so nobody was kept waiting
    assert answer(ground.touch(CAT, "q.txt", rule="queue")) == "queued"
    ground.wait(RETRY_MS - 1)
    assert answer(ground.touch(CAT, "q.txt", rule="queue")) == "queued"
    ground.wait(1)
    assert answer(ground.touch(CAT, "q.txt", rule="queue")) == ""
    assert ground.holder("q.txt") == CAT


def test_whoever_is_called_and_comes_in_time_is_served() -> None:
    ground = lined_up()
    ground.ask(End(ANN, "done"))
    ground.touch(CAT, "q.txt", rule="queue")
    ground.wait(RETRY_MS - 1)
    assert answer(ground.touch(BOB, "q.txt", rule="queue")) == ""


def test_whoever_missed_its_turn_queues_anew_at_the_end_and_writes_no_old_content() -> None:
    ground = lined_up()
    ground.write("q.txt", "new")
    ground.ask(End(ANN, "done"))
    ground.touch(CAT, "q.txt", rule="queue")
    ground.wait(RETRY_MS)
    ground.touch(CAT, "q.txt", rule="queue")
    assert answer(ground.touch(BOB, "q.txt", rule="queue")) == "queued"
    ground.ask(End(CAT, "done"))
    assert answer(ground.touch(DAN, "q.txt", rule="queue")) == "outdated"
    ground.ask(End(DAN, "done"))
    assert answer(ground.touch(BOB, "q.txt", rule="queue")) == "outdated"


def test_whoever_stops_stands_in_no_queue() -> None:
    ground = lined_up()
    ground.ask(Stop(BOB))
    ground.ask(End(ANN, "done"))
    assert answer(ground.touch(CAT, "q.txt", rule="queue")) == ""


def test_the_dead_leave_the_queue() -> None:
    ground = lined_up()
    ground.ask(End(ANN, "done"))
    ground.kill(BOB)
    assert answer(ground.touch(CAT, "q.txt", rule="queue")) == ""


def test_a_deadlock_is_told_at_once_in_a_queue_too() -> None:
    ground = Ground()
    ground.touch(ANN, "a.txt", rule="queue")
    ground.touch(BOB, "b.txt", rule="queue")
    assert answer(ground.touch(ANN, "b.txt", rule="queue")) == "queued"
    assert answer(ground.touch(BOB, "a.txt", rule="queue")) == "deadlock"


def test_a_deadlock_with_a_later_holder_is_found_in_a_queue_too() -> None:
    ground = lined_up()
    ground.touch(CAT, "c.txt", rule="queue")
    ground.ask(End(ANN, "done"))
    ground.touch(BOB, "q.txt", rule="queue")
    assert answer(ground.touch(BOB, "c.txt", rule="queue")) == "deadlock"
    assert answer(ground.touch(CAT, "q.txt", rule="queue")) == "queued"


def test_a_deadlock_that_closes_by_a_grant_is_told_at_the_next_attempt_of_one_that_queues() -> None:
    ground = lined_up()
    ground.touch(CAT, "c.txt", rule="queue")
    ground.touch(BOB, "c.txt", rule="queue")
    ground.ask(End(ANN, "done"))
    ground.touch(BOB, "q.txt", rule="queue")
    assert answer(ground.touch(CAT, "q.txt", rule="queue")) == "deadlock"
    assert answer(ground.touch(BOB, "c.txt", rule="queue")) == "queued"
