"""The cards of this bench: leases beside their peers, commands from a cold start, rebuilding, memory."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bare import Bare
from figures import Card, Figure, Goal
from harness import Entry, Failed, Plan, say
from peers.etcd import Etcd
from peers.naive import Naive
from peers.nats import Nats
from peers.redis import Redis
from peers.sqlite import Sqlite
from race import race
from spawn import (
    BARE_INTERPRETER,
    bare_memory,
    hook_line,
    jit_command,
    probe,
    probe_memory,
    probe_speed,
    time_command,
)
from stores import JitStore, run

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Sample
    from race import Contender

MANY_LEASES = 10_000
_CROWD = 8


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is done: slots in seconds, spawns a round, records in the long log."""

    slot: float
    reference_slot: float
    spawns: int
    long_log: int
    plan: Plan


QUICK = Scale(slot=0.06, reference_slot=0.03, spawns=3, long_log=100_000, plan=Plan(7, 9, 25.0))
FULL = Scale(slot=0.5, reference_slot=0.2, spawns=15, long_log=1_000_000, plan=Plan(11, 20, 400.0))


class Catalogue:
    """All contenders in one scratch directory. Nothing is started or filled before it is needed."""

    def __init__(self, directory: Path, scale: Scale) -> None:
        self.scale = scale
        self.bare = Bare(directory)
        self.few = JitStore(directory, leases=10, records=10)
        self.many = JitStore(directory, leases=MANY_LEASES, records=MANY_LEASES)
        self.long = JitStore(directory, leases=MANY_LEASES, records=scale.long_log)
        self.stoppable = (Sqlite(directory), Redis(directory), Etcd(directory), Nats(directory))
        self.peers = (*self.stoppable, Naive(directory, 10), Naive(directory, 1000))

    def cards(self) -> list[Card]:
        return [self._leases(), self._cold(), self._hook(), self._replay(), self._memory()]

    def stop(self) -> None:
        for peer in self.stoppable:
            peer.stop()

    def _leases(self) -> Card:
        jit = [
            self._race("jit.1p", self.few),
            self._race("jit.8p", self.few, _CROWD),
            self._race("jit.10k", self.many),
            self._race("jit.1m", self.long),
        ]
        crowd = Entry("bare.8p", partial(race, self.bare, processes=_CROWD, seconds=self.scale.slot))
        peers = [self._race(f"{one.name}.{n}p", one, n) for one in self.peers for n in (1, _CROWD)]
        bare = Entry("bare", partial(race, self.bare, processes=1, seconds=self.scale.reference_slot), self._size_bare)
        history = f"{self.scale.long_log:,} records"
        figures = [
            Figure("acquire.1p", "jit.1p", "bare", "p50", "us", Goal(1.3, "<=")),
            Figure("acquire.8p", "jit.8p", "jit.1p", "rate", "pairs/s", Goal(2, ">=")),
            Figure("acquire.10k", "jit.10k", "jit.1p", "p50", "us", Goal(1.2, "<=")),
            Figure("acquire.1m", "jit.1m", "jit.1p", "p50", "us", Goal(1.2, "<="), note=history),
            Figure("bare.8p", "bare.8p", "bare", "rate", "pairs/s", note="one file per process"),
            *(figure for one in self.peers for figure in _peer_figures(one.name)),
            *_versus(),
        ]
        return Card(bare, [*jit, crowd, *peers], figures, self.scale.plan)

    def _cold(self) -> Card:
        cold = Cold(self.few, self.scale.spawns)
        bare = Entry("python", cold.measure(BARE_INTERPRETER), self.few.prepare)
        entries = [
            Entry("status", cold.measure((*jit_command(), "claim", "status")), self.few.prepare),
            Entry("help", cold.measure((*jit_command(), "--help")), self.few.prepare),
            Entry("acquire", cold.measure_acquire, cold.create_issue),
        ]
        figures = [
            Figure("cold.status", "status", "python", "p50", "ms", Goal(3, "<=")),
            Figure("cold.help", "help", "python", "p50", "ms", Goal(4, "<=")),
            Figure("cold.acquire", "acquire", "python", "p50", "ms"),
        ]
        return Card(bare, entries, figures, self.scale.plan)

    def _hook(self) -> Card:
        few, many = Hook(self.few, self.scale.spawns), Hook(self.long, self.scale.spawns)
        bare = Entry(
            "python", partial(time_command, BARE_INTERPRETER, self.few.repository, self.scale.spawns), few.prepare
        )
        entries = [
            Entry("hook", few.measure, few.prepare),
            Entry("hook.10k", many.measure, many.prepare),
            Entry("hook.idle", few.measure_idle, few.prepare),
        ]
        history = f"{MANY_LEASES:,} leases, {self.scale.long_log:,} records"
        figures = [
            Figure(
                "hook.cold",
                "hook",
                "python",
                "p50",
                "ms",
                Goal(1.6, "<="),
                note="a durable grant, as a client starts it",
            ),
            Figure("hook.10k", "hook.10k", "python", "p50", "ms", Goal(1.8, "<="), note=history),
            Figure("hook.idle", "hook.idle", "python", "p50", "ms", note="after an edit, when there is nothing to do"),
        ]
        return Card(bare, entries, figures, self.scale.plan)

    def _replay(self) -> Card:
        where = self.long.control_dir
        parse = Entry("json", lambda: probe_speed("parse", where), self.long.prepare)
        replay = Entry("rebuild", lambda: probe_speed("rebuild", where), self.long.prepare)
        goal = Goal(250_000, ">=", on="value")
        note = f"{self.scale.long_log:,} records; against json.loads of each line"
        figure = Figure("replay", "rebuild", "json", "rate", "records/s", goal, note)
        return Card(parse, [replay], [figure], self.scale.plan)

    def _memory(self) -> Card:
        listed = Entry("listed", lambda: probe_memory(self.many.control_dir, MANY_LEASES), self.many.prepare)
        figure = Figure("memory.10k", "listed", "python", "extra", "MB", Goal(60, "<=", on="value"))
        return Card(Entry("python", bare_memory), [listed], [figure], self.scale.plan)

    def _race(self, name: str, contender: Contender, processes: int = 1) -> Entry:
        return Entry(name, partial(race, contender, processes=processes, seconds=self.scale.slot), contender.prepare)

    def _size_bare(self) -> None:
        """The reference writes as many bytes as jit does; where jit cannot run, as many as it usually would."""
        try:
            self.few.prepare()
            sizes = probe("sizes", self.few.control_dir)
        except Failed as why:
            say(f"the reference keeps its default record sizes: {why}")
        else:
            self.bare.sizes = (int(sizes["acquire"]), int(sizes["release"]))


