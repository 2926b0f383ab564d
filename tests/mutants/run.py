"""Are the tests any good? Applies each deliberate bug of mutants.toml to a copy and runs the tests that must notice it.

    python tests/mutants/run.py            all of them
    python tests/mutants/run.py NAME…      those whose name contains one of the words
    python tests/mutants/run.py --list     their names

Exit code 1 if one survives, or if its text is not in the file any more.
"""

# ruff: noqa: T201  a program that prints

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("mutants.toml")
COPIED = ("src", "tests", "pyproject.toml")
PATIENCE_S = 300
MOST_MEMORY = 8 << 30  # a bug may well be a list that never ends
KILLED, SURVIVED, MISSING = "killed", "SURVIVED", "DOES NOT APPLY"
_TESTS_FAILED = 1


@dataclass(frozen=True)
class Mutant:
    name: str
    file: str
    old: str
    new: str
    tests: list[str]


def main(words: list[str]) -> int:
    mutants = load()
    if words == ["--list"]:
        print("\n".join(mutant.name for mutant in mutants))
        return 0
    chosen = [one for one in mutants if not words or any(word in one.name for word in words)]
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    with tempfile.TemporaryDirectory(prefix="jit-mutants-") as place:
        copy(Path(place))
        fates = [told(mutant, Path(place)) for mutant in chosen]
    bad = [fate for fate in fates if fate != KILLED]
    print(f"{len(fates) - len(bad)} of {len(fates)} killed")
    return 1 if bad or not chosen else 0


def load(path: Path = LIST) -> list[Mutant]:
    return [Mutant(**entry) for entry in tomllib.loads(path.read_text("utf-8"))["mutant"]]


def copy(place: Path) -> None:
    """The project without its history and its caches."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, place / name, ignore=shutil.ignore_patterns("__pycache__", ".hypothesis"))
        else:
            shutil.copy(source, place / name)


def told(mutant: Mutant, place: Path) -> str:
    begun = time.monotonic()
    fate = judge(mutant, place)
    print(f"{fate:14}  {time.monotonic() - begun:5.1f} s  {mutant.name}", flush=True)
    return fate


def judge(mutant: Mutant, place: Path) -> str:
    """Put the bug in, run its tests, take it out again."""
    path = place / mutant.file
    right = path.read_text("utf-8")
    if right.count(mutant.old) != 1:
        return MISSING
    path.write_text(right.replace(mutant.old, mutant.new), "utf-8")
    try:
        return KILLED if notices(mutant.tests, place) else SURVIVED
    finally:
        path.write_text(right, "utf-8")


def notices(tests: list[str], place: Path) -> bool:
    """Do the tests fail? A mutant that keeps them busy for too long is noticed as well."""
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--timeout=40", *tests]
    environment = os.environ | {"PYTHONPATH": str(place / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=place, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE_S
        )
    except subprocess.TimeoutExpired:
        return True
    if done.returncode not in (0, _TESTS_FAILED):
        sys.exit(f"pytest could not run:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.returncode == _TESTS_FAILED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
