"""The composition root: the only file that puts concrete parts together.

A `Workspace` is one command's view of one repository. Its parts are made when they are first asked for, because most
commands need few of them and a command that only reads must create nothing.
"""

from __future__ import annotations

import posix

from jit.disk import dirname, isdir
from jit.errors import ConfigError
from jit.kernel.lease import Evidence, Owner
from jit.store import durable
from jit.store.plane import Plane
from jit.world import config, git, identity
from jit.world.clock import SystemClock
from jit.world.config_layers import locate
from jit.world.entropy import SystemEntropy
from jit.world.files import Files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    from jit.engine import Engine
    from jit.kernel.instant import Instant
    from jit.kernel.lease import ProcessRef
    from jit.kernel.policy import Liveness
    from jit.store.api import Snapshot
    from jit.store.documents import IssueFiles
    from jit.store.durable import FileLock
    from jit.store.jsonl import JsonlStore
    from jit.store.scan import Progress
    from jit.world.config import Settings
    from jit.world.config_layers import ConfigPaths
    from jit.world.git import Repository
    from jit.world.identity import Agent
    from jit.world.worktree_file import WorktreeIdentity

    T = TypeVar("T")


class SystemWorld:
    """This machine, as the engine asks about it."""

    def __init__(self) -> None:
        self.now: Callable[[], Instant] = SystemClock().now
        self.ulid: Callable[[int], str] = SystemEntropy().ulid

    def liveness(self, ref: ProcessRef) -> Liveness:
        from jit.world import process

        return process.liveness(ref)

    def content(self, resource: str) -> str:
        raise TypeError(f"nobody said where {resource} is")


class Workspace:
    """One repository, one worktree, one agent."""

    def __init__(
        self,
        cwd: str,
        environ: Mapping[str, str],
        *,
        agent_flag: str | None = None,
        warn: Callable[[str], None] = lambda _: None,
        progress: Progress | None = None,
    ) -> None:
        self.cwd = cwd
        self.environ = environ
        self.world = SystemWorld()
        self.repo: Repository = git.find(cwd, environ)
        self.warn = warn
        self._agent_flag = agent_flag
        self._progress = progress
        self._made: dict[str, object] = {}

    @property
    def settings(self) -> Settings:
        return self._once("settings", self._settings)

    @property
    def paths(self) -> ConfigPaths:
        return locate(self.repo.worktree, self.shared_dir, self.environ)

    @property
    def shared_dir(self) -> str:
        """`<git common dir>/jit`, the same for every worktree."""
        return f"{self.repo.common_dir}/jit"

    @property
    def plane(self) -> Plane:
        return self._once("plane", self._plane)

    @property
    def agent(self) -> Agent:
        return self._once("agent", lambda: identity.resolve(self._agent_flag, self.environ, self.settings))

    @property
    def identity(self) -> WorktreeIdentity:
        return self._once("identity", self._identity)

    @property
    def branch(self) -> str:
        return self._once("branch", lambda: git.branch(self.repo))

    @property
    def owner(self) -> Owner:
        return self._once("owner", lambda: Owner(self.agent.id, self.identity.worktree_id))

    @property
    def issues(self) -> IssueFiles:
        return self._once("issues", self._issues)

    @property
    def main_worktree(self) -> str:
        """The main worktree's folder; nothing for a bare repository."""
        common = self.repo.common_dir
        return dirname(common) if common.endswith("/.git") else ""

    @property
    def store(self) -> JsonlStore:
        return self._once("store", self._store)

    @property
    def engine(self) -> Engine:
        return self._once("engine", self._engine)

    def snapshot(self) -> Snapshot:
        """The leases now, read without a lock and without creating anything."""
        from jit.store.reader import take_snapshot

        return take_snapshot(self.plane, self.world.now(), self._progress)

    def evidence(self) -> Evidence:
        """What a view needs to judge standing; claims ask nothing but the time."""
        return Evidence(self.world.now(), {})

    def scope_lock(self) -> FileLock:
        """The lock for what concerns the whole repository, such as its settings."""
        from jit.store.plane import open_lock, prepare

        try:
            prepare(self.plane)
            return open_lock(self.plane, "scope", self.settings.number("locks.wait_secs") * 1000)
        except OSError as error:
            raise durable.fault(error.filename or self.plane.root, error) from error

    def close(self) -> None:
        store = self._made.get("store")
        if store is not None:
            store.close()  # type: ignore[attr-defined]

    def forget_store(self) -> None:
        """After `close`: the next use opens the files anew."""
        self._made.pop("store", None)
        self._made.pop("engine", None)

    def _settings(self) -> Settings:
        can_keep = isdir(self.shared_dir)
        return config.resolve(self.paths, self.environ, files=private_files(self.shared_dir) if can_keep else None)

    def _plane(self) -> Plane:
        settings = self.settings
        mode = settings.text("worktree.mode")
        if mode == "on" and self.repo.kind != "linked":
            raise ConfigError(
                f"worktree.mode is on ({settings.origin('worktree.mode')}), and "
                f"{self.repo.worktree or self.repo.git_dir} is not a linked worktree",
                hint="jit worktree create ../work",
            )
        shared = mode != "off" or not self.repo.worktree
        root = self.shared_dir if shared else f"{self.repo.worktree}/.jit/local"
        return Plane(root, settings.flag("control.group"))

    def _identity(self) -> WorktreeIdentity:
        from jit.world import worktree

        found, warnings = worktree.load_or_create(self.repo, self.world.now(), shared_files())
        for words in warnings:
            self.warn(words)
        return found

    def _store(self) -> JsonlStore:
        from jit.store.jsonl import JsonlStore, Options

        settings = self.settings
        if not isdir(self.plane.root):
            import os

            from jit.world.mounts import refuse_network

            refuse_network(self.repo.common_dir)
            os.makedirs(dirname(self.plane.root), exist_ok=True)
        note = f"pid {posix.getpid()} {self.agent.id} since" if settings.flag("locks.enable_metadata") else ""
        return JsonlStore(
            self.plane,
            self.world,
            Options(
                wait_ms=settings.number("locks.wait_secs") * 1000,
                stale_threshold_secs=settings.number("coordination.stale_threshold_secs"),
                note=note,
                progress=self._progress,
            ),
        )

    def _issues(self) -> IssueFiles:
        from jit.store.documents import FOLDER, Committed, IssueFiles
        from jit.world.git_questions import committed_file, committed_names

        committed = Committed(
            lambda: committed_names(self.repo, FOLDER),
            lambda issue_id: committed_file(self.repo, f"{FOLDER}/{issue_id}/issue.json"),
        )
        return IssueFiles(self.repo.worktree, self.main_worktree, committed)

    def _engine(self) -> Engine:
        from jit.engine import Engine

        return Engine(self.store, self.world)

    def _once(self, name: str, make: Callable[[], T]) -> T:
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]  # type: ignore[return-value]


def private_files(folder: str) -> Files:
    """How small files of a control plane are written: for those who can write its folder, and without waiting for
    the disk.
    """
    mode = 0o660 if isdir(folder) and posix.stat(folder).st_mode & 0o020 else 0o600
    return Files(
        lambda path, data: durable.replace_file(path, data, mode=mode, durable=False),
        lambda path, data: durable.create_file(path, data, mode=mode),
    )


def shared_files() -> Files:
    """How files of a worktree are written: durably, readable by all who can read the worktree."""
    return Files(durable.replace_file, durable.create_file)
