"""Shell calls: which leases a command needs, from what its text says that it will write."""

from __future__ import annotations

import os

from jit.hooks.shell.targets import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.intent import Intent
    from jit.hooks.place import Place
    from jit.hooks.shell.targets import Write
    from jit.systems.files.commands import Target

MOST_FILES = 2000  # of a folder that is removed or copied over; more are looked at after the call


def shell_targets(place: Place, intent: Intent) -> tuple[tuple[Target, ...], tuple[str, ...]]:
    """The files that a command names for writing, those that a git operation may overwrite, and what is not known."""
    told = find(intent.command, intent.cwd, os.path.expanduser("~"))
    paths: list[str] = []
    for write in told.writes:
        paths += _files_of(write)
    targets = {target.resource: target for target in place.leasable(paths, intent.cwd, fresh=True)}
    if told.tree:
        targets |= {target.resource: target for target in _held_by_others(place)}
    return tuple(targets.values()), told.unknown


def _files_of(write: Write) -> list[str]:
    """The files behind one entry: itself, what a pattern matches, or what lies below it."""
    from glob import glob, has_magic

    found = [write.path] if write.certain or not has_magic(write.path) else glob(write.path) or [write.path]
    if not write.below:
        return [path for path in found if not os.path.isdir(path)]
    below: list[str] = []
    for path in found:
        below += _below(path) if os.path.isdir(path) else [path]
    return below[:MOST_FILES]


def _below(folder: str) -> list[str]:
    return [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]


def _held_by_others(place: Place) -> list[Target]:
    """Files of this worktree that somebody else holds: what an operation on the whole tree must not touch."""
    from jit.systems.files.commands import Target
    from jit.systems.files.names import is_file, path_of, scope_of

    here = place.space.identity.worktree_id
    others = [
        lease
        for lease in place.space.snapshot().ledger
        if is_file(lease) and scope_of(lease.resources[0]) == here and lease.owner.session != place.owner.session
    ]
    for lease in others:
        place.world.paths[lease.resources[0]] = f"{place.space.repo.worktree}/{path_of(lease.resources[0])}"
    return [Target(lease.resources[0], "retry-then-halt", fresh=True) for lease in others]
