"""Which file is meant? One file has one name, however it was written.

The name is the path relative to the worktree that holds it, with symbolic links resolved (a file that does not exist
yet is placed by its nearest existing directory), `.` and `..` gone, in Unicode's composed form, and in small letters
where the file system does not tell them from capitals. What lies outside the repository, inside `.git`, or in another
repository below this one has no name here: it is nobody's to lease.
"""

from __future__ import annotations

from jit.disk import dirname, expanduser, isdir, join, lexists, realpath
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.world.git import Repository


class Spot(Record):
    """A file of a worktree: where the worktree is, the file's name in it, and the file itself."""

    root: str
    path: str
    absolute: str


def locate(text: str, cwd: str, repo: Repository) -> Spot | None:
    """The file that a path means in this repository, or nothing if it is not of this repository."""
    absolute = realpath(join(cwd, expanduser(text) if text.startswith("~") else text))
    root = repo.worktree
    if root and absolute.startswith(f"{root}/"):
        inner = absolute[len(root) + 1 :]
        if not _is_foreign(root, inner):
            return Spot(root, _one_form(root, inner), absolute)
    return _elsewhere(absolute, repo)


def _is_foreign(root: str, inner: str) -> bool:
    """Is it git's own, or of a repository inside this one?"""
    if inner == ".git" or inner.startswith(".git/"):
        return True
    folder = dirname(inner)
    while folder:
        if lexists(f"{root}/{folder}/.git"):
            return True
        folder = dirname(folder)
    return False


def _elsewhere(absolute: str, repo: Repository) -> Spot | None:
    """A file of another worktree of the same repository, which may lie inside this one."""
    from jit.errors import Unavailable
    from jit.world.git import find

    folder = dirname(absolute)
    while folder != "/" and not isdir(folder):
        folder = dirname(folder)
    try:
        there = find(folder, {})
    except Unavailable:
        return None
    if there.common_dir != repo.common_dir or not absolute.startswith(f"{there.worktree}/"):
        return None
    inner = absolute[len(there.worktree) + 1 :]
    if _is_foreign(there.worktree, inner):
        return None
    return Spot(there.worktree, _one_form(there.worktree, inner), absolute)


def _one_form(root: str, path: str) -> str:
    if not path.isascii():
        from unicodedata import normalize

        path = normalize("NFC", path)
    # Every worktree has a `.git`; where it is also found in capitals, letters of both sizes are the same.
    return path.casefold() if lexists(f"{root}/.GIT") else path
