"""Commands that reach whole folders, and operations of git on the whole tree.

What lies below a folder is leased file by file, as far as git would keep it, unless there are too many: then only what
others hold there is asked for, so that the command waits for it or is refused, and what it changed is found afterwards.
"""

from __future__ import annotations

from jit.disk import realpath
from jit.errors import Unavailable
from jit.hooks.intent import Intent
from jit.hooks.place import find_place
from jit.systems.files.names import REPOSITORY, is_file, path_of, scope_of
from jit.world.git import find
from jit.world.git_questions import run
from jit.world.paths import locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.place import Place
    from jit.kernel.lease import Lease

MOST_FILES = 200  # each of them is a record, and its end another


def below(place: Place, intent: Intent, folder: str) -> tuple[list[str], str]:
    """The files of a folder that have to be asked for, and why that may not be all of them."""
    files = _kept_by_git(folder, ignored=place.settings.flag("files.lease_ignored"))
    if len(files) <= MOST_FILES:
        return files, ""
    inner = f"{realpath(folder)}/"
    held = [path for path in held_around(place, intent, folder) if path.startswith(inner)]
    return held, f"{len(files)} files"


def held_around(place: Place, intent: Intent, folder: str) -> list[str]:
    """Files of the worktree around a folder that somebody else holds."""
    spot = locate(f"{folder}/.x", intent.cwd, place.space.repo)
    if spot is not None:
        return _held(place, place.scope(spot), spot.root)
    there = find_place(Intent(intent.client, intent.event, intent.session, cwd=folder), place.space.environ)
    if there is None:
        return []
    try:
        return _held(there, there.space.identity.worktree_id, there.space.repo.worktree)
    finally:
        there.close()


def leases_of_others(place: Place, scope: str) -> list[Lease]:
    return [
        lease
        for lease in place.space.snapshot().ledger
        if is_file(lease)
        and scope_of(lease.resources[0]) in (scope, REPOSITORY)
        and lease.owner.session != place.owner.session
    ]


def _held(place: Place, scope: str, root: str) -> list[str]:
    return [f"{root}/{path_of(lease.resources[0])}" for lease in leases_of_others(place, scope)]


def _kept_by_git(folder: str, *, ignored: bool) -> list[str]:
    """The files below a folder that git tracks or would track; none outside of git."""
    try:
        repo = find(folder, {})
        which = ("--cached", "--others", *(() if ignored else ("--exclude-standard",)))
        code, text, _ = run(
            repo, "--literal-pathspecs", "ls-files", *which, "--full-name", "-z", "--", realpath(folder)
        )
    except Unavailable:
        return []
    names = dict.fromkeys(text.split("\0")) if code == 0 else {}
    return [f"{repo.worktree}/{name}" for name in names if name and not name.endswith("/")]
