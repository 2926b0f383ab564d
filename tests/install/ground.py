"""Ground for the tests of installation: a home of its own, the commands run in it, and a stand-in for jit's hook."""

from __future__ import annotations

import io
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from jit.cli.call import Call
from jit.cli.output import Out
from jit.cli.parse import find, parse
from jit.cli.spec import load_run
from jit.install.command import Program

TABLE = "jit.cli.tables.hooks"
INDEX = dict.fromkeys(("setup", "uninstall", "hooks"), ("", TABLE, "Set up"))
# Tells what it was called with, then does what a file beside it says.
RECORDER = """\
import os, sys
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "calls"), "a") as file:
    file.write(repr((sys.argv[1:], sys.stdin.read() if "pre-push" in sys.argv or "cline" in sys.argv else "")) + "\\n")
order = os.path.join(here, "order")
exec(open(order).read() if os.path.exists(order) else "")
"""


@dataclass
class Person:
    """Somebody with a home, who runs jit's commands there."""

    home: Path
    folder: Path
    environ: dict[str, str] = field(default_factory=dict)

    def run(self, *words: str) -> dict[str, object]:
        """Run a command in this process, and give its JSON."""
        said = io.StringIO()
        command = find([*words, "--json", "--repo", str(self.folder)], INDEX)
        assert command.command is not None
        parsed = parse(command.command, command.words)
        environ = {"HOME": str(self.home), **self.environ}
        call = Call(parsed, Out(stdout=said, stderr=io.StringIO(), environ=environ, json=True), environ)
        try:
            assert load_run(command.command)(call) == 0
        finally:
            call.close()
        found = json.loads(said.getvalue())
        assert isinstance(found, dict)
        return found


def tree(folder: Path) -> dict[str, tuple[object, ...]]:
    """Everything below a folder: bytes and mode of files, targets of links, directories."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = ("link", str(path.readlink()))
        elif path.is_dir():
            found[name] = ("folder",)
        else:
            found[name] = ("file", path.read_bytes(), path.stat().st_mode)
    return {name: what for name, what in found.items() if not name.startswith(".local")}


def without_comments(text: str) -> str:
    """JSON of a text whose comments and trailing commas stand outside of strings, and no string holds slashes twice."""
    plain = re.sub(r"(?<!:)//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.sub(r",(\s*[}\]])", r"\1", plain)


def make_recorder(folder: Path) -> Program:
    """A program that stands where jit's hook would, and writes down how it was called."""
    entry = folder / "jit" / "hooks" / "entry.py"
    entry.parent.mkdir(parents=True)
    entry.write_text(RECORDER, "utf-8")
    return Program(sys.executable, str(entry))


def calls_of(program: Program) -> list[tuple[list[str], str]]:
    record = Path(program.entry).parent / "calls"
    lines = record.read_text("utf-8").splitlines() if record.exists() else []
    return [eval(line) for line in lines]  # noqa: S307  written by the recorder above


def order(program: Program, code: str) -> None:
    """What the recorder does after it wrote down the call."""
    (Path(program.entry).parent / "order").write_text(code, "utf-8")
