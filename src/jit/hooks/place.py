"""Where a hook was called: the repository, the owner, and the files that a call is about."""

from __future__ import annotations

import posix

from jit.app import SystemWorld, Workspace
from jit.disk import dirname, exists, isdir, join, realpath
from jit.engine import Engine
from jit.errors import Unavailable
from jit.hooks.concern import PROJECT, guarded_mentions
from jit.hooks.marks import make, mark_of
from jit.kernel.lease import Owner
from jit.kernel.policy import WhileAlive
from jit.systems.files.commands import Target, Touch
from jit.systems.files.names import REPOSITORY, file_resource
from jit.world.client import client_process
from jit.world.content import digest
from jit.world.identity import shorten
from jit.world.paths import locate
from jit.world.worktree_file import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from jit.hooks.intent import Intent
    from jit.world.config import Settings
    from jit.world.paths import Spot


class FileWorld(SystemWorld):
    """This machine, with the files that a command is about."""

    def __init__(self) -> None:
        super().__init__()
        self.paths: dict[str, str] = {}

    def content(self, resource: str) -> str:
        return digest(self.paths[resource])


def find_place(intent: Intent, environ: Mapping[str, str]) -> Place | None:
    """The place of a call; nothing outside git, or where jit was never set up."""
    agent = environ.get("JIT_AGENT_ID") or f"agent:{intent.client}-{shorten(intent.session) or 'unknown'}"
    for folder in _folders(intent, environ):
        try:
            space = Workspace(folder, environ, agent_flag=agent)
        except Unavailable:
            continue
        if exists(f"{space.shared_dir}/claims.jsonl"):
            process = client_process(environ, intent.client)
            unnamed = f"{process.pid}-{process.start}" if process else ""  # a session without a name is its process
            return Place(space, Owner(agent, "", f"{intent.session or unnamed}/{intent.subagent}", process))
    return None


def note_where(place: Place, intent: Intent, environ: Mapping[str, str]) -> None:
    """A session that does not live in this repository, and writes to it, is noted: its turns end here too."""
    repo = place.space.repo
    try:
        home = environ.get(PROJECT) or posix.getcwd()
        if f"{home}/".startswith(f"{repo.worktree}/") or f"{realpath(home)}/.git" == repo.common_dir:
            return
    except OSError:
        pass  # the folder is gone, so the session does not live in this repository
    from jit.hooks.away import note

    note(repo, intent, environ)


def _folders(intent: Intent, environ: Mapping[str, str]) -> Iterator[str]:
    """Where the repository may be: around the call, or around its files if they are elsewhere."""
    cwd = intent.cwd or posix.getcwd()
    if intent.manner == "shell":
        yield cwd
        yield from guarded_mentions(intent, environ)
    elif intent.paths:
        yield from _of_file(intent.paths[0], cwd)
    else:
        yield cwd


def _of_file(text: str, cwd: str) -> list[str]:
    path = realpath(join(cwd, text))
    folder = dirname(path)
    while not isdir(folder):
        folder = dirname(folder)
    return [cwd, folder] if path.startswith(f"{realpath(cwd)}/") else [folder, cwd]


def _replaced(intent: Intent) -> tuple[str, ...]:
    """The paths whose content the call brings along. Other changes the client applies to the file as it then is."""
    if intent.manner == "edit":
        return ()
    return intent.replaced if intent.manner == "patch" else intent.paths


class Place:
    """A repository and an owner who wants to change files in it."""

    def __init__(self, space: Workspace, owner: Owner) -> None:
        self.space = space
        self.settings: Settings = space.settings
        self.world = FileWorld()
        self.owner = owner
        self.elsewhere: dict[str, bool] = {}
        self.wide = False  # does the call reach a whole folder?
        self._scopes: dict[str, str] = {}

    @property
    def engine(self) -> Engine:
        return Engine(self.space.store, self.world)

    def targets(self, intent: Intent) -> tuple[tuple[Target, ...], tuple[str, ...]]:
        """The files that the call would change, and what could not be known about it."""
        if intent.manner == "shell":
            from jit.hooks.commands import shell_targets

            return shell_targets(self, intent)
        return self.leasable(intent.paths, intent.cwd, _replaced(intent)), ()

    def leasable(self, paths: Iterable[str], cwd: str, replaced: Container[str]) -> tuple[Target, ...]:
        """Those of the paths that are files of this repository, each once; the others are kept in `elsewhere`, with
        whether they are replaced.
        """
        found: dict[str, Target] = {}
        for text in paths:
            spot = locate(text, cwd or self.space.cwd, self.space.repo)
            if spot is None:
                self.elsewhere[text] = text in replaced
                continue
            target = self._target(spot, fresh=text not in replaced)
            if target is not None and (target.resource not in found or not target.fresh):
                found[target.resource] = target
        return tuple(found.values())

    def _target(self, spot: Spot, *, fresh: bool) -> Target | None:
        """How a file is leased, by the first rule that fits it; nothing if it is free."""
        if not any("path" in layer.values for layer in self.settings.layers):
            return Target(self.resource(spot), fresh=fresh)
        from jit.world.path_rules import rule_for, rules_of

        rule = rule_for(spot.path, rules_of(self.settings))
        if rule.policy == "free":
            return None
        resource = self.resource(spot, everywhere=rule.scope == "repository")
        return Target(resource, rule.policy, fresh, rule.mode == "shared")  # type: ignore[arg-type]

    def resource(self, spot: Spot, *, everywhere: bool = False) -> str:
        """The name of a file, and a note where its content is."""
        scope = REPOSITORY if everywhere else self.scope(spot)
        resource = file_resource(scope, spot.path)
        self.world.paths[resource] = spot.absolute
        return resource

    def scope(self, spot: Spot) -> str:
        scope = self._scopes.get(spot.root)
        if scope is None:
            identity = read(spot.root)
            scope = self._scopes[spot.root] = identity.worktree_id if identity else self._name(spot.root)
        return scope

    def _name(self, root: str) -> str:
        """A worktree that has no identity yet gets one, as with any other first use."""
        return Workspace(root, {}).identity.worktree_id

    def stir(self) -> None:
        """Leave a sign that this owner is about to write, finer than those in the log."""
        mark = mark_of(self.space.plane, "active", self.owner)
        try:
            posix.utime(mark)
        except OSError:
            make(self.space.plane, mark)

    def touch(self, targets: tuple[Target, ...], tool: str) -> Touch:
        now = self.world.now()
        return Touch(
            self.owner,
            targets,
            tuple([self.world.ulid(now.wall_ms) for _ in targets]),
            WhileAlive(
                self.settings.number("files.silence_secs") * 1000, self.settings.number("files.stop_idle_secs") * 1000
            ),
            self.settings.number("files.retry_interval_secs") * 1000,
            tool,
            self.space.branch,
        )

    def close(self) -> None:
        self.space.close()
        self.space.forget_store()
