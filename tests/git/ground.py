"""Real ground for the git hooks: a repository with jit and its hooks, and agents that edit and commit in it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from jit.app import Workspace
from jit.install.command import installed
from jit.install.git_hooks import hooks_folder, shims
from jit.install.shim import install
from jit.kernel.commands import Acquire
from jit.kernel.lease import Owner
from jit.kernel.policy import Indefinite
from jit.world.git import find
from tests.surface.jitcli import Jit
from tests.world.ground import make_repository

if TYPE_CHECKING:
    from jit.kernel.commands import Command

PATIENCE_S = 60
ENTRY = installed().words()
ANN, BOB = "agent:claude-ann00000", "agent:claude-bob00000"
SINCE = r"since \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ"


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Agent:
    """A session of an agent client in one folder; without a session, a person."""

    cwd: Path
    session: str = ""
    variable: str = "CLAUDE_CODE_SESSION_ID"
    env: tuple[tuple[str, str], ...] = ()

    def git(self, *words: str) -> Done:
        """Run git as the commands of this session do."""
        done = subprocess.run(
            ["git", *words],
            cwd=self.cwd,
            env=self.environ(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=PATIENCE_S,
        )
        return Done(done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr))

    def ask(self, *words: str) -> str:
        done = self.git(*words)
        assert done.code == 0, done
        return done.out.strip("\n")

    def edit(self, name: str, text: str = "text\n", *, subagent: str = "") -> None:
        """Write a file the way a client does: the hook first, then the write."""
        path = self.cwd / name
        assert self.hook("PreToolUse", str(path), subagent=subagent) == ""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def hook(self, event: str, path: str = "", *, subagent: str = "") -> str:
        """What the hook of Claude Code prints about one event; nothing if the client may go on."""
        payload: dict[str, object] = {"session_id": self.session, "cwd": str(self.cwd), "hook_event_name": event}
        if path:
            payload |= {"tool_name": "Write", "tool_input": {"file_path": path, "content": "x"}}
        return self.tell("claude", payload | ({"agent_id": subagent} if subagent else {}))

    def tell(self, client: str, payload: dict[str, object]) -> str:
        """What the hook of a client prints about a payload."""
        done = subprocess.run(
            [*ENTRY, "--client", client],
            cwd=self.cwd,
            env={**self.environ(), "JIT_FILES_ON_CONTENTION": "deny"},
            input=json.dumps(payload),
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        assert (done.returncode, done.stderr) == (0, ""), done
        return done.stdout

    def call(self, hook: str, *args: str, feed: str = "") -> Done:
        """Run one hook as its shim does."""
        done = subprocess.run(
            [*ENTRY, "--git", hook, *args],
            cwd=self.cwd,
            env=self.environ(),
            input=feed,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def at(self, cwd: Path) -> Agent:
        return replace(self, cwd=cwd)

    def where(self, **env: str) -> Agent:
        return replace(self, env=(*self.env, *env.items()))

    def jit(self) -> Jit:
        return Jit(self.cwd, "", tuple(self._own().items()))

    def environ(self) -> dict[str, str]:
        return {**os.environ, **self._own()}

    def _own(self) -> dict[str, str]:
        return {"USER": "zoe"} | ({self.variable: self.session} if self.session else {}) | dict(self.env)


def make_template(folder: Path) -> Path:
    """A repository with jit set up and committed, to be copied; without the identity, which a copy must not share."""
    repository = make_repository(folder)
    (repository / "old.txt").write_text("old\n", "utf-8")
    assert Jit(repository, "human:zoe")("init").code == 0
    person = Agent(repository)
    person.ask("add", ".")
    person.ask("commit", "--quiet", "-m", "set up")
    (repository / ".jit/worktree.json").unlink()
    return repository


def copy_template(template: Path, folder: Path) -> Path:
    shutil.copytree(template, folder)
    worktree_id(folder)
    return folder


def install_hooks(repository: Path) -> Path:
    folder = hooks_folder(find(str(repository), {}))
    Path(folder).mkdir(parents=True, exist_ok=True)
    for shim in shims(folder, installed()):
        install(shim)
    return Path(folder)


def claude(repository: Path, name: str) -> Agent:
    """A session of Claude Code whose id begins with a name of eight letters or less."""
    return Agent(repository, f"{name.ljust(8, '0')}-6f6d-465a-b84e-526784a55a8c")


def held(repository: Path) -> dict[str, str]:
    """The files that are leased and by whom, as the lines of the log say."""
    found: dict[str, dict[str, str]] = {}
    for line in (repository / ".git/jit/claims.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        noun, _, verb = record["event_type"].partition(".")
        if noun == "file" and verb == "acquired":
            found[record["payload"]["lease_id"]] = record["payload"]
        elif noun == "file" and verb in ("released", "evicted"):
            del found[record["payload"]["lease_id"]]
    return {lease["resources"][0].partition("/")[2]: lease["agent_id"] for lease in found.values()}


def submit(folder: Path, command: Command) -> None:
    """Put a command through the engine, for what no command line can do yet."""
    space = Workspace(str(folder), {})
    space.engine.submit(command)
    space.close()


def grow_stale(folder: Path, resource: str, owner: Owner) -> None:
    """A lease without end that was silent too long from its first moment."""
    space = Workspace(str(folder), {})
    lease_id = space.world.ulid(space.world.now().wall_ms)
    submit(folder, Acquire(lease_id, (resource,), owner, Indefinite(-1), "long work"))


def worktree_id(folder: Path) -> str:
    return Workspace(str(folder), {}).identity.worktree_id


def git_state(folder: Path) -> dict[str, bytes]:
    """Everything of git's that jit must never touch: the index, HEAD, the refs, and the objects' names."""
    git_dir = Path(find(str(folder), {}).git_dir)
    common = Path(find(str(folder), {}).common_dir)
    files = [git_dir / "index", git_dir / "HEAD", *(path for path in (common / "refs").rglob("*") if path.is_file())]
    state = {str(path): path.read_bytes() for path in files if path.exists()}
    names = sorted(str(path) for path in (common / "objects").rglob("*"))
    return state | {"objects": "\n".join(names).encode()}


def committed(agent: Agent) -> set[str]:
    return set(agent.ask("show", "--format=", "--name-only", "-z", "HEAD").split("\0")) - {""}


def own_command(err: str) -> list[str]:
    """The words of the command that commits only one's own files."""
    return shlex.split(err.split("to commit only your own files: git ")[1].splitlines()[0])
