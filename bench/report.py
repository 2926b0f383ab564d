"""What the bench says: a table for people, `report.json` for programs, and the machine it was measured on."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from figures import evaluate
from harness import Absent
from peers.server import find_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from figures import Figure, Goal, Result
    from harness import Heat

_HEADINGS = ("id", "value", "unit", "p99", "against", "ratio", "goal", "met", "note")
_RIGHT = (1, 3)
_VERSIONS = {"git": "--version", "redis-server": "--version", "etcd": "--version", "nats-server": "--version"}


@dataclass(frozen=True, slots=True)
class Row:
    figure: Figure
    result: Result | None
    fault: str = ""
    absent: bool = False

    @property
    def met(self) -> bool | None:
        if self.figure.goal is None or self.result is None:
            return None
        return self.figure.goal.met_by(self.result)


def make_row(figure: Figure, heat: Heat) -> Row:
    for name in (figure.entry, figure.against, heat.reference):
        if name in heat.absent:
            return Row(figure, None, heat.absent[name], absent=True)
        if name in heat.failed:
            return Row(figure, None, f"failed: {heat.failed[name]}")
    result = evaluate(figure, heat)
    return Row(figure, result, "" if result else "failed: no quiet round in the time allowed")


def as_json(row: Row) -> dict[str, object]:
    figure, result = row.figure, row.result
    named: dict[str, object] = {"id": figure.id, "value": None, "unit": figure.unit, "against": figure.against}
    named |= {"ratio": None, "goal": _goal(figure.goal, figure.unit), "met": row.met}
    named |= {"note": figure.note, "absent": row.absent}
    if result is None:
        return named | {"fault": row.fault}
    inner_unit = "MB" if figure.unit == "MB" else "us"
    measured = {"value": _rounded(result.value), "ratio": _rounded(result.ratio), "inner_unit": inner_unit}
    inner = {name: _rounded(getattr(result, name)) for name in ("p50", "p99", "worst", "fairness")}
    rounds = {"rounds": result.rounds, "dropped": result.dropped, "spread": [_rounded(one) for one in result.spread]}
    return named | measured | inner | rounds


def table(rows: Sequence[Row]) -> str:
    lines = [_HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADINGS))]
    return "\n".join(_line(cells, widths) for cells in lines)


def environment(directory: Path) -> dict[str, str]:
    return {
        "file system": _file_system(directory),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cores": str(os.cpu_count()),
        "load": " ".join(f"{load:.2f}" for load in os.getloadavg()),
        "python": f"{platform.python_version()} ({sys.implementation.name})",
        **{name: _version(name, option) for name, option in _VERSIONS.items()},
    }


def _cells(row: Row) -> tuple[str, ...]:
    figure, result = row.figure, row.result
    goal = _goal(figure.goal, figure.unit) or "-"
    if result is None:
        return (figure.id, "absent" if row.absent else "-", "", "", figure.against, "", goal, "-", row.fault)
    low, high = result.spread
    ratio = f"{_short(result.ratio)} [{_short(low)}-{_short(high)}]"
    met = {True: "yes", False: "NO", None: "-"}[row.met]
    p99 = "" if figure.by == "extra" else f"{result.p99:,.0f} us"
    notes = [figure.note, f"fairness {result.fairness:.1f}" if result.fairness > 1 else ""]
    note = "; ".join(filter(None, notes))
    return (figure.id, _short(result.value), figure.unit, p99, figure.against, ratio, goal, met, note)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [c.rjust(w) if n in _RIGHT else c.ljust(w) for n, (c, w) in enumerate(zip(cells, widths, strict=True))]
    return "  ".join(padded).rstrip()


def _goal(goal: Goal | None, unit: str) -> str | None:
    if goal is None:
        return None
    return f"{goal.sense} {goal.bound:,g}" + (f" {unit}" if goal.on == "value" else "")


def _short(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


def _rounded(number: float) -> float:
    return float(f"{number:.5g}")


def _file_system(directory: Path) -> str:
    """The type of the mount that holds the directory: the longest mount point that is one of its parents."""
    mounts = Path("/proc/mounts")
    if not mounts.exists():
        return "unknown"
    parents = {str(directory), *map(str, directory.parents)}
    found = [line.split() for line in mounts.read_text().splitlines()]
    held = [(len(fields[1]), fields[2]) for fields in found if fields[1] in parents]
    return max(held)[1] if held else "unknown"


def _version(name: str, option: str) -> str:
    try:
        done = subprocess.run([find_program(name), option], capture_output=True, text=True, check=False, timeout=10)
    except Absent:
        return "absent"
    return done.stdout.strip().partition("\n")[0]
