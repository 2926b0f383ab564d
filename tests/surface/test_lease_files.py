"""`jit.lease_files`: the gate for programs, in real processes."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.surface.jitcli import make_site

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.surface

HOLDER = """
import sys, jit
with jit.lease_files(["src/a.py", "b.txt"], owner="agent:holder") as leases:
    print(*[f"{lease.path}:{lease.fence}" for lease in leases], flush=True)
    sys.stdin.read()
"""
RIVAL = """
import jit, jit.errors
try:
    with jit.lease_files(["b.txt"], owner="agent:rival", wait=False):
        print("got it")
except jit.errors.Held as error:
    print("held:", error.message)
"""
LATER = """
import asyncio, jit
async def main():
    async with jit.lease_files(["src/a.py"], owner="agent:rival") as leases:
        print(leases[0].path, leases[0].fence)
asyncio.run(main())
"""


def run(code: str, cwd: Path) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.strip()


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return make_site(tmp_path / "repo").cwd


def test_files_are_held_while_the_block_runs_and_free_behind_it(site: Path) -> None:
    command = [sys.executable, "-c", HOLDER]
    with subprocess.Popen(command, cwd=site, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().split() == ["src/a.py:1", "b.txt:2"]
        assert run(RIVAL, site).startswith("held: b.txt is being changed by agent:holder")
        holder.communicate("", timeout=60)
    assert run(RIVAL, site) == "got it"
    assert run(LATER, site).startswith("src/a.py ")


def test_a_program_that_dies_holds_nothing(site: Path) -> None:
    command = [sys.executable, "-c", HOLDER]
    with subprocess.Popen(command, cwd=site, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        holder.kill()
        holder.wait(60)
        assert run(LATER, site).startswith("src/a.py ")


def test_an_owner_that_is_no_agent_id_is_refused(site: Path) -> None:
    code = "import jit\njit.lease_files(['a'], owner='nobody')"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=site, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert "TYPE:NAME" in done.stderr


def test_a_type_checker_knows_what_a_program_gets(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        'import jit\n\nwith jit.lease_files(["a"], owner="agent:me") as leases:\n    reveal_type(leases[0].fence)\n'
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert 'Revealed type is "int"' in done.stdout.replace("builtins.", ""), done.stdout
    assert done.returncode == 0, done.stdout
