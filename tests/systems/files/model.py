"""The file gate as plain dictionaries, worked out from the contract and without the code that it judges.

The model knows who holds each file, who waits for which grant until when, and what each owner last knew a file to
hold. It answers every attempt with the one word that the agent ought to be told.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from dataclasses import replace as changed

RETRY_MS, IDLE_MS, SILENCE_MS = 20, 6, 9
Who = tuple[str, str]  # a session and one of its subagents
GRAVITY = ("held", "queued", "waiting", "blocked", "deadlock")


@dataclass(frozen=True)
class Hold:
    who: Who
    process: int
    grant: int
    before: str
    beat: int
    stopped: bool = False
    idle_ms: int = IDLE_MS


@dataclass(frozen=True)
class Wait:
    phase: str
    grant: int
    due: int
    known: str
    process: int
    beat: int
    place: int
    turn: int | None = None


@dataclass
class Model:
    now: int = 0
    held: dict[str, Hold] = field(default_factory=dict)
    waits: dict[tuple[Who, str], Wait] = field(default_factory=dict)
    seen: dict[tuple[Who, str], str] = field(default_factory=dict)
    contents: dict[str, str] = field(default_factory=dict)
    lives: dict[int, str] = field(default_factory=dict)
    grants: int = 0

    def copy(self) -> Model:
        held, waits, seen = dict(self.held), dict(self.waits), dict(self.seen)
        return Model(self.now, held, waits, seen, dict(self.contents), dict(self.lives), self.grants)

    def touch(self, who: Who, process: int, paths: tuple[str, ...], rule: str, *, fresh: bool) -> str:
        for path in paths:
            self._drop_if_over(path, who)
            if rule == "queue":
                self._call(who, path)
        self._wake(who, process)
        told = [self._contend(who, process, path, rule) for path in paths if self._rival(who, path, rule) is not None]
        if told:
            return max(told, key=GRAVITY.index)
        stale = [self._take(who, process, path) for path in paths]
        return "outdated" if any(stale) and not fresh else ""

    def stop(self, who: Who, *, failed: bool = False) -> None:
        for path, hold in self.held.items():
            if hold.who == who and not hold.stopped:
                self.held[path] = changed(hold, stopped=True, beat=self.now, idle_ms=0 if failed else IDLE_MS)
        for waiting, path in [key for key, wait in self.waits.items() if key[0] == who and wait.phase == "queued"]:
            self.resume(waiting, path)

    def end(self, who: Who, *, whole: bool) -> None:
        def goes(other: Who) -> bool:
            return other == who or (whole and other[0] == who[0])

        self.held = {path: hold for path, hold in self.held.items() if not goes(hold.who)}
        self.waits = {key: wait for key, wait in self.waits.items() if not goes(key[0])}
        self.seen = {key: text for key, text in self.seen.items() if not goes(key[0])}

    def commit(self, who: Who, path: str) -> None:
        hold = self.held.get(path)
        if hold is not None and hold.who[0] == who[0]:
            self.seen[hold.who, path] = self.contents.get(path, "")
            del self.held[path]

    def free(self, path: str) -> None:
        """Given back or taken away; or found to be over, which comes to the same."""
        hold = self.held.pop(path)
        if self.lives[hold.process] != "dead":
            self.seen[hold.who, path] = self.contents.get(path, "")

    def resume(self, who: Who, path: str) -> None:
        self.seen.setdefault((who, path), self.waits.pop((who, path)).known)

    def is_over(self, hold: Hold | Wait) -> bool:
        silent = self.now - hold.beat
        life = self.lives[hold.process]
        rested = isinstance(hold, Hold) and hold.stopped and silent > hold.idle_ms
        return life == "dead" or rested or (life == "unknown" and silent > SILENCE_MS)

    def _drop_if_over(self, path: str, asking: Who) -> None:
        hold = self.held.get(path)
        if hold is None or not (self.is_over(hold) or self._is_handed_over(hold, asking)):
            return
        del self.held[path]
        if hold.who != asking and self.lives[hold.process] != "dead":
            self.seen[hold.who, path] = self.contents.get(path, "")

    def _is_handed_over(self, hold: Hold, asking: Who) -> bool:
        """What a part of a session has stopped with is free for the other parts."""
        return hold.stopped and hold.who != asking and hold.who[0] == asking[0]

    def _wake(self, who: Who, process: int) -> None:
        for path, hold in self.held.items():
            in_time = self.now - hold.beat <= hold.idle_ms
            if (hold.who, hold.process) == (who, process) and hold.stopped and in_time:
                self.held[path] = changed(hold, stopped=False, beat=self.now)

    def _rival(self, who: Who, path: str, rule: str) -> Hold | Wait | None:
        hold = self.held.get(path)
        if hold is not None:
            return None if hold.who == who else hold
        if rule != "queue":
            return None
        line = self._line(path)
        return None if not line or line[0] == who else self.waits[line[0], path]

    def _line(self, path: str) -> list[Who]:
        """Who stands in the queue for a file, the first one first."""
        waits = [(wait.place, key[0], wait) for key, wait in self.waits.items() if key[1] == path]
        return [who for _, who, wait in sorted(waits) if wait.phase == "queued" and not self.is_over(wait)]

    def _call(self, asking: Who, path: str) -> None:
        """A free file: the first in the queue is called, and leaves it if it did not come in time."""
        while path not in self.held and (line := self._line(path)) and line[0] != asking:
            wait = self.waits[line[0], path]
            if wait.turn is None:
                self.waits[line[0], path] = changed(wait, turn=self.now + RETRY_MS)
            if wait.turn is None or self.now < wait.turn:
                return
            self.resume(line[0], path)

    def _contend(self, who: Who, process: int, path: str, rule: str) -> str:
        if rule == "fail-fast":
            return "held"
        rival, wait = self._rival(who, path, rule), self.waits.get((who, path))
        assert rival is not None
        circle = isinstance(rival, Hold) and self._leads_back(rival.who, who, set())
        phase = "deadlock" if circle else "queued" if rule == "queue" else "waiting"
        grant = rival.grant if isinstance(rival, Hold) else -rival.place
        if wait is None:
            self.grants += 1
            known = self.seen.get((who, path), rival.before if isinstance(rival, Hold) else self.contents.get(path, ""))
            wait = Wait(phase, grant, self.now + RETRY_MS, known, process, self.now, self.grants)
        elif wait.phase == "queued":
            wait = changed(wait, phase=phase, beat=self.now, process=process) if circle else wait
        elif wait.grant != grant or (wait.phase == "deadlock" and not circle):
            due = self.now + RETRY_MS
            wait = changed(wait, phase=phase, grant=grant, due=due, process=process, beat=self.now)
        elif wait.phase == "waiting" and self.now >= wait.due:
            wait = changed(wait, phase="blocked", process=process, beat=self.now)
        self.waits[who, path] = wait
        return wait.phase

    def _leads_back(self, holder: Who, asking: Who, met: set[Who]) -> bool:
        met.add(holder)
        for (who, path), wait in self.waits.items():
            hold = self.held.get(path)
            if who != holder or wait.phase == "deadlock" or hold is None or hold.who == who or self.is_over(hold):
                continue
            if hold.who == asking or (hold.who not in met and self._leads_back(hold.who, asking, met)):
                return True
        return False

    def _take(self, who: Who, process: int, path: str) -> bool:
        """The file is now the owner's. Is what it last knew of it old?"""
        hold, content = self.held.get(path), self.contents.get(path, "")
        if hold is not None:
            self.held[path] = changed(hold, beat=self.now, process=process, stopped=False)
            return False
        self.grants += 1
        self.held[path] = Hold(who, process, self.grants, content, self.now)
        wait, seen = self.waits.pop((who, path), None), self.seen.pop((who, path), None)
        known = wait.known if wait is not None else seen
        return known is not None and known != content
