"""A real shell runs commands, and nothing changes that was not foretold."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from jit.hooks.shell.readers import only_reads
from jit.hooks.shell.targets import Write, find
from tests.hooks.shell.generator import SIMPLE, script
from tests.hooks.shell.playground import changed_by, missing, plant

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.surface

SCRIPTS_OF_A_SEED = 25

READING = [
    "ls -la",
    "cat a.txt 'c d.txt'",
    "grep -rn alpha src",
    "head -n 1 *.txt",
    "wc -l src/x.py",
    "find . -name '*.py'",
    "sort -r a.txt",
    "diff a.txt b.txt",
    "echo 'a > b'",
    "stat a.txt",
    "tree -L 2",
    "git status",
]


@pytest.mark.parametrize("seed", range(6))
def test_whatever_a_random_script_changes_was_foretold(seed: int, tmp_path: Path) -> None:
    random, told = Random(seed), 0
    for _ in range(SCRIPTS_OF_A_SEED):
        command = script(random)
        plant(tmp_path)
        found = find(command, str(tmp_path), str(tmp_path))
        changed = changed_by(command, tmp_path)
        if not found.unknown and not found.tree:
            told += 1
            assert not missing(changed, found.writes), command
    assert told > SCRIPTS_OF_A_SEED // 3, "too few scripts were understood for this to prove anything"


@pytest.mark.parametrize("number", range(len(SIMPLE)))
def test_whatever_a_single_command_changes_was_foretold(number: int, tmp_path: Path) -> None:
    command = SIMPLE[number].format(n="b.txt", o="o1", f="src", p="*.txt")
    plant(tmp_path)
    found = find(command, str(tmp_path), str(tmp_path))
    changed = changed_by(command, tmp_path)
    assert found.unknown or not missing(changed, found.writes)


@pytest.mark.parametrize("command", READING)
def test_what_is_harmless_at_a_glance_changes_nothing(command: str, tmp_path: Path) -> None:
    plant(tmp_path)
    assert only_reads(command)
    assert changed_by(command, tmp_path) == set()


def test_the_observer_sees_a_change_that_was_not_foretold(tmp_path: Path) -> None:
    plant(tmp_path)
    changed = changed_by("echo > a.txt; rm b.txt; touch new; chmod +x src/x.py; ln -s a.txt l", tmp_path)
    assert {path.removeprefix(f"{tmp_path}/") for path in changed} == {"a.txt", "b.txt", "new", "src/x.py", "l"}
    foretold = [Write(f"{tmp_path}/*.txt", "rm", certain=False), Write(f"{tmp_path}/src", "rm", below=True)]
    assert {path.removeprefix(f"{tmp_path}/") for path in missing(changed, foretold)} == {"new", "l"}
