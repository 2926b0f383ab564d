"""Tables that people can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jit.cli.style import Style, columns_of
from jit.cli.table import Column, fit, render, shorten

if TYPE_CHECKING:
    from jit.cli.table import Cell

pytestmark = pytest.mark.unit

LEASES = [Column("LEASE", "id"), Column("TITLE"), Column("TTL", right=True)]


def test_columns_are_aligned_and_numbers_stand_to_the_right() -> None:
    rows = [("01A", "short", "5"), ("01BCDEF", "a longer title", "600")]
    assert render(LEASES, rows) == (
        "LEASE    TITLE           TTL\n"
        "01A      short             5\n"
        "01BCDEF  a longer title  600\n"
    )  # fmt: skip


def test_no_line_ends_in_spaces() -> None:
    assert render([Column("A"), Column("B")], [("x", ""), ("y", "longer")]) == "A  B\nx\ny  longer\n"


def test_a_table_without_rows_is_its_heading() -> None:
    assert render(LEASES, []) == "LEASE  TITLE  TTL\n"


def test_too_wide_for_the_terminal_the_widest_column_is_cut() -> None:
    shown = render(LEASES, [("01ABCDEF", "a title that goes on and on", "600")], width=30).splitlines()
    assert shown[1] == "01ABCDEF  a title that g…  600"


def test_identifiers_are_never_cut_because_people_copy_them() -> None:
    identifier = "01HXJK2M3N4P5Q6R7S8T9VWXYZ"
    shown = render(LEASES, [(identifier, "a rather long title", "600")], width=20)
    assert identifier in shown
    assert "a rathe…" in shown


def test_without_a_width_nothing_is_cut() -> None:
    assert "x" * 500 in render(LEASES, [("01", "x" * 500, "1")])


def test_wide_characters_keep_the_columns_aligned() -> None:
    lines = render([Column("A"), Column("B")], [("日本語", "x"), ("abc", "y")]).splitlines()
    assert lines[1:] == ["日本語  x", "abc     y"]


def test_colour_changes_nothing_about_the_alignment() -> None:
    rows: list[tuple[Cell, ...]] = [("01A", ("warn", "stale"), "5")]
    painted = render(LEASES, rows, style=Style(colored=True))
    assert "\x1b[36m01A\x1b[0m" in painted
    assert "\x1b[33mstale\x1b[0m" in painted
    assert painted.startswith("\x1b[2mLEASE\x1b[0m")
    for code in ("\x1b[36m", "\x1b[33m", "\x1b[2m", "\x1b[0m"):
        painted = painted.replace(code, "")
    assert painted == render(LEASES, rows)


def test_a_title_cannot_break_the_table_or_steer_the_terminal() -> None:
    assert render([Column("T")], [("two\nlines\x1b[2J",)]) == "T\ntwo lines\\x1b[2J\n"


def test_a_row_of_the_wrong_length_is_a_fault_of_the_program() -> None:
    with pytest.raises(ValueError, match="zip"):
        render(LEASES, [("01A", "x")])


@given(st.text(alphabet="ab日\u0301", max_size=20), st.integers(2, 20))
def test_a_shortened_text_fits_and_begins_like_the_text(text: str, width: int) -> None:
    shown = shorten(text, width)
    assert columns_of(shown) <= width
    assert shown == text or (shown.endswith("…") and text.startswith(shown[:-1]))


@given(st.lists(st.tuples(st.integers(0, 200), st.booleans()), min_size=1, max_size=6), st.integers(10, 200))
def test_narrowing_spares_identifiers_and_stops_when_it_fits(columns: list[tuple[int, bool]], width: int) -> None:
    before, kept = [c[0] for c in columns], [c[1] for c in columns]
    after = fit(before, width, kept=kept)
    gaps = 2 * (len(columns) - 1)
    assert all(a == b for a, b, keep in zip(after, before, kept, strict=True) if keep)
    assert all(a == b or 8 <= a < b for a, b in zip(after, before, strict=True))
    if sum(before) + gaps <= width:
        assert after == before
    elif any(a > 8 for a, keep in zip(after, kept, strict=True) if not keep):
        assert sum(after) + gaps == width
