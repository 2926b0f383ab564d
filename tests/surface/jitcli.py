"""The program as a process: what a person types, and what comes back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.store.checker import Replayed, read_log
from tests.world.ground import make_repository

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PATIENCE_S = 60
SOURCE = str(Path(__file__).parents[2] / "src")
# Loads the program, says so, and goes on when the pipe that all racers share is closed.
GATE = """
import os, sys
from jit.cli.main import run
os.write(int(sys.argv[1]), b".")
sys.stdin.read()
sys.exit(run(sys.argv[2:]))
"""


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401  whatever the program printed
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error document; everything it must have is there."""
        document = self.json["error"]
        assert list(document) == ["code", "message", "hint", "details"]
        found: dict[str, Any] = document
        return found


@dataclass(frozen=True)
class Jit:
    """One agent in one directory."""

    cwd: Path
    agent: str = "agent:ann"
    env: tuple[tuple[str, str], ...] = ()

    def __call__(self, *words: str) -> Result:
        """Run `jit WORDS`."""
        done = subprocess.run(
            [sys.executable, "-m", "jit", *words],
            cwd=self.cwd,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def ask(self, *words: str) -> Any:  # noqa: ANN401
        """Run `jit WORDS --json`, which must succeed, and give its answer."""
        result = self(*words, "--json")
        assert result.code == 0, result
        return result.json

    def refuse(self, code: int, *words: str) -> dict[str, Any]:
        """Run it with and without `--json`: it must fail alike, and the error is given."""
        plain = self(*words)
        result = self(*words, "--json")
        assert (plain.code, result.code) == (code, code), (plain, result)
        assert plain.out == ""
        assert "error: " in plain.err, plain
        return result.error

    def at(self, cwd: Path) -> Jit:
        return Jit(cwd, self.agent, self.env)

    def by(self, agent: str) -> Jit:
        return Jit(self.cwd, agent, self.env)

    def where(self, **env: str) -> Jit:
        return Jit(self.cwd, self.agent, (*self.env, *env.items()))

    def issue(self, title: str = "work", *words: str) -> str:
        return str(self.ask("issue", "create", "--title", title, *words)["id"])

    def environment(self) -> dict[str, str]:
        agent = {"JIT_AGENT_ID": self.agent} if self.agent else {}
        paths = os.pathsep.join(filter(None, [SOURCE, os.environ.get("PYTHONPATH", "")]))
        return {**os.environ, "PYTHONPATH": paths, **agent, **dict(self.env)}


def make_site(folder: Path) -> Jit:
    """A repository with one commit, set up."""
    jit = Jit(make_repository(folder))
    assert jit("init").code == 0
    return jit


def control_plane(jit: Jit) -> Path:
    return jit.cwd / ".git/jit"


def log_of(jit: Jit) -> Replayed:
    return read_log(control_plane(jit) / "claims.jsonl")


def race(racers: Sequence[tuple[Jit, Sequence[str]]]) -> list[Result]:
    """Start all, wait until each has loaded the program, and let them go at once."""
    reader, writer = os.pipe()
    ready, say_ready = os.pipe()
    children = [
        subprocess.Popen(
            [sys.executable, "-c", GATE, str(say_ready), *words, "--json"],
            cwd=jit.cwd,
            env=jit.environment(),
            stdin=reader,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[say_ready],
            text=True,
        )
        for jit, words in racers
    ]
    os.close(say_ready)
    for _ in children:
        os.read(ready, 1)
    for pipe in (ready, reader, writer):
        os.close(pipe)
    results = []
    for child in children:
        out, err = child.communicate(timeout=PATIENCE_S)
        results.append(Result(child.returncode, out, err))
    return results


def wait_until(question: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not question():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)
