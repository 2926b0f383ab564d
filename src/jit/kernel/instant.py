"""Moments that every process of one machine agrees on.

An `Instant` holds the wall clock and the machine's boot-time clock, which all processes share and which no one can set.
Two instants of the same boot are compared by the boot-time clock, so setting the wall clock changes nothing. Across a
reboot only the wall clock is left; a wall clock that went backwards counts as no time at all.
"""

from __future__ import annotations

from jit.kernel.record import Record


class Instant(Record):
    wall_ms: int
    boot_ms: int
    boot_id: str


def elapsed_ms(earlier: Instant, later: Instant) -> int:
    """How long from one instant to the other, never negative."""
    if earlier.boot_id == later.boot_id:
        return max(0, later.boot_ms - earlier.boot_ms)
    return max(0, later.wall_ms - earlier.wall_ms)


def after(start: Instant, duration_ms: int) -> Instant:
    """The instant that lies `duration_ms` after `start`, in the same boot."""
    return Instant(start.wall_ms + duration_ms, start.boot_ms + duration_ms, start.boot_id)


def rfc3339(wall_ms: int) -> str:
    """`2026-01-03T12:00:00.000Z`: the text of a wall-clock reading, for people and for the log."""
    seconds, ms = divmod(wall_ms, 1000)
    text = _seconds.get(seconds)
    if text is None:
        if len(_seconds) > 64:
            _seconds.clear()
        text = _seconds[seconds] = _to_seconds(seconds)
    return f"{text}{ms:03d}Z"


_seconds: dict[int, str] = {}


def _to_seconds(seconds: int) -> str:
    days, seconds = divmod(seconds, 86_400)
    hours, seconds = divmod(seconds, 3600)
    minutes, seconds = divmod(seconds, 60)
    return f"{_date(days)}T{hours:02d}:{minutes:02d}:{seconds:02d}."


def _date(days: int) -> str:
    """Civil date of a day number since 1970-01-01, by counting 400-year eras that begin on 1 March."""
    era, of_era = divmod(days + 719_468, 146_097)
    year_of_era = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * of_year + 2) // 153
    day = of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    year = year_of_era + era * 400 + (month <= 2)
    return f"{year:04d}-{month:02d}-{day:02d}"
