"""The identity of a worktree: a short name that stays when the directory moves, and that a copy does not share.

The name is made on first use and kept in `.jit/worktree.json`, which git is told to ignore. Many processes may be
first at the same moment: the file is created exclusively, so one of them wins and the others read what it wrote. When
the file says it belongs elsewhere there are two stories. If nobody there has this name any more, the worktree was
moved: it keeps its name. If the other place still has it, this one is a copy and gets a name of its own, made from
the moment the copied file came into being, so that processes that notice it together agree. Where nothing can be
written, the name is derived from the path alone.
"""

from __future__ import annotations

import errno
import os
from os.path import dirname, join

from jit.errors import Invalid, Unavailable
from jit.kernel.instant import Instant, rfc3339
from jit.kernel.record import replace
from jit.world.git import Repository, branch
from jit.world.worktree_file import IDENTITY_FILE, SCHEMA_VERSION, WorktreeIdentity, encode, load, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from jit.world.files import Files

    Named: TypeAlias = tuple[WorktreeIdentity, tuple[str, ...]]

_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


def load_or_create(repo: Repository, now: Instant, files: Files) -> Named:
    """The identity of this worktree, made if need be, and warnings for the person who ran the command."""
    if not repo.worktree:
        raise Unavailable(
            f"the bare repository {repo.common_dir} has no worktree here",
            hint=f"git -C '{repo.common_dir}' worktree add ../work && cd ../work",
        )
    found = load(repo.worktree)
    if found is None:
        return _create(repo, now, files)
    identity, written_ms = found
    if identity.root == repo.worktree or _is_same_file(identity.root, repo.worktree):
        return identity, ()
    if _is_copy(identity):
        return _split(repo, identity, written_ms, files)
    return _relocate(repo, identity, now, files)


def find_by_id(repo: Repository, worktree_id: str) -> WorktreeIdentity | None:
    """The worktree of this repository that has this name, wherever it lies now."""
    from jit.world.git_questions import worktrees

    for listed in worktrees(repo):
        identity = None if listed.bare else _read_if_sound(listed.path)
        if identity is not None and identity.worktree_id == worktree_id:
            return replace(identity, root=listed.path, branch=listed.branch or f"detached:{listed.head[:12]}")
    return None


def exclude(repo: Repository, files: Files) -> None:
    """Tell git, once, never to add the identity file, in any worktree."""
    path = os.path.realpath(join(repo.common_dir, "info", "exclude"))
    try:
        with open(path, "rb") as file:
            text = file.read()
    except FileNotFoundError:
        os.makedirs(dirname(path), exist_ok=True)
        text = b""
    line = IDENTITY_FILE.encode()
    if line in text.splitlines():
        return
    gap = b"" if not text or text.endswith(b"\n") else b"\n"
    files.write(path, text + gap + line + b"\n")


def make_id(root: str, created_at: str) -> str:
    import hashlib

    return "wt:" + hashlib.sha256(os.fsencode(root) + created_at.encode()).hexdigest()[:8]


def _create(repo: Repository, now: Instant, files: Files) -> Named:
    root, created_at = repo.worktree, rfc3339(now.wall_ms)
    identity = WorktreeIdentity(SCHEMA_VERSION, make_id(root, created_at), branch(repo), root, created_at)
    path = join(root, IDENTITY_FILE)
    try:
        exclude(repo, files)
        os.makedirs(dirname(path), exist_ok=True)
        made = files.create(path, encode(identity))
    except (OSError, Unavailable) as fault:
        return _derive(identity, path, fault)
    if made:
        return identity, ()
    winner = read(root)
    if winner is None:
        raise Unavailable(f"{path} appeared and vanished while it was made", hint="jit worktree info")
    return winner, ()


def _derive(identity: WorktreeIdentity, path: str, fault: OSError | Unavailable) -> Named:
    if not _is_read_only(fault):
        raise _not_written(path, fault) from fault
    name = make_id(identity.root, "")
    warning = f"{path} cannot be written: this worktree is called {name} after its path until it can"
    return replace(identity, worktree_id=name), (warning,)


def _relocate(repo: Repository, identity: WorktreeIdentity, now: Instant, files: Files) -> Named:
    moved = replace(identity, root=repo.worktree, relocated_at=rfc3339(now.wall_ms))
    warning = f"worktree {identity.worktree_id} was moved from {identity.root} to {repo.worktree}; it keeps its id"
    return moved, (warning, *_store(repo, moved, files))


def _split(repo: Repository, identity: WorktreeIdentity, written_ms: int, files: Files) -> Named:
    created_at = rfc3339(written_ms)
    name = make_id(repo.worktree, created_at)
    own = WorktreeIdentity(SCHEMA_VERSION, name, branch(repo), repo.worktree, created_at)
    warning = f"{repo.worktree} is a copy of {identity.root} ({identity.worktree_id}); it gets its own id {name}"
    return own, (warning, *_store(repo, own, files))


def _store(repo: Repository, identity: WorktreeIdentity, files: Files) -> tuple[str, ...]:
    path = join(repo.worktree, IDENTITY_FILE)
    try:
        exclude(repo, files)
        files.write(path, encode(identity))
    except (OSError, Unavailable) as fault:
        if not _is_read_only(fault):
            raise _not_written(path, fault) from fault
        return (f"{path} cannot be written, so this is said again next time",)
    return ()


def _is_copy(identity: WorktreeIdentity) -> bool:
    """Is the place this identity names still in use under the same name?"""
    there = _read_if_sound(identity.root)
    return there is not None and there.worktree_id == identity.worktree_id


def _read_if_sound(root: str) -> WorktreeIdentity | None:
    """The identity of another worktree, whose damage is not for us to report."""
    try:
        return read(root)
    except (Invalid, Unavailable):
        return None


def _is_same_file(one_root: str, other_root: str) -> bool:
    """One directory may have two names, by a bind mount for example: then it was neither moved nor copied."""
    try:
        return os.path.samefile(join(one_root, IDENTITY_FILE), join(other_root, IDENTITY_FILE))
    except OSError:
        return False


def _not_written(path: str, fault: OSError | Unavailable) -> Unavailable:
    return Unavailable(f"the worktree identity {path} could not be written: {fault}", hint=f"ls -ld '{dirname(path)}'")


def _is_read_only(fault: OSError | Unavailable) -> bool:
    cause = fault if isinstance(fault, OSError) else fault.__cause__
    return isinstance(cause, OSError) and cause.errno in _READ_ONLY
