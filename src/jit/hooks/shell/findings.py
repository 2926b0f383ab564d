"""What has been found so far, without repetition, in the order of the text."""

from __future__ import annotations

from jit.hooks.shell.scope import Field
from jit.hooks.shell.targets import Targets, Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.shell.scope import Scope
    from jit.hooks.shell.targets import Probe

REASON_LENGTH = 80


class Findings:
    """Collects; and answers what is at a path, as far as the commands before did not change it.

    While `wide` is set, a file that is written stands for anything below it as well.
    """

    __slots__ = (
        "_changed",
        "_files",
        "_folders",
        "_index",
        "_made",
        "_tree",
        "_unknown",
        "_writes",
        "links",
        "probe",
        "wide",
    )

    def __init__(self, probe: Probe) -> None:
        self.probe = probe
        self._writes: dict[Write, None] = {}
        self._unknown: dict[str, None] = {}
        self._tree: dict[str, None] = {}
        self._index: dict[str, None] = {}
        self._folders: dict[str, None] = {}
        self._changed: set[str] = set()
        self._made: set[str] = set()
        self._files: set[str] = set()
        self.links: dict[str, str] = {}
        self.wide = False

    def targets(self) -> Targets:
        writes, unknown, index = tuple(self._writes), tuple(self._unknown), tuple(self._index)
        return Targets(writes, unknown, tuple(self._tree), index, tuple(self._folders))

    def write(self, field: Field, verb: str, scope: Scope, *, below: bool = False) -> None:
        """A file is written; if its name cannot be told, that is said."""
        if field.unknown:
            self.unknown(f"writes to {field.unknown}" if verb in ("redirect", "append") else f"{verb} {field.unknown}")
        elif field.text and not is_device(field.text):
            self._place(field, verb, scope, below=below)

    def _place(self, field: Field, verb: str, scope: Scope, *, below: bool) -> None:
        places = paths(field, scope)
        if not places:
            self.unknown(f"{verb} {field.text} in a directory that is not known")
        if field.glob and "**" in field.text:
            above = field.text.partition("**")[0].rpartition("/")[0] or ("/" if field.text.startswith("/") else ".")
            self._place(Field(above, certain=False), verb, scope, below=True)
        certain = field.certain and not field.glob and len(places) == 1
        for path in places:
            self._record(Write(path, verb, certain, below or self.wide))
            for link, target in self.links.items():
                if path == link or path.startswith(link + "/"):
                    self._record(Write(target + path[len(link) :], verb, certain=False, below=below or self.wide))

    def _record(self, write: Write) -> None:
        self._writes[write] = None
        self._made.discard(write.path)
        (self._changed if write.below else self._files).add(write.path)

    def link(self, link: str, target: str) -> None:
        """From now on, what is written through a link is written to its target as well."""
        self.links[link] = target
        self._changed.add(link)

    def make(self, field: Field, scope: Scope) -> None:
        """A directory is made."""
        places = paths(field, scope)
        if len(places) == 1 and not field.unknown and not field.glob:
            self._made.update(_with_parents(places[0]))
        else:
            self._changed.update(places)

    def change(self, field: Field, scope: Scope) -> None:
        """Something else may be at this path from now on: a directory is removed, a link leads elsewhere."""
        self._made.difference_update(paths(field, scope))
        self._changed.update(paths(field, scope))

    def unknown(self, reason: str) -> None:
        words = " ".join(reason.split())
        self._unknown[words if len(words) <= REASON_LENGTH else words[: REASON_LENGTH - 1] + "…"] = None

    def tree(self, operation: str, scope: Scope) -> None:
        self._tree[operation] = None
        self._folders.update(dict.fromkeys(scope.cwds))
        if not scope.cwds:
            self.unknown(f"{operation} in a directory that is not known")

    def index(self, operation: str) -> None:
        self._index[operation] = None

    def kind(self, path: str) -> str:
        """`directory`, `file`, nothing, or `unsure` if the command itself may change it before."""
        if path in self._made:
            return "directory"
        if self._tree or self._unknown or any(path == one or path.startswith(one + "/") for one in self._changed):
            return "unsure"
        return self.probe(path) or ("file" if path in self._files else "")


def paths(field: Field, scope: Scope) -> tuple[str, ...]:
    """Where a word leads from each directory that the shell may be in."""
    if field.text.startswith("/"):
        return (tidy(field.text),)
    return tuple(tidy(f"{cwd}/{field.text}") for cwd in scope.cwds)


def _with_parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(2, len(parts) + 1)]


def tidy(path: str) -> str:
    """Without `.` and doubled slashes; `..` stays, because it depends on symbolic links."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return "/" + "/".join(parts)


def is_device(text: str) -> bool:
    return text.startswith(("/dev/", "/proc/self/fd/"))
