"""A short notation for what a command writes, so that a table of many commands can be read.

`tee a.txt` is a certain write; `rm *.py ?` an uncertain one; `mv d /**` means everything below as well. Paths are shown
without the directory the command runs in. `unknown`, `tree` and `index` begin the lines of these lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jit.hooks.shell.targets import Targets, Write

CWD = "/r"
HOME = "/h"
DIRECTORIES = frozenset({"/r", "/r/d", "/r/src", "/r/src/deep", "/h"})
FILES = frozenset({"/r/f", "/r/g", "/r/src/x.py"})


def what_is_there(path: str) -> str:
    return "directory" if path in DIRECTORIES else "file" if path in FILES else ""


def lines(found: Targets) -> set[str]:
    shown = {_line(write) for write in found.writes}
    for name in ("unknown", "tree", "index"):
        shown |= {f"{name} {words}" for words in getattr(found, name)}
    return shown


def _line(write: Write) -> str:
    path = write.path.removeprefix(CWD + "/") if write.path != CWD else "."
    return f"{write.verb} {path}" + (" /**" if write.below else "") + ("" if write.certain else " ?")
