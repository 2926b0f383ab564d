"""The program in a repository of its own, for tests that compare it with what the documentation says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from jit.cli.commands import GROUPS
from jit.cli.spec import load_group

ROOT = Path(__file__).parents[2]
COMMANDS = [command for noun in GROUPS for command in load_group(GROUPS, noun).commands if not command.hidden]


def environment(home: Path, **more: str) -> dict[str, str]:
    """Nothing of the machine that could change what a command says."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH") if name in os.environ}
    roles = [f"GIT_{role}_{what}" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")]
    person = dict.fromkeys(roles, "someone@example.org")
    return (
        kept | person | {"HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "USER": "someone", "TMPDIR": str(home)} | more
    )


@dataclass
class Shell:
    """The program, run in a repository as an agent would run it."""

    folder: Path
    environ: dict[str, str]

    def run(self, *words: str, agent: str = "agent:anna") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "jit", *words]
        environ = self.environ | {"JIT_AGENT_ID": agent, "PYTHONPATH": str(ROOT / "src")}
        return subprocess.run(
            command, cwd=self.folder, env=environ, capture_output=True, text=True, check=False, timeout=60
        )

    def json(self, *words: str, agent: str = "agent:anna") -> dict[str, object]:
        done = self.run(*words, "--json", agent=agent)
        found = json.loads(done.stdout)
        assert isinstance(found, dict), done.stdout
        return found

    def git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self.folder, env=self.environ, check=True, timeout=60)

    def lines(self, *words: str) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.run(*words, "--json").stdout.splitlines()]
