"""The contract of the file gate: every case of an attempt to write and of an end, answered by the decider itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generator.markdown import code, document, table
from generator.scene import BOOT_ID, START_BOOT_MS, START_WALL_MS
from jit.kernel.events import Denied, Refused, recorded
from jit.kernel.instant import Instant
from jit.kernel.lease import Evidence, Owner, ProcessRef
from jit.kernel.ledger import Ledger, evolve
from jit.kernel.policy import Signs, WhileAlive, standing
from jit.store.events import noun
from jit.systems.files.commands import Committed, End, Free, Resume, Stop, Target, Touch
from jit.systems.files.concern import concerned
from jit.systems.files.decide import decide
from jit.world.config_keys import KEYS

if TYPE_CHECKING:
    from collections.abc import Callable

    from jit.kernel.events import Event
    from jit.kernel.policy import Liveness
    from jit.systems.files.commands import FileCommand, Rule

INTRODUCTION = """
Every write of an agent is an attempt on its files: all of them or none. Each cell below was made by giving the decider
a small state and a command. It lists the records of the batch in order; a word in **bold** is the answer that the agent
gets. An answer that leaves no record was already given.

## The lease on a file

Its name is `file:`, the worktree (or `repo`), and the path in the repository: symbolic links resolved, composed
Unicode, small letters where the file system does not tell them from capitals. Its owner is an agent in one client
session, or one of that session's subagents, each of them another owner; the client's process is the proof of life. The
lease holds when it was granted, the last recorded sign of life, the fence (a number that rises with every grant), the
tool that asked, and a hash of what the file held. [All fields](json.md#the-file-lease).
"""
ATTEMPTS = """
## An attempt to write

Ben attempts to write a file. Anna is another owner. *Due* is one retry interval after the first refusal.
"""
LIFE = """
## When an owner is alive

An owner is **dead** only if that is proven: another boot of this machine, no process with that number, one that started
at another time, or one of which only the exit status is left. It is **alive** if that very process was seen, or if the
system refused to signal it. Everything else (another host, another pid namespace, a `/proc` that cannot be read) is
**unknown**, and unknown never takes a lease away before its time. Times are counted by the machine's boot-time clock:
setting the wall clock changes nothing.
"""
ENDS = """
## How a lease ends

Anna holds a file.
"""
TELLS = """
## Content that may be old

A write that brings whole content is compared with what its owner last knew of the file: when it was denied, when it last
had it, or, if neither is known, what the file held before others had it since the owner's client began. If that differs
from what the file holds now, the write is refused once, with the lease already held. A change that is applied to the
file as it then is passes, and so does one of the owner's own. [Why](../adr/0015-what-an-owner-may-have-read.md).

## What is told

A refusal names the file, who holds it, since when, until when to wait, and what to do next, in at most 60 words. The
[blocker report](json.md#the-blocker) of an agent that has halted: `jit file blockers --json`. A write that may happen
is answered with silence.
"""
PATH = "file:wt:1a2b3c4d/a.txt"
OTHER = "file:wt:1a2b3c4d/b.txt"
DEFAULTS = {name: key.default for name, key in KEYS.items()}


def _ms(name: str) -> int:
    return int(str(DEFAULTS[name])) * 1000


RETRY_MS, IDLE_MS, SILENCE_MS = (
    _ms(f"files.{name}") for name in ("retry_interval_secs", "stop_idle_secs", "silence_secs")
)
POLICY = WhileAlive(SILENCE_MS, IDLE_MS)


def _owner(name: str, subagent: str = "") -> Owner:
    return Owner(f"agent:{name}", "", f"{name}/{subagent}", ProcessRef("host", BOOT_ID, len(name), 1, "pid"))


ANNA, HER_SUBAGENT, BEN, CLARA = _owner("anna"), _owner("anna", "sub"), _owner("ben"), _owner("clara5")


class Story:
    """What happened so far, one step after the other."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.passed_ms = 0
        self.content = "as it was"
        self.lives: dict[ProcessRef | None, Liveness] = {}
        self.made = 0

    def now(self) -> Instant:
        return Instant(START_WALL_MS + self.passed_ms, START_BOOT_MS + self.passed_ms, BOOT_ID)

    def ask(self, command: FileCommand) -> tuple[Event, ...]:
        leases, resources = concerned(self.ledger, command)
        processes = [lease.owner.process for lease in leases if lease.owner.process is not None]
        lives = {process: self.lives.get(process, "alive") for process in processes}
        events = decide(self.ledger, command, Evidence(self.now(), lives, None, dict.fromkeys(resources, self.content)))
        for event in recorded(events):
            evolve(self.ledger, event)
        return events

    def write(self, who: Owner, *paths: str, rule: Rule = "retry-then-halt", fresh: bool = False) -> tuple[Event, ...]:
        targets = tuple(Target(path, rule, fresh) for path in paths or (PATH,))
        self.made += 1
        ids = tuple(f"L{self.made}.{number}" for number in range(len(targets)))
        return self.ask(Touch(who, targets, ids, POLICY, RETRY_MS))

    def wait(self, ms: int) -> Story:
        self.passed_ms += ms
        return self

    def then(self, *steps: Callable[[Story], object]) -> Story:
        for step in steps:
            step(self)
        return self

    def held_by(self, who: Owner) -> str:
        return next(lease.lease_id for lease in self.ledger.holders(PATH) if lease.owner == who)

    def wait_of(self, who: Owner) -> str:
        return next(lease.lease_id for lease in self.ledger.holders(f"waiting:{PATH}") if lease.owner == who)


def page() -> str:
    names = ("retry_interval_secs", "stop_idle_secs", "silence_secs", "on_contention")
    helps = {name: key.help for name, key in KEYS.items()}
    times = [(code(f"files.{name}"), str(DEFAULTS[f"files.{name}"]), helps[f"files.{name}"]) for name in names]
    return document(
        "The contract of the file gate",
        INTRODUCTION,
        ATTEMPTS,
        table(("when", "answer"), [(when, told(events)) for when, events in _attempts()]),
        LIFE,
        table(("the owner's process", "and", "the lease is"), _lives()),
        ENDS,
        table(("what happens", "answer"), [(when, told(events)) for when, events in _ends()]),
        "## Times",
        table(("setting", "contract", "meaning"), times),
        TELLS,
    )


def told(events: tuple[Event, ...]) -> str:
    kept = recorded(events)
    words = [code(_record(event)) for event in kept if not isinstance(event, (Refused, Denied))]
    last = events[-1] if events else None
    if isinstance(last, Refused):
        words.append(f"**{last.code}**")
    elif isinstance(last, Denied):
        words.append("**held**")
    return ", ".join(words) or "nothing new"


def _record(event: Event) -> str:
    lease = getattr(event, "lease", None)
    kind = noun(lease.resources[0]) if lease is not None else ""
    return f"{kind} {type(event).__name__}"


def _held() -> Story:
    """Anna holds the file."""
    return Story().then(lambda s: s.write(ANNA))


def _failed() -> Story:
    return _held().then(lambda s: s.ask(Stop(ANNA, failed=True)))


def _finished() -> Story:
    return Story().then(lambda s: s.write(HER_SUBAGENT), lambda s: s.ask(Stop(HER_SUBAGENT)))


def _denied(rule: Rule = "retry-then-halt") -> Story:
    return _held().then(lambda s: s.write(BEN, rule=rule))


def _gone(story: Story) -> object:
    return story.ask(End(ANNA, "done"))


def _changed(story: Story) -> None:
    story.content = "changed by Anna"


def _attempts() -> list[tuple[str, tuple[Event, ...]]]:
    def blocked() -> Story:
        return _denied().wait(RETRY_MS).then(lambda s: s.write(BEN))

    circle = Story().then(lambda s: s.write(ANNA), lambda s: s.write(BEN, OTHER), lambda s: s.write(ANNA, OTHER))
    return [
        ("nobody holds it", Story().write(BEN)),
        ("Ben holds it himself, and wrote just now", Story().then(lambda s: s.write(BEN)).write(BEN)),
        ("Anna's subagent holds it, Anna asks", Story().then(lambda s: s.write(HER_SUBAGENT)).write(ANNA)),
        ("the same, and that subagent has stopped", _finished().write(ANNA)),
        ("Anna holds it, first attempt", _held().write(BEN)),
        ("the same, again before due", _denied().wait(RETRY_MS - 1).write(BEN)),
        ("the same, at due", _denied().wait(RETRY_MS).write(BEN)),
        ("the same, after that", blocked().wait(RETRY_MS).write(BEN)),
        ("denied; Anna's lease has ended", _denied().then(_gone).write(BEN)),
        ("blocked; Anna's lease has ended", blocked().then(_gone).write(BEN)),
        ("Anna waits for a file of Ben's", circle.write(BEN)),
        ("one of two files is held", _held().write(BEN, PATH, OTHER)),
        ("denied, then free; the file changed; Ben writes it whole", _denied().then(_changed, _gone).write(BEN)),
        ("the same, and Ben replaces a part of it", _denied().then(_changed, _gone).write(BEN, fresh=True)),
        ("the same, whole, a second time", _denied().then(_changed, _gone, lambda s: s.write(BEN)).write(BEN)),
        *_attempts_by_rule(),
    ]


def _attempts_by_rule() -> list[tuple[str, tuple[Event, ...]]]:
    line = _denied("queue").then(lambda s: s.write(CLARA, rule="queue"))
    return [
        ("rule `fail-fast`: Anna holds it", _held().write(BEN, rule="fail-fast")),
        ("rule `queue`: Anna holds it", _held().write(BEN, rule="queue")),
        ("rule `queue`: free, and it is Ben's turn", _denied("queue").then(_gone).write(BEN, rule="queue")),
        ("rule `queue`: free, and it is another's turn", line.then(_gone).write(CLARA, rule="queue")),
        ("the same, a retry interval later", line.wait(RETRY_MS).write(CLARA, rule="queue")),
    ]


def _lives() -> list[tuple[str, str, str]]:
    start, late = Instant(START_WALL_MS, START_BOOT_MS, BOOT_ID), START_BOOT_MS

    def row(life: Liveness, what: str, silent_ms: int, *, stopped: bool = False) -> tuple[str, str, str]:
        now = Instant(START_WALL_MS + silent_ms, late + silent_ms, BOOT_ID)
        return f"**{life}**", what, code(standing(POLICY, Signs(now, start, start, life, stopped)))

    return [
        row("alive", "however long it is silent", 1000 * SILENCE_MS),
        row("alive", f"it stopped {IDLE_MS // 1000} s ago and did nothing since", IDLE_MS, stopped=True),
        row("alive", "it stopped longer ago and did nothing since", IDLE_MS + 1, stopped=True),
        row("dead", "at once", 0),
        row("unknown", f"silent for {SILENCE_MS // 1000} s", SILENCE_MS),
        row("unknown", "silent for longer", SILENCE_MS + 1),
        row("unknown", "it stopped longer than the idle time ago", IDLE_MS + 1, stopped=True),
    ]


def _ends() -> list[tuple[str, tuple[Event, ...]]]:
    def dead(story: Story) -> object:
        return story.lives.update({ANNA.process: "dead"})

    story = _held()
    stopped = _held().then(lambda s: s.ask(Stop(ANNA)))
    waiting = _held().then(lambda s: s.write(BEN), lambda s: s.wait(RETRY_MS), lambda s: s.write(BEN))
    return [
        ("Anna's turn is over", _held().ask(Stop(ANNA))),
        ("she goes on within the idle time", stopped.wait(IDLE_MS).write(ANNA)),
        ("she does not; Ben attempts it later", _held().then(lambda s: s.ask(Stop(ANNA))).wait(IDLE_MS + 1).write(BEN)),
        ("her turn fails; Ben attempts it", _failed().wait(1).write(BEN)),
        ("her session ends", _held().ask(End(ANNA, "the session ended", whole_session=True))),
        ("her process is dead; Ben attempts it", _held().then(dead).write(BEN)),
        ("her session commits the file", _held().ask(Committed(ANNA, (PATH,)))),
        ("she gives it back", story.ask(Free(story.held_by(ANNA), ANNA, "done"))),
        ("an operator takes it away", (again := _held()).ask(Free(again.held_by(ANNA), CLARA, "hangs", forced=True))),
        ("an operator lets Ben, who is blocked, try again", waiting.ask(Resume(waiting.wait_of(BEN), CLARA, ""))),
    ]
