"""What is measured, against what, and what would be good enough.

A figure compares two entries of one heat round by round. `by` says how:

    p50     median latency of the entry over that of the other: smaller is better
    faster  median latency of the other over that of the entry: how many times faster the entry is
    rate    operations a second of the entry over those of the other
    extra   what the entry needs beyond the other; the ratio is for information
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness import Entry, Heat, Plan, Round, Sample

By = Literal["p50", "faster", "rate", "extra"]
SCALES = {"us": 1e6, "ms": 1e3, "pairs/s": 1.0, "records/s": 1.0, "MB": 1e-6}


@dataclass(frozen=True, slots=True)
class Goal:
    bound: float
    sense: Literal["<=", ">="]
    on: Literal["ratio", "value"] = "ratio"

    def met_by(self, result: Result) -> bool:
        reached = getattr(result, self.on)
        return bool(reached <= self.bound if self.sense == "<=" else reached >= self.bound)


@dataclass(frozen=True, slots=True)
class Figure:
    id: str
    entry: str
    against: str
    by: By
    unit: str
    goal: Goal | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """One heat before it is run: its reference, its entries, the figures they are for."""

    reference: Entry
    entries: Sequence[Entry]
    figures: Sequence[Figure]
    plan: Plan

    def only(self, wanted: Sequence[str]) -> Card:
        """The part of this card that the wanted figures need. A figure is wanted by its id or by the start of it."""
        figures = [one for one in self.figures if any(f"{one.id}.".startswith(f"{name}.") for name in wanted)]
        needed = {name for one in figures for name in (one.entry, one.against)}
        return replace(self, figures=figures, entries=[one for one in self.entries if one.id in needed])


@dataclass(frozen=True, slots=True)
class Result:
    """A figure as it came out: medians over the rounds that count."""

    value: float
    ratio: float
    spread: tuple[float, float]
    p50: float
    p99: float
    worst: float
    fairness: float
    rounds: int
    dropped: int


def evaluate(figure: Figure, heat: Heat) -> Result | None:
    """The figure's result, or nothing if no round counts for it."""
    kept = heat.kept((figure.entry, figure.against))
    if not kept:
        return None
    pairs = [(one[figure.entry].sample, _other(figure, heat, one)) for one in kept]
    ratios = [_ratio(figure.by, *pair) for pair in pairs]
    own = [sample for sample, _ in pairs]
    scale = 1e-6 if figure.by == "extra" else 1e6
    return Result(
        value=median(_value(figure.by, *pair) for pair in pairs) * SCALES[figure.unit],
        ratio=median(ratios),
        spread=(min(ratios), max(ratios)),
        p50=median(sample.p50 for sample in own) * scale,
        p99=median(sample.p99 for sample in own) * scale,
        worst=max(sample.worst for sample in own) * scale,
        fairness=median(sample.fairness for sample in own),
        rounds=len(kept),
        dropped=len(heat.rounds) - len(kept),
    )


def _other(figure: Figure, heat: Heat, one: Round) -> Sample:
    if figure.against == heat.reference:
        return one[figure.entry].reference
    return one[figure.against].sample


def _ratio(by: By, entry: Sample, other: Sample) -> float:
    if by == "rate":
        return entry.rate / other.rate
    return other.p50 / entry.p50 if by == "faster" else entry.p50 / other.p50


def _value(by: By, entry: Sample, other: Sample) -> float:
    if by == "rate":
        return entry.rate
    return entry.p50 - other.p50 if by == "extra" else entry.p50
