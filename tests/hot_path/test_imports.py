"""What the fast paths load. Every module here is paid for before every edit of every agent."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.surface

SOURCE = Path(__file__).parents[2] / "src"

# Modules besides jit's own that a fast path may load, each with the reason why it is worth its time.
ALLOWED = {
    "__future__": "annotations as text; a few lines",
    "os": "paths and files; loaded by nearly every interpreter that starts with its site module",
    "os.path": "part of os",
    "posixpath": "part of os",
    "genericpath": "part of os",
    "stat": "part of os",
    "_stat": "part of os, in C",
    "_collections_abc": "part of os; not the collections package",
    "errno": "names of faults, in C",
    "fcntl": "the writers' lock, in C",
    "binascii": "checksums, in C",
    "_json": "the C half of json, without the package and its regular expressions",
    "pwd": "the user's name and home where the environment does not say them, in C",
}
# Named on purpose: an entry above that lets one of these in is a mistake, whatever its reason says.
SLOW = frozenset({
    "dataclasses", "enum", "typing", "re", "json", "pathlib", "subprocess", "argparse", "socket", "uuid", "datetime",
    "asyncio", "collections", "tomllib", "contextlib", "functools", "tempfile", "random", "inspect", "logging",
})  # fmt: skip

STATUS = """
from jit.cli.main import run
code = run(["claim", "status"])
"""
LISTING = """
from jit.cli.main import run
code = run(["claim", "list", "--json"])
"""
HELP = """
from jit.cli.main import run
code = run(["--help"])
"""
# What `jit claim acquire` does once it knows its owner and its issue.
ACQUIRE = """
from jit.app import Workspace
from jit.kernel.commands import Acquire, Release
from jit.kernel.lease import Owner
from jit.kernel.policy import Ttl
from jit.systems.claims.decide import Claim, Quota
import os
space = Workspace(os.getcwd(), {})
owner = Owner("agent:a", "wt:00000001")
lease_id = space.world.ulid(space.world.now().wall_ms)
acquire = Acquire(lease_id, ("issue:1",), owner, Ttl(600000))
outcomes = [space.engine.submit(Claim(acquire, Quota(1, 1))), space.engine.submit(Release(lease_id, owner))]
names = [type(outcome.answer).__name__ for outcome in outcomes]
code = 0 if names == ["Granted", "Released"] else 1
space.close()
"""
PROBE = """
import sys
sys.path.insert(0, {source!r})
before = set(sys.modules)
{path}
sys.stdout.flush()
print("\\nLOADED", code, *sorted(set(sys.modules) - before))
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True, timeout=60)
    return tmp_path


def loaded(path: str, folder: Path) -> set[str]:
    """The modules that a bare interpreter loads for this piece of work, done in that folder."""
    probe = PROBE.format(source=str(SOURCE), path=path)
    command = [sys.executable, "-I", "-S", "-B", "-c", probe]
    home = {**os.environ, "HOME": str(folder)}  # nobody's settings but the defaults
    done = subprocess.run(command, cwd=folder, env=home, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    _, code, *modules = done.stdout.splitlines()[-1].split()
    assert code == "0", done.stdout + done.stderr
    return set(modules)


@pytest.mark.parametrize("path", [STATUS, LISTING, ACQUIRE], ids=["claim status", "claim list --json", "acquire"])
def test_a_fast_path_loads_nothing_that_is_not_on_the_list(path: str, repository: Path) -> None:
    for _ in range(2):  # the second time there is a store, a table and an index to read
        foreign = {name for name in loaded(path, repository) if name != "jit" and not name.startswith("jit.")}
        assert foreign <= ALLOWED.keys(), f"not on the list: {sorted(foreign - ALLOWED.keys())}"


def test_status_with_claims_loads_no_more_than_status_without(repository: Path) -> None:
    empty = loaded(STATUS, repository)
    held = ACQUIRE.replace(", space.engine.submit(Release(lease_id, owner))", "").replace(', "Released"', "")
    loaded(held, repository)
    full = loaded(STATUS, repository)
    assert {name for name in full - empty if not name.startswith("jit.")} <= ALLOWED.keys()


def test_reading_loads_nothing_that_writes(repository: Path) -> None:
    modules = loaded(STATUS, repository)
    assert {"jit.engine", "jit.store.jsonl", "jit.store.archive"} & modules == set()


def test_help_loads_no_store_and_no_world(repository: Path) -> None:
    modules = loaded(HELP, repository)
    assert {name for name in modules if name.startswith(("jit.store", "jit.world", "jit.app", "jit.engine"))} == set()
    assert modules & SLOW == set()


def test_no_slow_module_is_on_the_list() -> None:
    assert SLOW & ALLOWED.keys() == set()


def test_the_probe_sees_what_is_loaded(repository: Path) -> None:
    assert {"json", "re"} <= loaded("import json\ncode = 0", repository)
