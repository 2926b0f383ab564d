"""What a command line loads before it runs: as little as it can."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli_frame.listening import ROOT

pytestmark = pytest.mark.surface

PROBE = """
import sys
sys.path[:0] = [{src!r}, {root!r}]
before = set(sys.modules)
from tests.cli_frame import sample
class Sink:
    closed, encoding = False, "utf-8"
    def isatty(self): return {terminal!r}
    def write(self, text): return len(text)
    def flush(self): pass
    def fileno(self): raise OSError
code = sample.main({words!r}, stdout=Sink(), stderr=Sink(), environ={{}})
print(code, *sorted(set(sys.modules) - before))
"""

SLOW = {
    "argparse", "collections", "contextlib", "dataclasses", "datetime", "difflib", "enum", "functools", "inspect",
    "json", "pathlib", "re", "shutil", "socket", "subprocess", "tempfile", "textwrap", "tomllib", "traceback", "typing",
    "unicodedata", "uuid",
}  # fmt: skip


def loaded(*words: str, terminal: bool = False) -> tuple[int, set[str]]:
    """The exit code, and the modules that a bare interpreter loads for these words."""
    probe = PROBE.format(src=str(ROOT / "src"), root=str(ROOT), words=list(words), terminal=terminal)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", probe], capture_output=True, text=True, timeout=60, check=True
    )
    code, *modules = done.stdout.split()
    return int(code), set(modules)


def test_help_loads_no_table() -> None:
    code, modules = loaded("--help")
    assert code == 0
    assert {name for name in modules if name.startswith("tests.cli_frame.sample_")} == set()


def test_a_command_loads_its_own_table_and_no_other() -> None:
    code, modules = loaded("claim", "acquire", "--help")
    assert code == 0
    assert {name for name in modules if name.startswith("tests.cli_frame.sample_")} == {"tests.cli_frame.sample_claim"}


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize(
    "words", [("--help",), ("claim", "--help"), ("claim", "list"), ("claim", "list", "--json"), ("init", "--json")]
)
def test_neither_help_nor_an_answer_nor_a_fault_loads_a_slow_module(words: tuple[str, ...], *, terminal: bool) -> None:
    if terminal and "list" in words and "--json" in words:
        words = ("claim", "list")  # readable JSON for a person may take its time
    code, modules = loaded(*words, terminal=terminal)
    assert code == (10 if "init" in words else 0)
    assert modules & SLOW == set()
