"""The real clients, with a scripted stand-in for their model on this machine.

`JIT_AGENT_HARNESS` names a folder with `claude/run.sh` and `codex/run.sh`. Each runs its client in a repository against
a server that plays the tool calls of a script, and writes what the model got back into `requests.jsonl`. `AGENTS_DIR`
names the folder into which the harness's `install.sh` put the clients.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.gate.agent import Agent
from tests.gate.watch import holders, records, waits
from tests.surface.jitcli import Jit, make_site, wait_until
from tests.world.ground import git

if TYPE_CHECKING:
    from typing import Self

HARNESS, CLIENTS = os.environ.get("JIT_AGENT_HARNESS", ""), os.environ.get("AGENTS_DIR", "")
WANTED = (
    "the real clients are run by a harness that is not part of jit: set JIT_AGENT_HARNESS to its folder (it has"
    " install.sh, claude/run.sh and codex/run.sh) and AGENTS_DIR to the folder that install.sh was run with"
)
PATIENCE_S = 120
BEFORE = "base\n"
HELD = "base by the rival\n"


class Site:
    """A repository with one file, and a home in which jit is set up for a client."""

    def __init__(self, folder: Path, client: str, **settings: str) -> None:
        self.jit = make_site(folder / "repo").where(HOME=str(folder / "home"))
        self.repository, self.folder, self.client = self.jit.cwd, folder, client
        (folder / "home").mkdir()
        (self.repository / "a.txt").write_text(BEFORE)
        git(self.repository, "add", "a.txt")
        git(self.repository, "commit", "--quiet", "--no-verify", "-m", "a file")
        for name, value in settings.items():
            assert self.jit("config", "set", name.replace("__", "."), value).code == 0
        assert self.jit("setup", client).code == 0

    def start(self, name: str, *steps: dict[str, Any]) -> Run:
        """Start the client with a model that plays these steps."""
        out = self.folder / name
        out.mkdir()
        (out / "script.json").write_text(json.dumps({"main": [*steps, {"text": "done"}]}))
        words = [f"{HARNESS}/{self.client}/run.sh", "-w", str(self.repository), "-o", str(out)]
        words += ["-s", str(out / "script.json"), *self._hooks(out)]
        env = {**os.environ, "CLAUDE_HOME": str(self.folder / "home"), "AGENT_HOME": str(self.folder / "home")}
        with (out / "run.log").open("w") as log:
            process = subprocess.Popen(words, env=env, stdout=log, stderr=log, start_new_session=True)
        return Run(self, out, process)

    def _hooks(self, out: Path) -> list[str]:
        """Claude keeps the settings that are there; Codex is given a copy of them, because it writes its own."""
        if self.client == "claude":
            return ["-P"]
        shutil.copy(self.folder / "home/.codex/hooks.json", out / "hooks.json")
        return ["-k", str(out / "hooks.json")]

    def holder(self) -> str:
        """The session that holds a.txt."""
        found = [lease["session_id"] for name, lease in holders(self.repository).items() if name.endswith("/a.txt")]
        return found[0] if found else ""

    def grants(self) -> int:
        """How often a.txt was leased to somebody."""
        return sum(1 for record in records(self.repository) if record["event_type"] == "file.acquired")

    def phases(self) -> list[str]:
        return [note["phase"] for note in waits(self.repository)]

    def text(self) -> str:
        return (self.repository / "a.txt").read_text()

    def change(self, old: str, new: str) -> list[dict[str, Any]]:
        """The steps of one edit, in the words of the client's tools."""
        if self.client == "codex":
            patch = f"*** Begin Patch\n*** Update File: a.txt\n@@\n-{old}\n+{new}\n*** End Patch\n"
            return [{"tool": "apply_patch", "custom": True, "input": patch}]
        path = str(self.repository / "a.txt")
        edit = {"file_path": path, "old_string": old, "new_string": new}
        return [{"tool": "Read", "input": {"file_path": path}}, {"tool": "Edit", "input": edit}]

    def pause(self, secs: int) -> dict[str, Any]:
        """A step that the model takes its time for."""
        return {**self.run("true"), "delay": secs}

    def run(self, command: str) -> dict[str, Any]:
        """A step that is a shell command."""
        if self.client == "codex":
            return {"tool": "exec_command", "input": {"cmd": command}}
        return {"tool": "Bash", "input": {"command": command, "description": "a command"}}


def rival_at(site: Site) -> Agent:
    """Somebody else's session, which has changed a.txt and goes on living until it is left."""
    rival = Agent(site.repository, "rival", env={"HOME": str(site.folder / "home")})
    assert rival.write("a.txt", HELD) == ""
    return rival


@dataclass
class Run:
    """One run of a client."""

    site: Site
    out: Path
    process: subprocess.Popen[bytes]
    ended: bool = field(default=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_fault: object) -> None:
        """Whatever still runs of it is ended: the client, its hooks and the stand-in."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait(PATIENCE_S)

    def until_it_has_written(self) -> None:
        """It holds the file, and its edit has reached it."""
        wait_until(lambda: bool(self.site.holder()) and self.site.text() != BEFORE)

    def finish(self) -> str:
        """Wait for its end; everything that the model got back."""
        assert self.process.wait(PATIENCE_S) == 0, (self.out / "run.log").read_text()
        return self.heard()

    def heard(self) -> str:
        path = self.out / "requests.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        return "\n".join(json.dumps(json.loads(line).get("results"), ensure_ascii=False) for line in lines)

    def kill_client(self) -> None:
        """`kill -9` of the process that the log names as the owner."""
        (lease,) = holders(self.site.repository).values()
        os.kill(lease["process"][2], signal.SIGKILL)
        self.process.wait(PATIENCE_S)


def is_there() -> bool:
    return bool(HARNESS and CLIENTS) and os.access(f"{HARNESS}/claude/run.sh", os.X_OK) and sys.platform == "linux"


__all__ = ["BEFORE", "HELD", "WANTED", "Jit", "Run", "Site", "is_there", "rival_at"]
