"""Files, functions and nesting stay small enough to be read in one go.

`THINK_TWICE` may be exceeded by an entry of budget.toml that gives its reason; `STOP` may not be exceeded at all.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.tidy.measure import ROOT, Measure, measure, python_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

pytestmark = pytest.mark.tidy

THINK_TWICE = {"module-lines": 300, "function-lines": 35, "nesting": 3, "positional": 5}
STOP = {"module-lines": 500, "function-lines": 60, "nesting": 4, "positional": 7}


@dataclass(frozen=True, slots=True)
class Allowance:
    kind: str
    place: str
    limit: int
    reason: str


def over_budget(measures: Iterable[Measure], exceptions: Iterable[Allowance]) -> list[str]:
    """Every measure beyond its limit, and every exception that is not needed or gives no reason."""
    allowed = {(one.kind, one.place): one for one in exceptions}
    needed: set[tuple[str, str]] = set()
    found: list[str] = []
    for one in measures:
        key = (one.kind, one.place)
        if one.value > THINK_TWICE[one.kind]:
            needed.add(key)
        limit = min(allowed[key].limit, STOP[one.kind]) if key in allowed else THINK_TWICE[one.kind]
        if one.value > limit:
            found.append(f"{one.place}: {one.kind} {one.value}, limit {limit}")
    return [*found, *_idle(allowed, needed)]


def _idle(allowed: dict[tuple[str, str], Allowance], needed: set[tuple[str, str]]) -> Iterator[str]:
    for key, one in allowed.items():
        if key not in needed:
            yield f"{one.place}: the exception for {one.kind} is not needed"
        if not one.reason.strip():
            yield f"{one.place}: the exception for {one.kind} has no reason"


def test_the_project_keeps_its_size_budget() -> None:
    measures = [*_measures("src", "bench", "docs"), *(one for one in _measures("tests") if one.kind == "module-lines")]
    budget = tomllib.loads((Path(__file__).parent / "budget.toml").read_text("utf-8"))
    found = over_budget(measures, [Allowance(**entry) for entry in budget.get("exception", [])])
    assert not found, "over the size budget:\n" + "\n".join(found)


def _measures(*folders: str) -> Iterator[Measure]:
    for path in python_files(*folders):
        yield from measure(path.read_text("utf-8"), path.relative_to(ROOT).as_posix())


def test_a_module_over_the_limit_is_found() -> None:
    assert over_budget([Measure("module-lines", "a.py", 301)], []) == ["a.py: module-lines 301, limit 300"]
    assert over_budget([Measure("module-lines", "a.py", 300)], []) == []


def test_an_exception_lifts_the_limit_for_its_place_only() -> None:
    lifted = Allowance("nesting", "a.py::f", 4, "a parser")
    found = over_budget([Measure("nesting", "a.py::f", 4), Measure("nesting", "a.py::g", 4)], [lifted])
    assert found == ["a.py::g: nesting 4, limit 3"]


def test_no_exception_lifts_the_last_limit() -> None:
    lifted = Allowance("module-lines", "a.py", 900, "it grew")
    assert over_budget([Measure("module-lines", "a.py", 501)], [lifted]) == ["a.py: module-lines 501, limit 500"]


def test_an_exception_that_is_not_needed_or_has_no_reason_is_found() -> None:
    idle = Allowance("positional", "a.py::f", 7, "")
    assert over_budget([Measure("positional", "a.py::f", 2)], [idle]) == [
        "a.py::f: the exception for positional is not needed",
        "a.py::f: the exception for positional has no reason",
    ]


SAMPLE = '''
class Sample:
    def method(self, one, two, /, three, *, four):
        """Three lines
        of words
        do not count."""
        for x in one:
            if x:
                pass
            elif two:
                pass
            elif three:
                with four:
                    pass
        def inner():
            while True:
                pass
'''


def test_functions_are_measured_by_lines_nesting_and_positional_parameters() -> None:
    found = {(one.kind, one.place): one.value for one in measure(SAMPLE, "a.py")}
    assert found == {
        ("module-lines", "a.py"): 17,
        ("function-lines", "a.py::Sample.method"): 12,
        ("nesting", "a.py::Sample.method"): 3,
        ("positional", "a.py::Sample.method"): 3,
        ("function-lines", "a.py::Sample.method.inner"): 3,
        ("nesting", "a.py::Sample.method.inner"): 1,
        ("positional", "a.py::Sample.method.inner"): 0,
    }
