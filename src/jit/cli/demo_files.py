"""The first act of `jit demo`: agents that edit the same files and know nothing of jit.

Each agent is a process that does what agent clients do: before an edit it runs the hook that `jit setup` installs, and
it edits the file only if the hook lets it. One waits for a file and only sees a slow edit. One dies with a file, which
is free at once. One is refused after its one retry and halts, until an operator helps.
"""

from __future__ import annotations

import time

from jit.cli.demo_agent import Agent, run_jit
from jit.cli.demo_audit import Check, broken
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jit.cli.demo_agent import Answer

RETRY_S = 2  # three minutes in earnest
SHOP, STYLE, NOTES = "shop.py", "style.css", "notes.md"


class Row(Record):
    """One edit: whose, of which file, how long its hook took, and what came of it."""

    agent_id: str
    file: str
    secs: str
    outcome: str


class Act:
    """The agents of this act, and what became of their edits. `say` hears of every step."""

    def __init__(self, main: str, environ: Mapping[str, str], say: Callable[[str], None]) -> None:
        self.rows: list[Row] = []
        self.refusal = ""
        self.agents: list[Agent] = []
        self._main = main
        self._environ = {**environ, "JIT_FILES_RETRY_INTERVAL_SECS": str(RETRY_S)}
        self._say = say
        self._lines: list[tuple[str, str]] = []

    def play(self) -> None:
        for name in (SHOP, STYLE, NOTES):
            with open(f"{self._main}/{name}", "w", encoding="utf-8") as file:
                file.write(f"{name}\n")
        ann, ben, cleo, dan = (self._start(name) for name in ("ann", "ben", "cleo", "dan"))
        self._wait_for_a_file(ann, ben)
        self._die_with_a_file(cleo, dan)
        self._halt_at_a_file(ann, dan)
        for agent in (ann, ben, dan):
            agent.do("end")

    def end(self) -> None:
        for agent in self.agents:
            agent.kill()

    def check(self) -> Check:
        """Is every line that a hook let through in its file?"""
        texts = {name: self._read(name) for name in (SHOP, STYLE, NOTES)}
        lost = [f"{line} in {name}" for name, line in self._lines if f"\n{line}\n" not in texts[name]]
        return Check("no edit was lost: every line that was written is in its file", ", ".join(lost))

    def _wait_for_a_file(self, ann: Agent, ben: Agent) -> None:
        self._edit(ann, SHOP, "took it")
        self._say(f"{ann.id} edits {SHOP}; {ben.id} wants to edit it too, and its hook waits")
        ben.order("edit", SHOP, f"line of {ben.id}")
        self._until_somebody_waits()
        ann.do("end")
        answer = self._done(ben, SHOP, ben.answer(), f"waited, then took it: {ann.id} was done")
        self._say(f"  {ann.id} is done; {ben.id} only saw an edit that took {answer.text('secs')} s")

    def _die_with_a_file(self, cleo: Agent, dan: Agent) -> None:
        self._edit(cleo, STYLE, "took it, and died")
        cleo.kill()
        self._say(f"kill -9 {cleo.pid}: {cleo.id} is dead while it holds {STYLE}")
        answer = self._edit(dan, STYLE, "took it at once: its holder was dead")
        self._say(f"  {dan.id} edits it {answer.text('secs')} s later: nothing stays held by the dead")

    def _halt_at_a_file(self, ann: Agent, dan: Agent) -> None:
        self._edit(ann, NOTES, "took it")
        self._say(f"{dan.id} wants {NOTES}, which {ann.id} holds and goes on holding")
        answer = dan.do("edit", NOTES, f"line of {dan.id}")
        self.refusal = answer.text("words")
        if answer.text("allowed") != "False":
            raise broken(f"{dan.id} was let into a file that {ann.id} holds")
        self.rows.append(Row(dan.id, NOTES, answer.text("secs"), "refused after one retry; halted"))
        self._say(f"  after one retry its model reads: {self.refusal}")
        evicted = run_jit(self._main, self._environ, "file", "evict", NOTES, "--reason", "the operator decides")
        if evicted.code:
            raise broken(f"a command failed: {evicted.text('error', 'message')}")
        self._say(f'  an operator decides: jit file evict {NOTES} --reason "…"')
        self._edit(dan, NOTES, "took it after the operator's word")

    def _start(self, name: str) -> Agent:
        self.agents.append(Agent(name, self._main, self._environ))
        return self.agents[-1]

    def _edit(self, agent: Agent, name: str, outcome: str) -> Answer:
        return self._done(agent, name, agent.do("edit", name, f"line of {agent.id}"), outcome)

    def _done(self, agent: Agent, name: str, answer: Answer, outcome: str) -> Answer:
        if answer.text("allowed") != "True":
            raise broken(f"{agent.id} was kept out of {name}: {answer.text('words')}")
        self.rows.append(Row(agent.id, name, answer.text("secs"), outcome))
        self._lines.append((name, f"line of {agent.id}"))
        return answer

    def _until_somebody_waits(self) -> None:
        deadline = time.monotonic() + 10 * RETRY_S
        while b'"event_type":"wait.acquired"' not in self._log():
            if time.monotonic() > deadline:
                raise broken("nobody waits for a file that is held")
            time.sleep(0.05)

    def _log(self) -> bytes:
        with open(f"{self._main}/.git/jit/claims.jsonl", "rb") as file:
            return file.read()

    def _read(self, name: str) -> str:
        with open(f"{self._main}/{name}", encoding="utf-8") as file:
            return file.read()
