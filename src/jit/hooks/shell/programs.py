"""Which program writes what: one table from names to functions.

A program that is in no table may do anything, so it is named as unknown. Programs on the usual paths are known by their
last name; a program of another folder is somebody's script.
"""

from __future__ import annotations

from jit.hooks.shell.archives import ARCHIVES
from jit.hooks.shell.copies import COPIES
from jit.hooks.shell.editors import EDITORS
from jit.hooks.shell.git import run_git
from jit.hooks.shell.operands import OPERANDS
from jit.hooks.shell.readers import names, reads
from jit.hooks.shell.starters import STARTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.shell.calls import Call, Program

FOLDERS = names("/bin /sbin /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin /opt/homebrew/bin")
INSTALLERS = names("apt apt-get brew bun bundle cargo conda dnf docker gem go gradle mvn npm pip pip3 pnpm uv yarn")
ASKED = INSTALLERS | names("make cmake gcc clang rustc java tsc ruff mypy")
VERSION = ("--version", "-V", "-v", "version")

PROGRAMS: dict[str, Program] = {**COPIES, **OPERANDS, **EDITORS, **ARCHIVES, **STARTERS, "git": run_git}


def run_program(call: Call) -> None:
    folder, slash, name = call.name.rpartition("/")
    if slash and folder not in FOLDERS:
        call.unknown(f"runs {call.name}")
        return
    call.name = name
    words = call.words()
    if name in PROGRAMS:
        PROGRAMS[name](call)
    elif reads(words) or (name in ASKED and len(words) == 2 and words[1] in VERSION):
        return
    else:
        call.unknown(f"runs {call.line(1) if name in INSTALLERS else name}")
