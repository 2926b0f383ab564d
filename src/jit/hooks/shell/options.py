"""Command-line options as most programs read them: `-rf`, `-oFILE`, `-o FILE`, `--output=FILE`, `--`."""

from __future__ import annotations

from jit.hooks.shell.scope import with_text
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.shell.scope import Field


class Options(Record):
    """Flags without dashes, values in their order, and the rest."""

    flags: frozenset[str]
    values: tuple[tuple[str, Field], ...]
    operands: tuple[Field, ...]

    def has(self, *names: str) -> bool:
        return any(name in self.flags for name in names)

    def all(self, *names: str) -> tuple[Field, ...]:
        return tuple(value for name, value in self.values if name in names)

    def last(self, *names: str) -> Field | None:
        found = self.all(*names)
        return found[-1] if found else None


def parse_options(
    args: tuple[Field, ...], short: str, long: tuple[str, ...], *, attached: str = "", permute: bool = True
) -> Options:
    """With `permute`, options may follow operands. An abbreviated long option counts as the one that takes a value."""
    flags: set[str] = set()
    values: list[tuple[str, Field]] = []
    operands: list[Field] = []
    rest = list(args)
    while rest:
        field = rest.pop(0)
        word = field.text
        if field.unknown or not word.startswith("-") or word == "-":
            operands.append(field)
            if not permute:
                break
        elif word == "--":
            break
        elif word.startswith("--"):
            values += _long(field, rest, long, flags)
        else:
            values += _short(field, rest, short, attached, flags=flags)
    return Options(frozenset(flags), tuple(values), tuple(operands + rest))


def _long(field: Field, rest: list[Field], long: tuple[str, ...], flags: set[str]) -> list[tuple[str, Field]]:
    name, equals, value = field.text[2:].partition("=")
    full = name if name in long else next((one for one in sorted(long) if one.startswith(name)), name)
    flags.add(full)
    if equals:
        return [(full, with_text(field, value))]
    if full in long and rest:
        return [(full, rest.pop(0))]
    return []


def _short(field: Field, rest: list[Field], short: str, attached: str, *, flags: set[str]) -> list[tuple[str, Field]]:
    for at, letter in enumerate(field.text[1:], start=2):
        flags.add(letter)
        follows = field.text[at:]
        if letter in attached:
            return [(letter, with_text(field, follows))] if follows else []
        if letter in short:
            value = with_text(field, follows) if follows else rest.pop(0) if rest else None
            return [(letter, value)] if value else []
    return []
