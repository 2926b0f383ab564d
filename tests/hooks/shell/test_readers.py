"""What is harmless at a glance is harmless for the parser too, and nothing that might write is harmless at a glance."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jit.hooks.shell.findings import Findings
from jit.hooks.shell.readers import only_reads
from jit.hooks.shell.scope import Scope
from jit.hooks.shell.walk import Walk
from tests.hooks.shell import table_programs, table_shell
from tests.hooks.shell.notation import CWD, HOME, lines, what_is_there

pytestmark = pytest.mark.unit

HARMLESS = [
    "ls",
    "ls -la src",
    "  cat a.txt  ",
    "cat 'my file' \"another\"",
    "rg -n 'a|b;c' src",
    "grep -rn 'x > y' .",
    "head -5 *.txt",
    "git status",
    "git diff --stat HEAD~1",
    "git log --oneline -5",
    "find . -name '*.py'",
    "sort -rn numbers",
    "echo hello",
    "",
]
NOT_AT_A_GLANCE = [
    "ls > x",
    "ls; rm x",
    "ls && rm x",
    "ls || rm x",
    "ls | tee x",
    "ls &",
    "ls\nrm x",
    "echo $(rm x)",
    "echo `rm x`",
    'echo "$(rm x)"',
    'echo "`rm x`"',
    "cat <(rm x)",
    "X=1 ls",
    "rm x",
    "sort -o x y",
    "sort -ro x y",
    "sort --outp=x y",
    "sort *",
    "find . -delete",
    "find . -exec rm {} +",
    "find . -fprint x",
    "git diff --output=x",
    "git diff --outp=x",
    "git -c core.fsmonitor=x status",
    "git checkout x",
    "tree -o x",
    "fd -x rm",
    "rg --pre ./x y",
    "printf -v x y",
    "./ls",
    "'unterminated",
]
PIECES = [
    *("ls", "cat", "sort", "find", "git", "status", "log", "rg", "tree", "fd", "rm", "tee", "sed", "x", "a b"),
    *(
        "-o",
        "-la",
        "--output=x",
        "--pre",
        "-delete",
        "-i",
        "'q > r'",
        '"$x"',
        "*",
        ">",
        ">>",
        "|",
        ";",
        "&&",
        "$(rm x)",
    ),
]


@pytest.mark.parametrize("command", HARMLESS)
def test_a_command_that_only_looks_needs_no_parser(command: str) -> None:
    assert only_reads(command)


@pytest.mark.parametrize("command", NOT_AT_A_GLANCE)
def test_a_command_that_might_write_is_not_harmless_at_a_glance(command: str) -> None:
    assert not only_reads(command)


@settings(deadline=None, max_examples=150)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map(" ".join))
def test_the_parser_finds_nothing_in_what_is_harmless_at_a_glance(command: str) -> None:
    if only_reads(command):
        assert parsed(command) == set()


def test_no_command_of_the_table_that_writes_is_harmless_at_a_glance() -> None:
    tables = (table_shell, table_programs)
    rows = [row for table in tables for name in vars(table) if name.isupper() for row in getattr(table, name)]
    assert [row[0] for row in rows if len(row) > 1 and only_reads(row[0])] == []


def parsed(command: str) -> set[str]:
    found = Findings(what_is_there)
    Walk(found, HOME).script(command, Scope(CWD))
    return lines(found.targets())


def test_a_harmless_command_loads_neither_the_parser_nor_the_tables() -> None:
    code = (
        "import sys; from jit.hooks.shell.targets import find; find('git status', '/'); "
        "print(*(name for name in sys.modules if name.startswith('jit.hooks.shell.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == ["jit.hooks.shell.readers", "jit.hooks.shell.targets"]
