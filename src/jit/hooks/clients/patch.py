"""The apply_patch envelope: which files a patch adds, updates, deletes and moves.

    *** Begin Patch
    *** Add File: PATH            lines of the new file follow, each after a plus
    *** Update File: PATH
    *** Move to: PATH             only after an Update
    @@                            hunks: lines after a space, a plus or a minus
    *** Delete File: PATH
    *** End Patch

Only headers matter here; what is in the hunks is the client's business. Clients accept an indented header where no hunk
can stand, so it counts here too, but inside an update a line after a space is content, whatever it looks like. A broken
patch gives the paths that can be seen in it: asking for one lease too many does less harm than one too few.
"""

from __future__ import annotations

from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    Kind = Literal["add", "update", "delete"]

BEGIN = "*** Begin Patch"
END = "*** End Patch"
_HEADERS: tuple[tuple[str, Kind], ...] = (
    ("*** Add File:", "add"),
    ("*** Update File:", "update"),
    ("*** Delete File:", "delete"),
)
_MOVE = "*** Move to:"
_PROGRAMS = ("apply_patch", "applypatch")


class Change(Record):
    kind: Kind
    path: str
    moved_to: str = ""


def changes(text: str) -> tuple[Change, ...]:
    """The changes of a patch, in its order."""
    found: list[Change] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        inside = bool(found) and found[-1].kind == "update"
        header = line.rstrip() if inside else line.strip()
        if header == END:
            break
        if inside and header.startswith(_MOVE):
            found[-1] = Change("update", found[-1].path, header.removeprefix(_MOVE).strip())
        found += [Change(kind, path) for kind, path in _headers(header)]
    return tuple(found)


def paths(text: str) -> tuple[str, ...]:
    """Every path that a patch touches, both names of a move, each once."""
    names = [name for change in changes(text) for name in (change.path, change.moved_to) if name]
    return tuple(dict.fromkeys(names))


def replaced(text: str) -> tuple[str, ...]:
    """Those of its paths that a patch brings or takes away whole: what it adds, deletes, or moves something to."""
    names = [name for change in changes(text) for name in (_whole(change), change.moved_to) if name]
    return tuple(dict.fromkeys(names))


def _whole(change: Change) -> str:
    return "" if change.kind == "update" else change.path


def shell_paths(command: str) -> tuple[str, ...]:
    """The paths of patches that a shell command feeds to apply_patch, as a here-document or as an argument.

    They are relative to where the command runs; a plain `cd DIRECTORY &&` before apply_patch is followed.
    """
    found = [_below(directory, path) for directory, text in _in_shell(command) for path in paths(text)]
    return tuple(dict.fromkeys(found))


def _headers(line: str) -> Iterator[tuple[Kind, str]]:
    for marker, kind in _HEADERS:
        path = line.removeprefix(marker).strip()
        if line.startswith(marker) and path:
            yield kind, path


def _in_shell(command: str) -> Iterator[tuple[str, str]]:
    """The directory and the text of each patch: its envelope begins on the line of apply_patch or on the next one."""
    rest = command
    while BEGIN in rest:
        before, _, rest = rest.partition(BEGIN)
        *above, line = before.rsplit("\n", 2)
        opening = line if line.strip() else "".join(above[-1:])
        if any(program in opening for program in _PROGRAMS):
            body, _, rest = rest.partition(END)
            yield _directory(opening), body


def _directory(line: str) -> str:
    words = line.replace("&&", " && ").replace(";", " ; ").split()
    if len(words) > 3 and words[0] == "cd" and words[2] in ("&&", ";"):
        return words[1].strip("'\"")
    return ""


def _below(directory: str, path: str) -> str:
    return f"{directory.rstrip('/')}/{path}" if directory and not path.startswith("/") else path
