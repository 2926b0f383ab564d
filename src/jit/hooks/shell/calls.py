"""One call of a program: its name and arguments, and what can be said about it."""

from __future__ import annotations

from jit.hooks.shell.findings import paths
from jit.hooks.shell.options import parse_options
from jit.hooks.shell.scope import cannot_be_known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jit.hooks.shell.options import Options
    from jit.hooks.shell.scope import Field, Scope
    from jit.hooks.shell.walk import Walk

    Program = Callable[["Call"], None]


class Call:
    """`stdin` is the text that the program will read, if a here-document tells it."""

    __slots__ = ("args", "name", "scope", "stdin", "walk")

    def __init__(self, walk: Walk, name: str, args: tuple[Field, ...], scope: Scope, stdin: str | None) -> None:
        self.walk = walk
        self.name = name
        self.args = args
        self.scope = scope
        self.stdin = stdin

    def options(self, short: str = "", *long: str, attached: str = "", permute: bool = True) -> Options:
        """`short` and `long` take a value; `attached` letters take one only if it follows in the same word."""
        return parse_options(self.args, short, long, attached=attached, permute=permute)

    def write(self, field: Field, verb: str = "", *, below: bool = False) -> None:
        self.walk.found.write(field, verb or self.name, self.scope, below=below)

    def tree(self, operation: str) -> None:
        self.walk.found.tree(operation, self.scope)

    def unknown(self, reason: str) -> None:
        self.walk.found.unknown(reason)

    def run(self, fields: tuple[Field, ...]) -> None:
        """The program that this one starts."""
        if fields:
            self.walk.run(fields, self.scope, self.stdin)

    def kind(self, field: Field) -> str:
        """What is at the path now: `directory`, `file`, nothing or `unsure`."""
        places = paths(field, self.scope)
        if field.unknown or field.glob or len(places) != 1:
            return "unsure"
        return self.walk.found.kind(places[0])

    def is_folder(self, field: Field) -> bool:
        """Whether a directory is there now, whatever the command does before."""
        return any(self.walk.found.probe(path) == "directory" for path in paths(field, self.scope))

    def words(self) -> list[str]:
        return [self.name, *(field.text for field in self.args)]

    def line(self, most: int = 3) -> str:
        """The beginning of the call as it was written, to name it in a reason."""
        return " ".join([self.name, *(field.unknown or field.text for field in self.args[:most])])

    def inputs(self) -> Field:
        """Files that the program's input names."""
        return cannot_be_known("what its input names")
