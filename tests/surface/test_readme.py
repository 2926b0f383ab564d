"""The session in README.md is run, command by command, and must say what README.md says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.traceability import covers

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.surface

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b|\bwt:[0-9a-f]{8}\b")
VARYING = (
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ"), "TIME"),
    (re.compile(r"\b(9m\d\ds|10m)\b"), "TEN MINUTES"),
    (re.compile(r"(?<= back after )\d+[ms]\w*"), "A WHILE"),
    (re.compile(r" +"), " "),
)
DONE = "the command is done"


class Shell:
    """One shell for the whole session, so that `cd` and `export` last; words and data come together, as on a screen."""

    def __init__(self, home: Path) -> None:
        (home / ".gitconfig").write_text("[init]\n\tdefaultBranch = main\n")
        environ = {"HOME": str(home), "USER": "you"}
        self._home = str(home)
        self._process = subprocess.Popen(
            ("env", *(f"{name}={value}" for name, value in environ.items()), "sh"),
            cwd=home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, command: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{{ {command}\n}} </dev/null\necho '{DONE}'\n")
        self._process.stdin.flush()
        lines = iter(self._process.stdout.readline, f"{DONE}\n")
        return "".join(lines).replace(self._home, "~")

    def close(self) -> None:
        self._process.communicate(timeout=60)


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    shell = Shell(tmp_path.resolve())
    yield shell
    shell.close()


def steps(markdown: str) -> Iterator[tuple[str, str]]:
    """Each command of the session with the output that is printed below it."""
    for block in BLOCK.findall(markdown):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def renamed(text: str, names: dict[str, str]) -> str:
    return NAME.sub(lambda found: names.get(found[0], found[0]), text)


def plain(text: str) -> str:
    """The text without what is different each time."""
    for pattern, word in VARYING:
        text = pattern.sub(word, text)
    return text


@covers("002:AC8")
def test_the_session_in_the_readme_happens_as_it_is_written(shell: Shell) -> None:
    real: dict[str, str] = {}
    for command, wanted in steps(README):
        output = shell.run(renamed(command, real))
        # An id that is new in the text stands for the one that is new in the output, from here on.
        for written, made in zip(NAME.findall(wanted), NAME.findall(output), strict=False):
            real.setdefault(written, made)
        assert plain(renamed(output, {made: written for written, made in real.items()})) == plain(wanted), (
            f"$ {command}"
        )
    assert len(real) > 3


def test_the_two_commands_of_the_readme_are_targets_of_the_makefile() -> None:
    named = re.findall(r"^    make (\w+)", README, re.MULTILINE)
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert named == ["demo", "test"]
    assert set(named) <= set(targets)


def test_steps_are_commands_with_the_lines_below_them() -> None:
    text = "```console\n$ one\n$ two\nsaid\nmore\n```\nprose\n```\n$ not this\n```\n```console\n$ three\n```\n"
    assert list(steps(text)) == [("one", ""), ("two", "said\nmore\n"), ("three", "")]
