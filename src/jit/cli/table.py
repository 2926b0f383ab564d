"""Tables for people: aligned, without borders, as wide as the terminal.

Too wide for the terminal, the widest column is cut and ends in `…`. Columns of identifiers (role `id`) are never cut,
because people copy them. Without a terminal nothing is cut: what reads a pipe wants it all.
"""

from __future__ import annotations

from jit.cli.style import PLAIN, columns_of, printable
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jit.cli.style import Role, Style

    Cell = str | tuple[Role, str]

GAP = "  "
NARROWEST_COLUMN = 8


class Column(Record):
    """A title, the role its cells are painted in, and whether they stand to the right (numbers)."""

    title: str
    role: Role = ""
    right: bool = False


def render(
    columns: Sequence[Column], rows: Iterable[Sequence[Cell]], *, width: int | None = None, style: Style = PLAIN
) -> str:
    """The lines of a table, heading first. A cell is text, or `(role, text)` where one cell differs from its column."""
    cells = [[_split(cell, column) for cell, column in zip(row, columns, strict=True)] for row in rows]
    titles: list[tuple[Role, str]] = [("dim", column.title) for column in columns]
    widths = [max(columns_of(row[i][1]) for row in [titles, *cells]) for i in range(len(columns))]
    if width is not None:
        widths = fit(widths, width, kept=[column.role == "id" for column in columns])
    return "".join([_line(row, columns, widths, style) for row in [titles, *cells]])


def fit(widths: Sequence[int], width: int, *, kept: Sequence[bool]) -> list[int]:
    """Narrow the widest columns until the line fits, or until nothing is left that may be cut."""
    out = list(widths)
    excess = sum(out) + len(GAP) * (len(out) - 1) - width
    free = [i for i, keep in enumerate(kept) if not keep]
    while excess > 0 and free:
        widest = max(free, key=out.__getitem__)
        if out[widest] <= NARROWEST_COLUMN:
            break
        out[widest] -= 1
        excess -= 1
    return out


def shorten(text: str, width: int) -> str:
    """The beginning of a text with `…` in place of what does not fit."""
    if columns_of(text) <= width:
        return text
    kept = text[: width - 1]
    while columns_of(kept) > width - 1:
        kept = kept[:-1]
    return kept + "…"


def _split(cell: Cell, column: Column) -> tuple[Role, str]:
    role, text = (column.role, cell) if isinstance(cell, str) else cell
    return role, printable(text)


def _line(row: Sequence[tuple[Role, str]], columns: Sequence[Column], widths: Sequence[int], style: Style) -> str:
    parts = []
    for (role, text), column, width in zip(row, columns, widths, strict=True):
        shown = shorten(text, width)
        space = " " * (width - columns_of(shown))
        painted = style.paint(role, shown)
        parts.append(space + painted if column.right else painted + space)
    return GAP.join(parts).rstrip() + "\n"
