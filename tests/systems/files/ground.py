"""Agents at one repository's file gate: time, lives and contents are set by hand, and nothing else is real."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jit.kernel.events import Denied, Refused, recorded
from jit.kernel.instant import Instant
from jit.kernel.lease import Evidence, Lease, Owner, ProcessRef
from jit.kernel.ledger import fold
from jit.kernel.policy import WhileAlive
from jit.systems.files.commands import Target, Touch
from jit.systems.files.concern import concerned
from jit.systems.files.decide import decide
from jit.testing.spec import Spec

if TYPE_CHECKING:
    from jit.kernel.events import Event
    from jit.kernel.policy import Liveness
    from jit.systems.files.commands import FileCommand, Rule

RETRY_MS = 180_000
IDLE_MS = 30_000
SILENCE_MS = 3_600_000
POLICY = WhileAlive(SILENCE_MS, IDLE_MS)
WALL_MS = 1_767_441_600_000


def owner(name: str, subagent: str = "", *, pid: int | None = None) -> Owner:
    """A client's session, or one of its subagents, with a process of its own."""
    number = pid if pid is not None else sum(name.encode())
    return Owner(f"agent:{name}", "", f"{name}/{subagent}", ProcessRef("host", "boot", number, number, "ns"))


ANN, BOB, CAT, DAN = owner("ann"), owner("bob"), owner("cat"), owner("dan")


def resource(path: str) -> str:
    return f"file:wt:00000001/{path}"


class Ground:
    """A history that grows by what is decided. Only what the decision asked for is told to it."""

    def __init__(self) -> None:
        self.ms = 1_000_000
        self.wall_jump_ms = 0
        self.history: list[Event] = []
        self.lives: dict[ProcessRef, Liveness] = {}
        self.contents: dict[str, str] = {}
        self._ids = 0

    def now(self) -> Instant:
        return Instant(WALL_MS + self.ms + self.wall_jump_ms, self.ms, "boot")

    def wait(self, ms: int) -> None:
        self.ms += ms

    def kill(self, who: Owner) -> None:
        assert who.process is not None
        self.lives[who.process] = "dead"

    def hide(self, who: Owner) -> None:
        assert who.process is not None
        self.lives[who.process] = "unknown"

    def write(self, path: str, content: str) -> None:
        self.contents[resource(path)] = content

    def touch(self, who: Owner, *paths: str, rule: Rule = "retry-then-halt", fresh: bool = False) -> tuple[Event, ...]:
        return self.ask(self.attempt(who, *paths, rule=rule, fresh=fresh))

    def attempt(self, who: Owner, *paths: str, rule: Rule = "retry-then-halt", fresh: bool = False) -> Touch:
        targets = tuple(Target(resource(path), rule, fresh) for path in paths)
        return Touch(who, targets, tuple(self._new_id() for _ in paths), POLICY, RETRY_MS, "Write", "main")

    def ask(self, command: FileCommand) -> tuple[Event, ...]:
        events = Spec(decide, *self.history).when(command, self.evidence(command)).events
        self.history += recorded(events)
        return events

    def evidence(self, command: FileCommand) -> Evidence:
        leases, resources = concerned(fold(self.history), command)
        processes = {lease.owner.process for lease in leases if lease.owner.process is not None}
        content = {name: self.contents.get(name, "absent") for name in resources} if resources else None
        return Evidence(self.now(), {x: self.lives.get(x, "alive") for x in processes}, None, content)

    def leases(self, kind: str = "file:") -> list[Lease]:
        return [lease for lease in fold(self.history) if lease.resources[0].startswith(kind)]

    def holder(self, path: str) -> Owner | None:
        """Whose lease the history has on a file, whether or not it is over."""
        found = [lease.owner for lease in self.leases() if resource(path) in lease.resources]
        assert len(found) <= 1, found
        return found[0] if found else None

    def _new_id(self) -> str:
        self._ids += 1
        return f"L{self._ids}"


def answer(events: tuple[Event, ...]) -> str:
    """What the agent is told: nothing if it may write."""
    last = events[-1] if events else None
    if isinstance(last, Denied):
        return "held"
    return last.code if isinstance(last, Refused) else ""


def names(events: tuple[Event, ...]) -> list[str]:
    """The kinds of the events, in order."""
    return [type(event).__name__ for event in events]


def due_ms(events: tuple[Event, ...]) -> int:
    """When the told wait is due, on the clock that nobody can set; read from the wait's own note."""
    import json

    last = events[-1]
    assert isinstance(last, Refused)
    assert last.lease is not None
    when = json.loads(last.lease.note)["due"]
    assert isinstance(when, list)
    return int(when[1])
