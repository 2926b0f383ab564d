"""Colour, width and characters."""

from __future__ import annotations

import io

import pytest

from jit.cli.style import Style, choose, columns_of, is_terminal, printable, prose_width, terminal_width
from tests.cli_frame.listening import Terminal

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("when", "environ", "terminal", "colored"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("auto", {"TERM": "xterm"}, True, True),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": "0"}, False, False),
        ("auto", {"FORCE_COLOR": ""}, False, False),
        ("auto", {"FORCE_COLOR": "1", "TERM": "dumb"}, True, True),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ("always", {"NO_COLOR": "1", "TERM": "dumb"}, False, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_colour_follows_the_flag_then_the_environment_then_the_terminal(
    when: str, environ: dict[str, str], *, terminal: bool, colored: bool
) -> None:
    assert choose(when, environ=environ, terminal=terminal) == Style(colored)


def test_paint_wraps_text_in_its_role_and_leaves_the_rest_alone() -> None:
    assert Style(colored=True).paint("bad", "no") == "\x1b[31mno\x1b[0m"
    assert Style(colored=True).paint("", "no") == "no"
    assert Style(colored=True).paint("ok", "") == ""
    assert Style(colored=False).paint("bad", "no") == "no"


def test_a_missing_or_closed_stream_is_no_terminal() -> None:
    closed = Terminal()
    closed.close()
    assert [is_terminal(stream) for stream in (Terminal(), io.StringIO(), closed, None)] == [True, False, False, False]


@pytest.mark.parametrize(
    ("columns", "width"), [("132", 132), ("", 80), ("x", 80), ("0", 80), ("-5", 80), ("٣", 80), ("9" * 5000, 999_999)]
)
def test_width_comes_from_columns_if_it_is_a_number(columns: str, width: int) -> None:
    assert terminal_width(io.StringIO(), {"COLUMNS": columns}) == width


def test_width_for_text_stays_readable() -> None:
    assert [prose_width(None, {"COLUMNS": c}) for c in ("5", "60", "400")] == [40, 60, 100]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("two\nlines\tand a tab", "two lines and a tab"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("bell\x07", "bell\\x07"),
        ("right\u202eleft", "right\\u202eleft"),
        ("日本 é", "日本 é"),
        ("file\udcff", "file\\udcff"),
    ],
)
def test_text_from_elsewhere_cannot_steer_the_terminal(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("…", 1), ("", 0)])
def test_wide_characters_take_two_columns_and_marks_none(text: str, columns: int) -> None:
    assert columns_of(text) == columns
