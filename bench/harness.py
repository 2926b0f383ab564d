"""Interleaved rounds: the only way a figure of this bench comes about.

A time says little: machines differ, and one machine differs from minute to minute. So every contender is measured next
to a *reference* that does the least any contender must do, and only ratios are compared. A heat runs in rounds. In each
round the contenders take turns in a new random order, with the reference before, between and after them:

    reference, contender, reference, contender, reference, …

A contender's reading is the sample and the mean of the two references around it. A round counts for a figure only if
none of its references took more than twice the median reference of the heat: then something else was using the machine.
The heat goes on until every figure has enough rounds that count, or until a limit of rounds or of time.
"""

from __future__ import annotations

import random
import sys
import time
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

NOISE_LIMIT = 2.0


class Absent(Exception):
    """A contender that cannot run on this machine; the message names what is missing."""


class Failed(Exception):
    """A contender that broke while it was measured."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One contender in one round. Latencies in seconds; `fairness` is the busiest worker's count over the idlest's."""

    p50: float
    p99: float
    rate: float = 0.0
    worst: float = 0.0
    fairness: float = 1.0


@dataclass(frozen=True, slots=True)
class Entry:
    """A contender as a heat sees it: made ready once, then measured once a round."""

    id: str
    measure: Callable[[], Sample]
    prepare: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class Plan:
    rounds: int
    most_rounds: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Reading:
    sample: Sample
    reference: Sample


Round = dict[str, Reading]


@dataclass(slots=True)
class Heat:
    """What the rounds of one reference and its contenders brought."""

    reference: str
    rounds: list[Round] = field(default_factory=list)
    absent: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def kept(self, ids: Iterable[str]) -> list[Round]:
        """The rounds that count for a comparison of these contenders."""
        wanted = [name for name in ids if name != self.reference]
        complete = [one for one in self.rounds if all(name in one for name in wanted)]
        limit = NOISE_LIMIT * self._usual()
        return [one for one in complete if all(one[name].reference.p50 <= limit for name in wanted)]

    def _usual(self) -> float:
        every = [reading.reference.p50 for one in self.rounds for reading in one.values()]
        return median(every) if every else 0.0


def run_heat(reference: Entry, entries: Sequence[Entry], needs: Sequence[tuple[str, str]], plan: Plan) -> Heat:
    """Prepare everyone, then run rounds until each pair of `needs` (contender, compared with) has enough that count."""
    heat = Heat(reference.id)
    ready = _prepare(heat, [reference, *entries])
    if reference not in ready:
        return heat
    ready.remove(reference)
    deadline = time.monotonic() + plan.seconds
    order = random.Random(len(entries))
    while ready and not _finished(heat, needs, plan) and time.monotonic() < deadline:
        say(f"round {len(heat.rounds) + 1}: {reference.id} and {len(ready)} contenders")
        ready = _shuffled(ready, order)
        heat.rounds.append(_run_round(heat, reference, ready))
        ready = [entry for entry in ready if entry.id not in heat.failed]
    return heat


def say(words: str) -> None:
    sys.stderr.write(f"bench: {words}\n")
    sys.stderr.flush()


def _prepare(heat: Heat, entries: Sequence[Entry]) -> list[Entry]:
    ready = []
    for entry in entries:
        try:
            entry.prepare()
        except Absent as why:
            heat.absent[entry.id] = str(why)
        except Failed as why:
            heat.failed[entry.id] = str(why)
        else:
            ready.append(entry)
            continue
        say(f"{entry.id}: {heat.absent.get(entry.id) or heat.failed[entry.id]}")
    return ready


def _shuffled(entries: Sequence[Entry], order: random.Random) -> list[Entry]:
    """A new order in which entries of one contender, compared with each other most often, stay neighbours."""
    places: dict[str, float] = {}
    for entry in entries:
        places.setdefault(_contender(entry), order.random())
    return sorted(entries, key=lambda entry: (places[_contender(entry)], order.random()))


def _contender(entry: Entry) -> str:
    return entry.id.partition(".")[0]


def _run_round(heat: Heat, reference: Entry, entries: Sequence[Entry]) -> Round:
    result: Round = {}
    before = reference.measure()
    for entry in entries:
        try:
            sample = entry.measure()
        except Failed as why:
            heat.failed[entry.id] = str(why)
            say(f"{entry.id}: {why}")
            continue
        after = reference.measure()
        result[entry.id] = Reading(sample, _mean(before, after))
        before = after
    return result


def _mean(one: Sample, other: Sample) -> Sample:
    return Sample(
        p50=(one.p50 + other.p50) / 2,
        p99=max(one.p99, other.p99),
        rate=(one.rate + other.rate) / 2,
        worst=max(one.worst, other.worst),
    )


def _finished(heat: Heat, needs: Sequence[tuple[str, str]], plan: Plan) -> bool:
    if len(heat.rounds) >= plan.most_rounds:
        return True
    gone = heat.absent.keys() | heat.failed.keys()
    wanted = [pair for pair in needs if not gone.intersection(pair)]
    return all(len(heat.kept(pair)) >= plan.rounds for pair in wanted)
