"""A table of commands and what each will write."""

from __future__ import annotations

import subprocess

import pytest

from jit.hooks.shell import archives, copies, editors, operands, programs, starters
from jit.hooks.shell.targets import find
from tests.hooks.shell import table_programs, table_shell
from tests.hooks.shell.notation import CWD, HOME, lines, what_is_there

pytestmark = pytest.mark.unit

TABLE = [
    *table_shell.REDIRECTIONS,
    *table_shell.WORDS,
    *table_shell.ORDER,
    *table_programs.FILES,
    *table_programs.SCRIPTS,
    *table_programs.OTHERS,
    *table_programs.GIT,
]


@pytest.mark.parametrize(
    ("command", "expected"), [(row[0], set(row[1:])) for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_what_a_command_writes_is_read_from_its_text(command: str, expected: set[str]) -> None:
    assert lines(find(command, CWD, HOME, probe=what_is_there)) == expected


def test_every_program_is_found_in_its_family() -> None:
    families = {
        programs.ARCHIVES: archives.PROGRAMS,
        programs.COPIES: copies.PROGRAMS,
        programs.EDITORS: editors.PROGRAMS,
        programs.OPERANDS: operands.PROGRAMS,
        programs.STARTERS: starters.PROGRAMS,
    }
    for names, table in families.items():
        assert names == set(table)
        assert all(programs.table(name) is table for name in names)


def test_the_table_has_each_command_once() -> None:
    commands = [row[0] for row in TABLE]
    assert len(commands) > 150
    assert sorted(set(commands)) == sorted(commands)


def test_what_the_table_calls_unparsable_is_what_bash_refuses() -> None:
    refused = {row[0] for row in TABLE if any("cannot be parsed" in line for line in row[1:])}
    for command in (row[0] for row in TABLE if "\r" not in row[0] and "extglob" not in row[0]):
        done = subprocess.run(["bash", "-n", "-c", command], capture_output=True, check=False)
        assert (done.returncode != 0) == (command in refused), command


def test_without_a_home_directory_a_tilde_is_unknown() -> None:
    assert find("touch ~/x", CWD).unknown == ("touch ~/x",)


def test_a_reason_is_short_and_one_line() -> None:
    (reason,) = find('eval "$X\n' + "y" * 200 + '"', CWD).unknown
    assert len(reason) == 80
    assert "\n" not in reason
