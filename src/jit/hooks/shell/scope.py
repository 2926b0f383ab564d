"""What the shell knows at one point of a script: its directory, variables, functions and arguments.

A variable or the directory may have several possible values, because a branch may or may not have been taken. A value
that the text does not tell is a field that is unknown.
"""

from __future__ import annotations

from jit.kernel.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.shell.syntax import Node

    Values = tuple["Field", ...]

POSSIBILITIES = 16


class Field(Record):
    """One word as a program gets it. `glob`: the text is a pattern. `unknown`: the source of what cannot be told."""

    text: str
    glob: bool = False
    certain: bool = True
    unknown: str = ""


def literal(text: str) -> Field:
    return Field(text)


def cannot_be_known(source: str) -> Field:
    return Field("", unknown=source)


def with_text(field: Field, text: str) -> Field:
    return replace(field, text=text)


def doubtful(fields: Values) -> Values:
    return tuple(replace(field, certain=False) for field in fields)


class Scope:
    """Changed as the script is followed. A subshell works on a copy; branches work on copies that are merged again."""

    __slots__ = ("arrays", "cwds", "fallback", "functions", "source", "stack", "variables")

    def __init__(self, *cwds: str) -> None:
        self.cwds = cwds
        self.fallback: Scope | None = None
        self.variables: dict[str, Values] = {}
        self.arrays: dict[str, Values] = {}
        self.functions: dict[str, tuple[Node, bytes]] = {}
        self.stack: tuple[tuple[str, ...], ...] = ()
        self.source = b""

    def copy(self) -> Scope:
        other = Scope(*self.cwds)
        other.variables = dict(self.variables)
        other.arrays = dict(self.arrays)
        other.functions = dict(self.functions)
        other.stack, other.source = self.stack, self.source
        other.fallback = self.fallback.copy() if self.fallback else None
        return other

    def may_fail(self, before: Scope) -> None:
        """If the last command fails, things are as they were before."""
        if self.fallback is None:
            self.fallback = before
        else:
            self.fallback.merge(before)

    def settle(self) -> None:
        """What follows runs whether or not the commands before succeeded; after `&&` it runs only if they did."""
        other, self.fallback = self.fallback, None
        if other:
            self.merge(other)

    def merge(self, other: Scope) -> None:
        """Afterwards either may be true: this scope or the other."""
        self.cwds = tuple(dict.fromkeys(self.cwds + other.cwds)) if self.cwds and other.cwds else ()
        if len(self.cwds) > POSSIBILITIES:
            self.cwds = ()
        self.variables = _either(self.variables, other.variables)
        self.arrays = {name: value for name, value in self.arrays.items() if other.arrays.get(name) == value}
        self.functions = other.functions | self.functions
        self.stack = self.stack if self.stack == other.stack else ()

    def same(self, other: Scope) -> bool:
        return (self.cwds, self.variables, self.arrays) == (other.cwds, other.variables, other.arrays)

    def restore(self, before: Scope, *names: str) -> None:
        """Variables and lists of these names are again what they were."""
        for name in names:
            for now, old in ((self.variables, before.variables), (self.arrays, before.arrays)):
                now.pop(name, None)
                if name in old:
                    now[name] = old[name]

    def forget(self, name: str) -> None:
        self.variables[name] = (cannot_be_known(f"${name}"),)
        self.arrays.pop(name, None)

    def forget_all(self) -> None:
        for name in [*self.variables, *self.arrays]:
            self.forget(name)


def _either(one: dict[str, Values], other: dict[str, Values]) -> dict[str, Values]:
    merged: dict[str, Values] = {}
    for name in one.keys() | other.keys():
        unset = (cannot_be_known(f"${name}"),)
        first, second = one.get(name, unset), other.get(name, unset)
        values = first if first == second else tuple(dict.fromkeys(doubtful(first) + doubtful(second)))
        merged[name] = values if len(values) <= POSSIBILITIES else unset
    return merged
