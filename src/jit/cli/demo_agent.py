"""The agents of `jit demo`: processes of their own, each in a worktree, each with its own id.

Both ends of the line are here. `Agent` is the demonstration's end: it gives orders. `main` is the process: for each
order it carries out one jit command, or does what an agent client does about an edit or at the end of a session; in
between it lives and holds what it has. It ends when its orders end, so an agent never outlives the demonstration,
however that ends.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

from jit.errors import Unavailable
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
        words = json.loads(line)
        deed = DEEDS.get(words[0])
        answer = Answer(0, deed(*words[1:])) if deed else run_jit(os.getcwd(), os.environ, *words)
        sys.stdout.write(json.dumps([answer.code, answer.document]) + "\n")
        sys.stdout.flush()


def _edit(name: str, line: str) -> Document:
    """Add a line to a file, if the hook lets us: as a client does, in two steps."""
    began = time.monotonic()
    path = os.path.join(os.getcwd(), name)
    denied = _hook("PreToolUse", tool_name="Edit", tool_input={"file_path": path, "old_string": "", "new_string": line})
    secs = f"{time.monotonic() - began:.2f}"
    if not denied:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{text}{line}\n")
    return {"allowed": not denied, "words": denied, "secs": secs}


def _end() -> Document:
    """The session is over; the agent may begin another one."""
    _hook("SessionEnd")
    return {}


DEEDS: dict[str, Callable[..., Document]] = {"edit": _edit, "end": _end}


def _hook(event: str, **fields: object) -> str:
    """Run the hook as it stands in a client's settings; the words of its denial, if it denies."""
    from jit.install.command import installed

    session = {"session_id": os.environ["JIT_AGENT_ID"], "cwd": os.getcwd(), "hook_event_name": event}
    command = ("sh", "-c", installed().guarded_line("--client", "claude"))
    done = subprocess.run(command, input=json.dumps(session | fields), capture_output=True, text=True, check=False)
    answer = json.loads(done.stdout) if done.stdout.strip() else {}
    return str(answer.get("hookSpecificOutput", {}).get("permissionDecisionReason", ""))


if __name__ == "__main__":
    main()
