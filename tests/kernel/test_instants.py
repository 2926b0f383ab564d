from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import example, given
from hypothesis import strategies as st

from jit.kernel.instant import Instant, after, elapsed_ms, rfc3339

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
YEAR_1_MS = -62_135_596_800_000
YEAR_9999_MS = 253_402_300_799_999
ms = st.integers(0, 2**50)


@given(st.integers(YEAR_1_MS, YEAR_9999_MS))
@example(0)
@example(YEAR_1_MS)
@example(YEAR_9999_MS)
@example(951_782_400_000)  # 29 February 2000
@example(4_107_542_399_999)  # the last moment of February 2100, which has 28 days
def test_the_text_of_a_moment_is_what_the_calendar_says(wall_ms: int) -> None:
    moment = EPOCH + timedelta(milliseconds=wall_ms)
    expected = moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
    assert rfc3339(wall_ms) == expected


def test_the_memory_of_recent_seconds_does_not_mix_them_up() -> None:
    moments = [*range(0, 200_000, 1000), *range(0, 200_000, 1000)]
    texts = [rfc3339(wall_ms) for wall_ms in moments]
    assert texts[:200] == texts[200:]
    assert len(set(texts)) == 200


@given(ms, ms, ms, ms)
def test_within_one_boot_only_the_boot_clock_counts(wall: int, boot: int, other_wall: int, passed: int) -> None:
    earlier, later = Instant(wall, boot, "b"), Instant(other_wall, boot + passed, "b")
    assert elapsed_ms(earlier, later) == passed


@given(ms, ms, ms, ms)
def test_across_boots_only_the_wall_clock_counts(wall: int, boot: int, other_boot: int, passed: int) -> None:
    assert elapsed_ms(Instant(wall, boot, "b"), Instant(wall + passed, other_boot, "c")) == passed


@given(ms, ms, st.sampled_from(("b", "c")))
def test_time_never_runs_backwards(reading: int, back: int, boot_id: str) -> None:
    later = Instant(reading, reading, boot_id)
    assert elapsed_ms(Instant(reading + back, reading + back, "b"), later) == 0


@given(ms, ms, ms)
def test_the_instant_after_a_duration_is_that_far_away(wall: int, boot: int, passed: int) -> None:
    start = Instant(wall, boot, "b")
    end = after(start, passed)
    assert (end.wall_ms - wall, end.boot_ms - boot, end.boot_id) == (passed, passed, "b")
