"""An agent client as a real process: it starts hooks as its own children, and its death is the owner's death.

It reads one JSON line for each hook to start and answers with one line when that hook has ended, so that several may
run at the same time and one that waits keeps nobody else waiting.
"""

from __future__ import annotations

import json
import os
import queue
import shlex
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Self

PATIENCE_S = 60
ENTRY = Path(__file__).parents[2] / "src/jit/hooks/entry.py"
CLIENT = """
import json, subprocess, sys, threading
def call(number, hook, text):
    done = subprocess.run(["sh", "-c", hook], input=text.encode("utf-8", "surrogateescape"), capture_output=True)
    sys.stdout.write(json.dumps([number, done.returncode, done.stdout.decode(), done.stderr.decode()]) + "\\n")
    sys.stdout.flush()
for line in sys.stdin:
    threading.Thread(target=call, args=json.loads(line), daemon=True).start()
"""


def hook_command(client: str = "claude", *, before: str = "") -> str:
    """What stands in a client's settings."""
    return f"{before}{shlex.quote(sys.executable)} -I -S {shlex.quote(str(ENTRY))} --client {client}"


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def denied(self) -> str:
        """The words of the denial; nothing if the call may go on."""
        said: dict[str, Any] = json.loads(self.out).get("hookSpecificOutput", {}) if self.out else {}
        return str(said.get("permissionDecisionReason", "")) if said.get("permissionDecision") == "deny" else ""


class Agent:
    """One session of a client in one folder."""

    def __init__(self, cwd: Path, session: str, *, env: dict[str, str] | None = None, before: str = "") -> None:
        self.cwd, self.session, self.before = cwd, session, before
        self._answers: dict[int, queue.Queue[Answer]] = {}
        self.process = subprocess.Popen(
            [sys.executable, "-c", CLIENT],
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_fault: object) -> None:
        self.kill()

    def write(self, path: Path | str, text: str = "mine\n", *, tool: str = "Write", subagent: str = "") -> str:
        """Write a file as a client does: the hook first, and not at all if that denies. The denial's words."""
        denied = self.ask(path, tool=tool, subagent=subagent).denied
        if not denied:
            (self.cwd / path).write_text(text)
        return denied

    def ask(self, path: Path | str, *, tool: str = "Write", subagent: str = "") -> Answer:
        return self.wait_for(self.begin(path, tool=tool, subagent=subagent))

    def begin(self, path: Path | str, *, tool: str = "Write", subagent: str = "") -> int:
        """Start the hook of a write and do not wait for it."""
        more = {"agent_id": subagent} if subagent else {}
        arguments = {"file_path": str(path), "content": "mine\n"}
        return self.send(self.payload("PreToolUse", tool_name=tool, tool_input=arguments, **more))

    def tell(self, event: str, **fields: object) -> Answer:
        return self.wait_for(self.send(self.payload(event, **fields)))

    def payload(self, event: str, **fields: object) -> str:
        return json.dumps({"session_id": self.session, "cwd": str(self.cwd), "hook_event_name": event, **fields})

    def send(self, text: str, client: str = "claude") -> int:
        number = len(self._answers)
        self._answers[number] = queue.Queue()
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([number, hook_command(client, before=self.before), text]) + "\n")
        self.process.stdin.flush()
        return number

    def wait_for(self, number: int) -> Answer:
        return self._answers[number].get(timeout=PATIENCE_S)

    def has_answered(self, number: int) -> bool:
        return not self._answers[number].empty()

    def kill(self) -> None:
        """`kill -9`: from here on the owner is dead."""
        self.process.kill()
        self.process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None and not pipe.closed:
                pipe.close()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            number, code, out, err = json.loads(line)
            self._answers[number].put(Answer(code, out, err))


def shell(agent: Agent, command: str) -> Answer:
    """The hook before a shell command."""
    return agent.tell("PreToolUse", tool_name="Bash", tool_input={"command": command})


def said(answer: Answer) -> str:
    """What the model reads beside a call that goes on."""
    assert answer.denied == ""
    return str(json.loads(answer.out)["hookSpecificOutput"]["additionalContext"]) if answer.out else ""
