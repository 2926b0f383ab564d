"""Shell calls: which leases a command needs, from what its text says that it will write."""

from __future__ import annotations

from jit.disk import expanduser, isdir, join
from jit.hooks.intent import Intent
from jit.hooks.place import find_place
from jit.hooks.shell.targets import ADAPTING, find
from jit.kernel.lease import Evidence, lease_standing
from jit.systems.files.commands import Target
from jit.systems.files.names import REPOSITORY, is_file, path_of, scope_of
from jit.world.paths import locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.place import Place
    from jit.hooks.shell.targets import Write
    from jit.kernel.lease import Lease

MOST_NAMES = 3
_MAGIC = frozenset("*?[")
MOST_FILES = 2000  # of a folder that is removed or copied over; more are looked at after the call


def shell_targets(place: Place, intent: Intent) -> tuple[tuple[Target, ...], tuple[str, ...]]:
    """The files that a command names for writing, those that a git operation may overwrite, and what is not known."""
    told = find(intent.command, intent.cwd, place.space.environ.get("HOME", "") or expanduser("~"))
    paths: list[str] = []
    replaced: set[str] = set()
    for write in told.writes:
        files = _files_of(write)
        paths += files
        replaced.update(files if write.verb not in ADAPTING else ())
    targets = {target.resource: target for target in place.leasable(paths, intent.cwd, replaced)}
    for folder in told.folders or ((intent.cwd,) if told.tree else ()):
        targets |= {target.resource: target for target in _held_by_others(place, intent, folder)}
    return tuple(targets.values()), told.unknown


def warning(place: Place, unknown: tuple[str, ...]) -> str:
    """What the model is told before a command whose writes cannot be known; nothing if others hold no file here."""
    leases = _leases_of_others(place, place.space.identity.worktree_id)
    alive = {x.owner.process: place.world.liveness(x.owner.process) for x in leases if x.owner.process is not None}
    evidence = Evidence(place.world.now(), alive)
    held = [x for x in leases if lease_standing(x, evidence) != "lapsed"]
    if not held:
        return ""
    names = [f"{path_of(x.resources[0])} ({x.owner.agent})" for x in held[:MOST_NAMES]]
    more = f" and {len(held) - MOST_NAMES} more" if len(held) > MOST_NAMES else ""
    return (
        f"jit cannot tell which files this command will write: {'; '.join(unknown[:2])}. Others are changing "
        f"{', '.join(names)}{more}: it must not touch them. What it changes is compared afterwards."
    )


def _files_of(write: Write) -> list[str]:
    """The files behind one entry: itself, what a pattern matches, or what lies below it."""
    found = [write.path] if write.certain or not _MAGIC.intersection(write.path) else _matches(write.path)
    if not write.below:
        return [path for path in found if not isdir(path)]
    below: list[str] = []
    for path in found:
        below += _below(path) if isdir(path) else [path]
    return below[:MOST_FILES]


def _matches(pattern: str) -> list[str]:
    from glob import glob

    return glob(pattern) or [pattern]


def _below(folder: str) -> list[str]:
    import os

    return [join(place, name) for place, _, names in os.walk(folder) for name in names]


def _held_by_others(place: Place, intent: Intent, folder: str) -> list[Target]:
    """Files around a folder that somebody else holds: what an operation on the whole tree must not touch.

    If that is another repository, they are added to what the call does elsewhere.
    """
    spot = locate(f"{folder}/.x", intent.cwd, place.space.repo)
    if spot is None:
        place.elsewhere |= dict.fromkeys(_held_elsewhere(place, intent, folder), True)
        return []
    others = _leases_of_others(place, place.scope(spot))
    for lease in others:
        place.world.paths[lease.resources[0]] = f"{spot.root}/{path_of(lease.resources[0])}"
    return [Target(lease.resources[0], "retry-then-halt") for lease in others]


def _held_elsewhere(place: Place, intent: Intent, folder: str) -> list[str]:
    there = find_place(Intent(intent.client, intent.event, intent.session, cwd=folder), place.space.environ)
    if there is None:
        return []
    try:
        others = _leases_of_others(there, there.space.identity.worktree_id)
        return [f"{there.space.repo.worktree}/{path_of(lease.resources[0])}" for lease in others]
    finally:
        there.close()


def _leases_of_others(place: Place, scope: str) -> list[Lease]:
    here = (scope, REPOSITORY)
    return [
        lease
        for lease in place.space.snapshot().ledger
        if is_file(lease) and scope_of(lease.resources[0]) in here and lease.owner.session != place.owner.session
    ]
