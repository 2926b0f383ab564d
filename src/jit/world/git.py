"""Where is the repository? Answered by reading files, never by running git.

The rules are git's own: `GIT_DIR` and `GIT_WORK_TREE` first; else from the current directory upwards, the first
directory that has a `.git` (a directory, or a file that names one) or that is a git directory itself. A git directory
with a `commondir` file belongs to a linked worktree and shares everything with the directory that file names: that
common directory is where the control plane lives, one for all worktrees. All paths in a `Repository` are absolute and
free of symbolic links, so one worktree has one name.
"""

from __future__ import annotations

import posix

from jit.disk import dirname, fsdecode, isabs, isdir, join, lexists, read_file, realpath
from jit.errors import Unavailable
from jit.kernel.record import Record
from jit.world.git_settings import Core, read_core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, TypeAlias

    Kind: TypeAlias = Literal["main", "linked", "bare", "submodule"]


class Repository(Record):
    """One worktree and its repository; `worktree` is empty where there is none (a bare repository)."""

    common_dir: str
    git_dir: str
    worktree: str
    kind: Kind


def find(cwd: str, environ: Mapping[str, str]) -> Repository:
    """The repository that git would use in this directory."""
    here = realpath(cwd)
    if environ.get("GIT_DIR"):
        return _from_environment(here, environ)
    for directory in _upwards(here, environ.get("GIT_CEILING_DIRECTORIES", "")):
        git_dir = _git_dir_in(directory)
        if git_dir:
            return _describe(git_dir, environ, top=directory, start=here)
        if is_git_dir(directory):
            return _describe(directory, environ, top="", start=here)
    raise Unavailable(
        f"not inside a git repository: {here} has no .git, and neither has any directory above it",
        hint="cd into a repository, or make one here: git init",
    )


def branch(repo: Repository) -> str:
    """The current branch; `detached:` and 12 digits of the commit where there is none."""
    head = join(repo.git_dir, "HEAD")
    text = _link_target(head) or _first_line(head)
    if text.startswith("ref:"):
        name = text[4:].strip().removeprefix("refs/heads/")
        if name != ".invalid":
            return name
    elif len(text) in (40, 64):
        return f"detached:{text[:12]}"
    # Reftable keeps only a placeholder in HEAD.
    from jit.world import git_questions

    return git_questions.ask_branch(repo)


def is_git_dir(path: str) -> bool:
    if not lexists(join(path, "HEAD")):
        return False
    shared = _common_dir(path)
    return isdir(join(shared, "objects")) and isdir(join(shared, "refs"))


def _from_environment(here: str, environ: Mapping[str, str]) -> Repository:
    named = join(here, environ["GIT_DIR"])
    git_dir = realpath(named) if isdir(named) else _read_git_file(named)
    if not git_dir or not is_git_dir(git_dir):
        raise Unavailable(f"GIT_DIR names {environ['GIT_DIR']}, which is not a git directory", hint="unset GIT_DIR")
    for directory in _upwards(here, ""):
        if _names(directory, git_dir):
            return _describe(git_dir, environ, top=directory, start=here)
    return _describe(git_dir, environ, top="", start=here)


def _describe(git_dir: str, environ: Mapping[str, str], *, top: str, start: str) -> Repository:
    """All about a git directory; `top` is where its `.git` was found, `start` where we stand."""
    common = realpath(join(start, environ["GIT_COMMON_DIR"])) if environ.get("GIT_COMMON_DIR") else _common_dir(git_dir)
    # The settings in the common directory speak of its own worktree, not of the linked ones.
    core = read_core(git_dir, common) if common == git_dir else Core(bare=False, worktree="")
    given = environ.get("GIT_WORK_TREE", "")
    if given:
        worktree = realpath(join(start, given))
    elif core.worktree:
        worktree = realpath(join(git_dir, core.worktree))
    else:
        worktree = "" if core.bare else top or _worktree_of(git_dir, start, explicit="GIT_DIR" in environ)
    return Repository(common, git_dir, worktree, _kind(git_dir, common, worktree))


def _kind(git_dir: str, common: str, worktree: str) -> Kind:
    if common != git_dir:
        return "linked"
    if not worktree:
        return "bare"
    return "submodule" if "/modules/" in git_dir else "main"


def _worktree_of(git_dir: str, start: str, *, explicit: bool) -> str:
    """The worktree of a git directory that was not reached through a `.git`: named, or entered from inside."""
    back = _first_line(join(git_dir, "gitdir"), missing_ok=True)
    if back:
        return realpath(dirname(join(git_dir, back)))
    if git_dir.endswith("/.git") and (start + "/").startswith(git_dir + "/"):
        return dirname(git_dir)
    return start if explicit else ""


def _git_dir_in(directory: str) -> str:
    """The git directory that `directory/.git` is or names, or nothing."""
    dot_git = join(directory, ".git")
    if isdir(dot_git):
        return realpath(dot_git) if is_git_dir(dot_git) else ""
    git_dir = _read_git_file(dot_git)
    if git_dir and not is_git_dir(git_dir):
        raise Unavailable(
            f"{dot_git} names the git directory {git_dir}, which is gone: it was pruned, or the repository moved",
            hint="in the main worktree: git worktree repair",
        )
    return git_dir


def _names(directory: str, git_dir: str) -> bool:
    """Does `directory/.git` lead to this git directory?"""
    dot_git = join(directory, ".git")
    if isdir(dot_git):
        return realpath(dot_git) == git_dir
    try:
        return _read_git_file(dot_git) == git_dir
    except Unavailable:
        return False


def _read_git_file(path: str) -> str:
    text = _first_line(path, missing_ok=True)
    if not text:
        return ""
    if not text.startswith("gitdir: "):
        raise Unavailable(
            f"{path} is neither a git directory nor a file that names one", hint=f"look into it: cat '{path}'"
        )
    return realpath(join(dirname(path), text[8:]))


def _common_dir(git_dir: str) -> str:
    named = _first_line(join(git_dir, "commondir"), missing_ok=True)
    return realpath(join(git_dir, named)) if named else git_dir


def _first_line(path: str, *, missing_ok: bool = False) -> str:
    """The text of a one-value file without its line end. The value is a path, so it may itself hold newlines."""
    try:
        return fsdecode(read_file(path, 65_536).rstrip(b"\r\n"))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        if missing_ok:
            return ""
        raise Unavailable(f"{path} is missing", hint="git status") from None
    except OSError as fault:
        raise Unavailable(f"cannot read {path}: {fault.strerror}", hint=f"ls -ld '{path}'") from fault


def _link_target(head: str) -> str:
    """Very old repositories have a symbolic link as HEAD."""
    try:
        return f"ref: {posix.readlink(head)}"
    except OSError:
        return ""


def _upwards(start: str, ceilings: str) -> list[str]:
    """`start` and the directories above it, up to but without the first ceiling."""
    stops = _ceilings(ceilings)
    line = [start]
    while True:
        above = dirname(line[-1])
        if above == line[-1] or above in stops:
            return line
        line.append(above)


def _ceilings(text: str) -> set[str]:
    """Absolute directories between colons; after an empty one, symbolic links are not followed."""
    stops: set[str] = set()
    literal = False
    for part in text.split(":") if text else ():
        literal = literal or not part
        if isabs(part):
            stops.add(part.rstrip("/") if literal else realpath(part))
    return stops