class Cold:
    """Commands started afresh in a repository with ten leases."""

    def __init__(self, store: JitStore, times: int) -> None:
        self.store = store
        self.times = times
        self.issue = ""

    def measure(self, command: tuple[str, ...]) -> partial[Sample]:
        return partial(time_command, command, self.store.repository, self.times)

    def create_issue(self) -> None:
        self.store.prepare()
        made = run([*jit_command(), "issue", "create", "--title", "Measured", "--json"], self.store.repository)
        self.issue = str(json.loads(made)["id"])

    def measure_acquire(self) -> Sample:
        claim = [*jit_command(), "claim"]
        acquire, release = [*claim, "acquire", self.issue], [*claim, "release", self.issue]
        return time_command(acquire, self.store.repository, self.times, undo=release)


class Hook:
    """The hook before a write, started through a shell as clients do; the end of the session frees the file again."""

    def __init__(self, store: JitStore, times: int) -> None:
        self.store = store
        self.times = times

    def prepare(self) -> None:
        self.store.prepare()
        for event in ("PreToolUse", "PostToolUse", "SessionEnd"):
            payload = {
                "session_id": "5e550000-0000-4000-8000-000000000000",
                "cwd": str(self.store.repository),
                "hook_event_name": event,
                "tool_name": "Write",
                "tool_input": {"file_path": str(self.store.repository / "measured.txt"), "content": "x"},
            }
            self._payload(event).write_text(json.dumps(payload))

    def measure(self) -> Sample:
        write, end = (("/bin/sh", "-c", self._line(event)) for event in ("PreToolUse", "SessionEnd"))
        return time_command(write, self.store.repository, self.times, undo=end)

    def measure_idle(self) -> Sample:
        after = ("/bin/sh", "-c", self._line("PostToolUse"))
        return time_command(after, self.store.repository, self.times)

    def _line(self, event: str) -> str:
        return f"{hook_line()} < {shlex.quote(str(self._payload(event)))}"

    def _payload(self, event: str) -> Path:
        return self.store.repository / f"{event}.json"


def _peer_figures(name: str) -> list[Figure]:
    return [
        Figure(f"peer.{name}.1p", f"{name}.1p", "bare", "p50", "us"),
        Figure(f"peer.{name}.8p", f"{name}.8p", "bare", "rate", "pairs/s"),
    ]


def _versus() -> list[Figure]:
    """How many times faster jit is than each peer."""
    alone = {"sqlite": 0.85, "redis": 1.3, "etcd": 2.5, "nats": 2.0}
    crowd = {"sqlite": 1.5}
    return [
        *(Figure(f"versus.{n}.1p", "jit.1p", f"{n}.1p", "faster", "us", Goal(g, ">=")) for n, g in alone.items()),
        *(Figure(f"versus.{n}.8p", "jit.8p", f"{n}.8p", "rate", "pairs/s", Goal(g, ">=")) for n, g in crowd.items()),
    ]
