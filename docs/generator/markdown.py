"""The few forms of Markdown that the reference pages are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WRITTEN = "<!-- Written by docs/generate.py from the source. Change the source, then run: make docs -->"


def document(title: str, *parts: str) -> str:
    """A whole page: its title, the warning that it is generated, and its parts."""
    return "\n\n".join([f"# {title}", WRITTEN, *[part.strip("\n") for part in parts if part]]) + "\n"


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [_row(titles), _row(["---"] * len(titles)), *[_row([cell(text) for text in row]) for row in rows]]
    return "\n".join(lines)


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ") or " "


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def block(text: str, language: str = "") -> str:
    return f"```{language}\n{text}\n```"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
