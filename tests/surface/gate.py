"""An agent client as a process of its own: it calls the hook before every write, and its death is the owner's death."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.surface.jitcli import Jit, control_plane

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

ONE, TWO = "aaaa1111-one", "bbbb2222-two"
ENTRY = Path(__file__).parents[2] / "src/jit/hooks/entry.py"
# For each line it reads, it runs the hook through a shell with that line as input, and answers with one line.
LOOP = """
import json, subprocess, sys
for line in sys.stdin:
    done = subprocess.run(["sh", "-c", sys.argv[1]], input=line, capture_output=True, text=True)
    print(json.dumps([done.returncode, done.stdout, done.stderr]), flush=True)
"""


class Client:
    """One session of Claude Code in one directory."""

    def __init__(self, jit: Jit, session: str) -> None:
        self.jit = jit.by("").where(CLAUDE_CODE_SESSION_ID=session)
        self.session = session
        self.agent = f"agent:claude-{session[:8]}"
        hook = f"{shlex.quote(sys.executable)} -I -S {shlex.quote(str(ENTRY))} --client claude"
        self.process = subprocess.Popen(
            [sys.executable, "-c", LOOP, hook],
            cwd=jit.cwd,
            env=jit.by("").environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_fault: object) -> None:
        self.kill()

    def write(self, path: str, content: str = "mine\n", *, subagent: str = "", tool: str = "Write") -> str:
        """Write a file as the client does, the hook first, and not at all if that denies; the denial's words."""
        place = self.jit.cwd / path
        more = {"agent_id": subagent} if subagent else {}
        call = {"tool_name": tool, "tool_input": {"file_path": str(place), "content": content}}
        denied = self.tell("PreToolUse", **call, **more)
        if not denied:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content)
        return denied

    def tell(self, event: str, **fields: object) -> str:
        """Call the hook; what it says against it, if anything."""
        payload = {"session_id": self.session, "cwd": str(self.jit.cwd), "hook_event_name": event, **fields}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(payload) + "\n")
        self.process.stdin.flush()
        code, out, err = json.loads(self.process.stdout.readline())
        assert (code, err) == (0, "")
        answer: dict[str, Any] = json.loads(out)["hookSpecificOutput"] if out else {}
        return str(answer["permissionDecisionReason"]) if answer.get("permissionDecision") == "deny" else ""

    def kill(self) -> None:
        """`kill -9`, as the owner of its leases it is gone from then on."""
        self.process.kill()
        self.process.wait(60)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


@contextmanager
def contenders(jit: Jit) -> Iterator[tuple[Client, Client]]:
    """Two clients in one repository, where a denied edit is tried again after a second."""
    jit.ask("config", "set", "files.retry_interval_secs", "1")
    with Client(jit, ONE) as one, Client(jit, TWO) as two:
        yield one, two


def records(jit: Jit) -> list[dict[str, Any]]:
    """The log, line by line."""
    return [json.loads(line) for line in (control_plane(jit) / "claims.jsonl").read_text().splitlines()]


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
