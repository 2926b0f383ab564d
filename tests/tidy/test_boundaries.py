"""Arrows go down, and one module alone touches what makes data durable.

Whoever syncs, renames or locks elsewhere has a second opinion of what a crash may leave behind.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tidy.measure import ROOT, python_files

pytestmark = pytest.mark.tidy

DURABLE = frozenset({"src/jit/store/durable.py"})
MODULES = frozenset({"os", "posix", "fcntl"})
# `replace` is also a method of text and of records, so it counts only as a function of these modules.
OF_MODULE = frozenset({"replace", "rename", "renames", "truncate", "link"})
ANYWHERE = frozenset({"fsync", "fdatasync", "flock", "lockf", "ftruncate", "F_FULLFSYNC"})


def test_only_the_durable_module_syncs_renames_locks_and_truncates() -> None:
    found = [
        f"{place}:{use}"
        for path in python_files("src")
        if (place := path.relative_to(ROOT).as_posix()) not in DURABLE
        for use in durable_uses(path.read_text("utf-8"))
    ]
    assert not found, "belongs into jit.store.durable:\n" + "\n".join(found)


def durable_uses(source: str) -> list[str]:
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom | ast.Attribute)]
    return [f"{node.lineno}: {name}" for node in nodes for name in _names(node)]


def _names(node: ast.ImportFrom | ast.Attribute) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        names = [alias.name for alias in node.names if alias.name in OF_MODULE | ANYWHERE]
        return names if node.module in MODULES else []
    of_module = isinstance(node.value, ast.Name) and node.value.id in MODULES
    return [node.attr] if node.attr in ANYWHERE or (of_module and node.attr in OF_MODULE) else []


@pytest.mark.parametrize(
    "source",
    [
        "os.fsync(fd)",
        "posix.replace(a, b)",
        "from posix import rename",
        "fcntl.flock(fd, 2)",
        "sync = os.fdatasync",
        "def f(system):\n    system.ftruncate(3, 0)",
    ],
)
def test_a_use_outside_the_durable_module_is_found(source: str) -> None:
    assert len(durable_uses(source)) == 1


@pytest.mark.parametrize(
    "source", ["text.replace('a', 'b')", "replace(lease, ttl=1)", "from os import read", "os.open"]
)
def test_an_innocent_namesake_is_not_found(source: str) -> None:
    assert durable_uses(source) == []


def test_imports_follow_the_layers() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
