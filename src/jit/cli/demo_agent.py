"""The agents of `jit demo`: processes of their own, each in a worktree, each with its own id.

Both ends of the line are here. `Agent` is the demonstration's end: it gives orders. `main` is the process: it carries
out one jit command per order, and in between it lives and holds what it has claimed. It ends when its orders end, so an
agent never outlives the demonstration, however that ends.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

from jit.errors import Unavailable
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Document = dict[str, object]

JIT = (sys.executable, "-P", "-m", "jit")


class Answer(Record):
    """What a jit command answered: its exit code and its JSON."""

    code: int
    document: Document

    def text(self, *names: str) -> str:
        """A value of the document, by the names that lead to it."""
        found: object = self.document
        for name in names:
            found = found.get(name) if isinstance(found, dict) else None
        return str(found)


class Agent:
    """One agent, as the demonstration sees it."""

    def __init__(self, name: str, place: str, environ: Mapping[str, str]) -> None:
        self.id = f"agent:{name}"
        self.place = place
        self.claim: Answer | None = None
        # A session of its own: killing the group then also ends the command that the agent was just running.
        self._process = subprocess.Popen(
            (sys.executable, "-P", "-m", "jit.cli.demo_agent"),
            cwd=place,
            env={**environ, "JIT_AGENT_ID": self.id},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def do(self, *words: str) -> Answer:
        self.order(*words)
        return self.answer()

    def order(self, *words: str) -> None:
        if self._process.stdin is None:
            raise self._silent()
        try:
            self._process.stdin.write(json.dumps(words).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._silent() from None

    def answer(self) -> Answer:
        line = self._process.stdout.readline() if self._process.stdout else b""
        if not line:
            raise self._silent()
        code, document = json.loads(line)
        return Answer(code, document)

    def kill(self) -> None:
        """End it at once, without a chance to say anything, and whatever it has started."""
        if self._process.returncode is not None:
            return
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _silent(self) -> Unavailable:
        return Unavailable(f"{self.id} does not answer", hint="jit demo")


def run_jit(place: str, environ: Mapping[str, str], *words: str) -> Answer:
    """One jit command, in a worktree."""
    command = (*JIT, *words, "--json")
    done = subprocess.run(command, cwd=place, env=environ, capture_output=True, text=True, check=False)
    try:
        document = json.loads(done.stdout)
    except ValueError:
        document = {"text": done.stdout, "error": {"message": done.stderr.strip() or f"exit code {done.returncode}"}}
    return Answer(done.returncode, document)


def main() -> None:
    for line in sys.stdin.buffer:
        answer = run_jit(os.getcwd(), os.environ, *json.loads(line))
        sys.stdout.write(json.dumps([answer.code, answer.document]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
