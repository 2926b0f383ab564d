"""A repository for tests that run the real program: commands, long-running commands, and the log as plain JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

JIT = (sys.executable, "-P", "-m", "jit")
PATIENCE_S = 60


class Ground:
    """A git repository with jit set up in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.root.mkdir()
        subprocess.run(("git", "init", "--quiet", "--initial-branch=main", str(root)), check=True)
        self.ok("init")

    @property
    def log_file(self) -> Path:
        return self.root / ".git/jit/claims.jsonl"

    def run(self, *words: str, agent: str = "agent:one", **settings: str) -> subprocess.CompletedProcess[str]:
        environ = self.environ(agent, **settings)
        return subprocess.run(
            (*JIT, *words), cwd=self.root, env=environ, capture_output=True, text=True, check=False, timeout=PATIENCE_S
        )

    def ok(self, *words: str, agent: str = "agent:one", **settings: str) -> Any:  # noqa: ANN401  JSON
        """The JSON of a command that must succeed."""
        done = self.run(*words, "--json", agent=agent, **settings)
        assert done.returncode == 0, done.stderr + done.stdout
        return json.loads(done.stdout)

    def start(
        self, *words: str, agent: str = "agent:one", stderr: int | None = subprocess.PIPE, **settings: str
    ) -> subprocess.Popen[str]:
        """A command that goes on, in a session of its own and so without a terminal."""
        return subprocess.Popen(
            (*JIT, *words),
            cwd=self.root,
            env=self.environ(agent, **settings),
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            start_new_session=True,
        )

    def environ(self, agent: str, **settings: str) -> dict[str, str]:
        """Settings are given by key: `coordination_default_ttl_secs="5"`."""
        own = {f"JIT_{name.upper()}": value for name, value in settings.items()}
        return {**os.environ, "JIT_AGENT_ID": agent, **own}

    def issue(self, title: str = "fix it") -> str:
        created = self.ok("issue", "create", "--title", title)
        return str(created["id"])

    def events(self, *types: str) -> list[dict[str, Any]]:
        """The finished records of the log, of these types if any are named."""
        lines = self.log_file.read_text("utf-8").splitlines() if self.log_file.exists() else []
        records = [json.loads(line) for line in lines if line.endswith("}")]
        return [record for record in records if not types or record["event_type"] in types]

    def heartbeat(self, agent: str = "agent:one") -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = json.loads((self.root / f".git/jit/heartbeat/{agent}.json").read_text("utf-8"))
        except FileNotFoundError:
            return None
        return found


def until(happened: Callable[[], object], what: str) -> None:
    """Wait for a condition, but not for ever."""
    deadline = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.02)


def has_ended(pid: int) -> bool:
    """Is the process gone, or only waiting for somebody to ask how it ended?"""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except (FileNotFoundError, ProcessLookupError):
        return True
    return stat.rpartition(")")[2].split()[0] in "ZX"
