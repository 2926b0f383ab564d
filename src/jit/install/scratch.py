"""Ground for a probe: a repository of its own with jit in it, and a rival that lives.

Nothing of the person's comes in: no settings of git or jit, no variables of the client that may be running the probe.
Contention is denied at once there, because a probe has no three minutes.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

from jit.app import Workspace
from jit.errors import Unavailable
from jit.install.question import PATIENCE_S, Answer, ask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

FOREIGN = ("JIT_", "GIT_", "CLAUDE", "CODEX", "GEMINI", "QWEN", "OPENCODE", "COPILOT", "CURSOR", "CLINE", "AI_AGENT")
NOBODY = "jit probe"
ADDRESS = "probe@jit.invalid"
SETTINGS = '[files]\non_contention = "deny"\n'
HELD, NOTEBOOK, FREE = "held.txt", "held.ipynb", "free.txt"
CONTENT = "old\n"


class Scratch:
    """A temporary folder that is gone at the end, and whoever was started in it."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="jit-probe-"))
        self.root = f"{self.folder}/repository"
        self.environ = _clean(environ, self.folder)
        self._rival: Rival | None = None
        try:
            _make(self)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def rival(self) -> Rival:
        if self._rival is None:
            self._rival = Rival(self.environ, self.folder)
        return self._rival

    def ask(self, line: str, payload: str, cwd: str) -> Answer:
        """As a client that is this very process."""
        return ask(line, payload, cwd, self.environ)

    def desk(self, name: str) -> str:
        """A folder of the repository for one client, with files to quarrel about."""
        desk = f"{self.root}/{name}"
        os.makedirs(desk, exist_ok=True)
        for file in (HELD, NOTEBOOK, FREE):
            _write(f"{desk}/{file}", CONTENT)
        return desk

    def copy_of(self, path: str, folder: str) -> str:
        """A copy of one hook, without the foreign hook that it may chain: that one is not ours to run."""
        os.makedirs(folder, exist_ok=True)
        return shutil.copy(path, folder)

    def git(self, *words: str) -> Answer:
        return self.ask(shlex.join(("git", "-C", self.root, *words)), "", self.folder)

    def mishap(self) -> str:
        """What went wrong inside jit most recently, if anything did."""
        try:
            with open(f"{self.root}/.git/jit/mishaps.jsonl", encoding="utf-8") as file:
                return f"jit failed inside the hook: {json.loads(file.read().splitlines()[-1])['what']}"
        except (OSError, ValueError, LookupError):
            return ""

    def close(self) -> None:
        if self._rival is not None:
            self._rival.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Rival:
    """A client that holds files: a process of its own, which asks hooks when it is told to."""

    def __init__(self, environ: Mapping[str, str], cwd: str) -> None:
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rival.py")
        self._process = subprocess.Popen(
            (sys.executable, "-I", "-S", program),
            cwd=cwd,
            env=dict(environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )

    def ask(self, line: str, payload: str, cwd: str) -> Answer:
        orders, answers = self._process.stdin, self._process.stdout
        if orders is None or answers is None:
            raise AssertionError("the rival was started without pipes")
        try:
            orders.write(json.dumps([line, payload, cwd]) + "\n")
            orders.flush()
            stdout, fault, stderr = json.loads(answers.readline())
        except (OSError, ValueError):
            return Answer("", "the rival of the probe died")
        return Answer(stdout, fault, stderr)

    def close(self) -> None:
        """The end of its input is the end of the rival."""
        try:
            self._process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()


def _make(scratch: Scratch) -> None:
    os.makedirs(f"{scratch.root}/.jit")
    os.makedirs(f"{scratch.folder}/config")
    _write(f"{scratch.root}/.jit/config.toml", SETTINGS)
    for words in (("init", "--quiet"), ("commit", "--quiet", "--allow-empty", "--message=begin")):
        answer = scratch.git(*words)
        if answer.fault:
            raise Unavailable(f"git cannot make a repository in {scratch.folder}: {answer.stderr}", hint="jit doctor")
    space = Workspace(scratch.root, scratch.environ)
    try:
        with space.store.exclusive():
            space.identity  # noqa: B018  made on first use
    finally:
        space.close()


def _clean(environ: Mapping[str, str], folder: str) -> dict[str, str]:
    kept = {name: value for name, value in environ.items() if not name.startswith(FOREIGN)}
    git = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TEMPLATE_DIR": ""}
    for role in ("AUTHOR", "COMMITTER"):
        git |= {f"GIT_{role}_NAME": NOBODY, f"GIT_{role}_EMAIL": ADDRESS}
    return {**kept, **git, "XDG_CONFIG_HOME": f"{folder}/config"}


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
