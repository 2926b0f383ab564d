"""Colour, and only where a person will see it.

`choose` decides once per stream: an explicit `--color always` or `never` wins, then `NO_COLOR`, then `FORCE_COLOR`,
then whether the stream is a terminal that is not dumb. Text is painted by role, never by colour, and reads the same
without.
"""

from __future__ import annotations

from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, TextIO

    Role = Literal["ok", "warn", "bad", "dim", "bold", "id", ""]

CODES = {"ok": "32", "warn": "33", "bad": "31", "dim": "2", "bold": "1", "id": "36"}
DEFAULT_WIDTH = 80
WIDEST = 100
NARROWEST = 40


class Style(Record):
    """How to paint on one stream."""

    colored: bool = False

    def paint(self, role: Role, text: str) -> str:
        if not self.colored or not role or not text:
            return text
        return f"\x1b[{CODES[role]}m{text}\x1b[0m"


PLAIN = Style()


def choose(when: str, *, environ: Mapping[str, str], terminal: bool) -> Style:
    """The style for a stream, from `--color`, the environment and what the stream is."""
    if when in ("always", "never"):
        return Style(when == "always")
    if environ.get("NO_COLOR"):
        return PLAIN
    if environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return Style(colored=True)
    return Style(terminal and environ.get("TERM") != "dumb")


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person sees this stream; a closed or missing one is none."""
    return stream is not None and not stream.closed and stream.isatty()


def terminal_width(stream: TextIO | None, environ: Mapping[str, str]) -> int:
    """The columns to fill: COLUMNS, then the terminal's own answer, then 80."""
    asked = environ.get("COLUMNS", "")
    if asked.isascii() and asked.isdigit() and int(asked[:6]) > 0:
        return int(asked[:6])
    if stream is None or not is_terminal(stream):
        return DEFAULT_WIDTH
    import os  # a bare interpreter has not loaded it, and a pipe has no width

    try:
        return os.get_terminal_size(stream.fileno()).columns or DEFAULT_WIDTH
    except (OSError, ValueError):  # a terminal without a size, or a stream without a descriptor
        return DEFAULT_WIDTH


def prose_width(stream: TextIO | None, environ: Mapping[str, str]) -> int:
    """The width for running text, which is hard to read when very wide or very narrow."""
    return max(NARROWEST, min(WIDEST, terminal_width(stream, environ)))


def printable(text: str) -> str:
    """Text from elsewhere on one line, with nothing in it that could steer a terminal."""
    if text.isprintable():
        return text
    return "".join([c if c.isprintable() else " " if c.isspace() else _escape(c) for c in text])


def columns_of(text: str) -> int:
    """How many terminal columns a text takes: none for a combining mark, two for a wide character."""
    if text.isascii() or text.replace("…", "").isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # a shared library: only for text that needs it

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
