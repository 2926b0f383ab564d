"""The process behind a hook is the client that started it, however many shells are in between."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jit.world.client import client_process
from jit.world.process import describe

pytestmark = pytest.mark.git

SOURCE = str(Path(__file__).parents[2] / "src")
HOOK = f"""
import os, sys
sys.path.insert(0, {SOURCE!r})
from jit.world.client import client_process
found = client_process(os.environ)
print(found.pid if found else "")
"""


def started_by(*command: str, **env: str) -> str:
    done = subprocess.run([*command], env={**os.environ, **env}, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.strip()


def quoted() -> str:
    return f"'{sys.executable}' -c \"$HOOK\""


@pytest.mark.parametrize(
    "command",
    [
        ["sh", "-c", f"{quoted()}; true"],
        ["sh", "-c", f"sh -c '{sys.executable} -c \"$HOOK\"; true'; true"],
        ["bash", "-c", f"{quoted()}; true"],
        ["env", "sh", "-c", f"timeout 60 {quoted()}; true"],
        [sys.executable, "-c", HOOK],
    ],
)
def test_shells_and_their_like_between_client_and_hook_are_passed_over(command: list[str]) -> None:
    assert started_by(*command, HOOK=HOOK) == str(os.getpid())


def test_a_program_between_them_is_the_client_because_it_started_the_hook() -> None:
    middle = (
        "import os, subprocess, sys;"
        "out = subprocess.run(['sh', '-c', sys.argv[1] + '; true'], capture_output=True, text=True).stdout;"
        "print(out.strip() == str(os.getpid()))"
    )
    assert started_by(sys.executable, "-c", middle, quoted(), HOOK=HOOK) == "True"


def test_a_client_that_tells_its_pid_is_believed_if_it_is_an_ancestor() -> None:
    parent = os.getppid()
    assert started_by(sys.executable, "-c", HOOK, CLAUDE_PID=str(parent)) == str(parent)


@pytest.mark.parametrize("told", ["999999999", "1x", "-1", "", "0"])
def test_a_pid_that_is_no_ancestor_is_not_believed(told: str) -> None:
    assert started_by(sys.executable, "-c", HOOK, CLAUDE_PID=told) == str(os.getpid())


def test_the_client_is_described_with_its_start_so_that_its_pid_cannot_be_mistaken() -> None:
    found = client_process({})
    assert found is not None
    assert found == describe(found.pid)
    assert found.start > 0


@pytest.mark.parametrize(("client", "words", "expected"), [
    ("cline", ["--cline-hub-daemon"], "None"),
    ("cline", [], "itself"),
    ("claude", ["--cline-hub-daemon"], "itself"),
])  # fmt: skip
def test_a_daemon_that_serves_many_sessions_is_no_proof_of_life(client: str, words: list[str], expected: str) -> None:
    hook = HOOK.replace("client_process(os.environ)", f"client_process(os.environ, {client!r})")
    middle = (
        "import os, subprocess, sys;"
        "out = subprocess.run([sys.executable, '-c', os.environ['HOOK']], capture_output=True, text=True).stdout;"
        "print('itself' if out.strip() == str(os.getpid()) else out.strip() or None)"
    )
    assert started_by(sys.executable, "-c", middle, *words, HOOK=hook) == expected
