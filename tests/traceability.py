"""Requirements as data, and the tests that prove them.

Every requirement is an entry of `tests/requirements/*.toml` with an id, one line of text and a status: `now` entries
must have a test, `planned` entries must have a reason. A test names what it proves with `@covers("002:AC4")`. The two
sides are compared by `tests/tidy/test_traceability.py`, which reads the test files without running them: the answer is
the same whichever tests a run selects.
"""

from __future__ import annotations

import ast
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

REQUIREMENTS = Path(__file__).parent / "requirements"
TESTS = Path(__file__).parent


def covers(*ids: str) -> pytest.MarkDecorator:
    """Mark a test (or a class, or a module by `pytestmark`) as the proof of these requirements."""
    return pytest.mark.covers(*ids)


@dataclass(frozen=True, slots=True)
class Requirement:
    id: str
    text: str
    status: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """A place in the tests that says it proves a requirement."""

    id: str
    place: str


def load(folder: Path = REQUIREMENTS) -> list[Requirement]:
    """All entries of a folder, in file and file order, duplicates included."""
    return [
        Requirement(**entry)
        for path in sorted(folder.glob("*.toml"))
        for entry in tomllib.loads(path.read_text("utf-8"))["requirement"]
    ]


def scan(folder: Path = TESTS) -> list[Proof]:
    """Every literal id given to `covers` in the tests of a folder."""
    return [proof for path in sorted(folder.rglob("*.py")) for proof in proofs_of(path.read_text("utf-8"), path.name)]


def proofs_of(source: str, name: str) -> Iterator[Proof]:
    """Ids of `covers` calls that are attached to something: a decorator, or the module's `pytestmark`."""
    for call in _calls(_attached(ast.parse(source, name))):
        for argument in call.args:
            if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
                raise TypeError(f"{name}:{call.lineno}: covers takes literal ids only")
            yield Proof(argument.value, f"{name}:{call.lineno}")


def _attached(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) or (isinstance(node, ast.FunctionDef) and node.name.startswith("test")):
            yield from node.decorator_list
        elif isinstance(node, ast.Assign) and any(_carries_marks(target) for target in node.targets):
            yield node.value


def _carries_marks(target: ast.expr) -> bool:
    """`pytestmark = …`, or `TestX = covers(…)(Machine.TestCase)`: how a Hypothesis state machine becomes a test."""
    return _named(target, "pytestmark") or (isinstance(target, ast.Name) and target.id.startswith("Test"))


def _calls(expressions: Iterable[ast.expr]) -> Iterator[ast.Call]:
    for expression in expressions:
        for node in ast.walk(expression):
            if isinstance(node, ast.Call) and _named(node.func, "covers"):
                yield node


def _named(node: ast.expr, name: str) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == name
    return isinstance(node, ast.Name) and node.id == name


def faults(requirements: Iterable[Requirement], proofs: Iterable[Proof]) -> list[str]:
    """Everything that keeps the two sides apart, one line each; nothing when they agree."""
    entries = list(requirements)
    places: dict[str, list[str]] = {}
    for proof in proofs:
        places.setdefault(proof.id, []).append(proof.place)
    known = {entry.id for entry in entries}
    unknown = [f"unknown {name}: named by {', '.join(by)}" for name, by in places.items() if name not in known]
    return [*_duplicates(entries), *unknown, *(line for entry in entries for line in _judge(entry, places))]


def _duplicates(entries: list[Requirement]) -> Iterator[str]:
    seen: set[str] = set()
    for entry in entries:
        if entry.id in seen:
            yield f"duplicate {entry.id}"
        seen.add(entry.id)


def _judge(entry: Requirement, places: dict[str, list[str]]) -> Iterator[str]:
    covered = entry.id in places
    if entry.status not in ("now", "planned"):
        yield f"status of {entry.id} is {entry.status!r}: it must be now or planned"
    if entry.status == "now" and not covered:
        yield f"no test covers {entry.id}: {entry.text}"
    if entry.status == "now" and entry.reason:
        yield f"{entry.id} is now: drop its reason"
    if entry.status == "planned" and not entry.reason:
        yield f"{entry.id} is planned without a reason"
    if entry.status == "planned" and covered:
        yield f"{entry.id} is planned but covered by {', '.join(places[entry.id])}: make it now"
