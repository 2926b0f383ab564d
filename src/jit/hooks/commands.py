"""Shell calls: which leases a command needs, from what its text says that it will write."""

from __future__ import annotations

from jit.disk import expanduser, isdir, read_file
from jit.hooks.shell.targets import ADAPTING, find
from jit.kernel.lease import Evidence, lease_standing
from jit.systems.files.names import path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.intent import Intent
    from jit.hooks.place import Place
    from jit.hooks.shell.targets import Write
    from jit.kernel.lease import Lease
    from jit.systems.files.commands import Target

MOST_NAMES = 3
_MAGIC = frozenset("*?[")


def shell_targets(place: Place, intent: Intent) -> tuple[tuple[Target, ...], tuple[str, ...]]:
    """The files that a command names for writing, those that a git operation may overwrite, and what is not known."""
    told = find(intent.command, intent.cwd, place.space.environ.get("HOME", "") or expanduser("~"))
    paths: list[str] = []
    replaced: set[str] = set()
    unknown = list(told.unknown)
    for write in told.writes:
        files = _files_of(place, intent, write, unknown)
        paths += files
        replaced.update(files if write.verb not in ADAPTING else ())
    if told.tree:
        from jit.hooks.wide import held_around

        held = [path for folder in told.folders or (intent.cwd,) for path in held_around(place, intent, folder)]
        paths += held
        replaced.update(held)
    return place.leasable(paths, intent.cwd, replaced), tuple(unknown)


def warning(place: Place, unknown: tuple[str, ...]) -> str:
    """What the model is told before a command whose writes cannot be known; nothing if others hold no file here, or
    just those of which it was told before.
    """
    from jit.hooks.wide import leases_of_others

    leases = leases_of_others(place, place.space.identity.worktree_id)
    alive = {x.owner.process: place.world.liveness(x.owner.process) for x in leases if x.owner.process is not None}
    evidence = Evidence(place.world.now(), alive)
    held = [x for x in leases if lease_standing(x, evidence) != "lapsed"]
    if not held or _was_told(place, held):
        return ""
    names = [f"{path_of(x.resources[0])} ({x.owner.agent})" for x in held[:MOST_NAMES]]
    more = f" and {len(held) - MOST_NAMES} more" if len(held) > MOST_NAMES else ""
    return (
        f"jit cannot tell which files this command will write: {'; '.join(unknown[:2])}. Others are changing "
        f"{', '.join(names)}{more}: it must not touch them. What it changes is compared afterwards."
    )


def _was_told(place: Place, held: list[Lease]) -> bool:
    """Is it what the owner was told last? If not, it is noted as told now."""
    from jit.hooks.marks import make, mark_of

    mark = mark_of(place.space.plane, "told", place.owner)
    text = "\0".join(sorted(lease.lease_id for lease in held)).encode()
    try:
        if read_file(mark) == text:
            return True
    except OSError:
        pass
    make(place.space.plane, mark, text)
    return False


def _files_of(place: Place, intent: Intent, write: Write, unknown: list[str]) -> list[str]:
    """The files behind one entry: itself, what a pattern matches, or what lies below it."""
    found = [write.path] if write.certain or not _MAGIC.intersection(write.path) else _matches(write.path)
    if not write.below:
        return [path for path in found if not isdir(path)]
    files: list[str] = []
    for path in found:
        if not isdir(path):
            files.append(path)
            continue
        from jit.hooks.wide import below

        inner, why = below(place, intent, path)
        place.wide = True
        files += inner
        if why:
            unknown.append(f"{write.verb} below {path.removeprefix(intent.cwd + '/')}, {why}")
    return files


def _matches(pattern: str) -> list[str]:
    from glob import glob

    return glob(pattern) or [pattern]
