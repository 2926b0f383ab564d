"""Undoing `jit init`: what it wrote goes, what people made of it since stays, and issues are never touched."""

from __future__ import annotations

import os
import shutil

from jit.install import changes
from jit.install.changes import Change
from jit.install.originals import Originals
from jit.kernel.record import Record
from jit.store import durable
from jit.world.git_questions import committed_file, worktrees
from jit.world.worktree_file import IDENTITY_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.world.git import Repository


class Initial(Record):
    """What `jit init` writes: the settings, and lines of `.gitattributes` below a mark."""

    settings: str
    mark: str
    lines: tuple[str, ...]


def take_back(repo: Repository, initial: Initial, control: str) -> list[Change]:
    """Undo it in every worktree, then remove the control plane with its log."""
    records = Originals(os.path.join(control, "installed"))
    done = [change for root in _roots(repo) for change in _take_back_in(root, repo, initial, records)]
    exclude = os.path.realpath(os.path.join(repo.common_dir, "info", "exclude"))
    done.append(_restore(exclude, records) or _without_line(exclude, IDENTITY_FILE))
    done.append(_remove_tree(control))
    return [change for change in done if change.state not in ("gone", "clean")]


def without_block(text: str, mark: str, lines: tuple[str, ...]) -> str:
    """The text without a mark and the lines of ours that follow it."""
    kept: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        inside = line.strip() == mark or (inside and line.strip() in lines)
        if not inside:
            kept.append(line)
    return "".join(kept)


def _roots(repo: Repository) -> list[str]:
    return [one.path for one in worktrees(repo) if not one.bare and os.path.isdir(one.path)]


def _take_back_in(root: str, repo: Repository, initial: Initial, records: Originals) -> list[Change]:
    done = [
        _restore(os.path.join(root, ".gitattributes"), records) or _without_attributes(root, repo, initial),
        _remove_if(os.path.join(root, ".jit", "config.toml"), initial.settings.encode()),
        _remove_if(os.path.join(root, IDENTITY_FILE), None),
        _remove_tree(os.path.join(root, ".jit", "local")),
    ]
    changes.remove_empty([os.path.join(root, ".jit")])
    return done


def _restore(path: str, records: Originals) -> Change | None:
    """Put back the bytes from before, if nobody wrote to the file since."""
    kept = records.find(path)
    if kept is None or changes.read(path) != kept.written:
        return None
    changes.write(path, kept.original)
    changes.remove_empty(kept.made)
    return Change(path, "removed" if kept.original is None else "restored")


def _without_attributes(root: str, repo: Repository, initial: Initial) -> Change:
    path = os.path.join(root, ".gitattributes")
    before = changes.read(path)
    if before is None:
        return Change(path, "gone")
    after = without_block(before.decode("utf-8", "surrogateescape"), initial.mark, initial.lines)
    data = after.encode("utf-8", "surrogateescape")
    if data == before:
        return Change(path, "clean")
    changes.write(path, _as_committed(repo, data) or None)
    return Change(path, "restored")


def _as_committed(repo: Repository, data: bytes) -> bytes:
    """A last line without its end got one from init; if that is how git knows the file, the end goes again."""
    committed = committed_file(repo, ".gitattributes")
    return committed if committed is not None and data == committed + b"\n" else data


def _without_line(path: str, line: str) -> Change:
    before = changes.read(path)
    if before is None:
        return Change(path, "gone")
    kept = b"".join(one for one in before.splitlines(keepends=True) if one.strip() != line.encode())
    if kept == before:
        return Change(path, "clean")
    changes.write(path, kept)
    return Change(path, "restored")


def _remove_if(path: str, expected: bytes | None) -> Change:
    """Remove a file, if it is still what it was when it was made."""
    before = changes.read(path)
    if before is None:
        return Change(path, "gone")
    if expected is not None and before != expected:
        return Change(path, "kept")
    changes.write(path, None)
    return Change(path, "removed")


def _remove_tree(path: str) -> Change:
    try:
        shutil.rmtree(path)
    except FileNotFoundError:
        return Change(path, "gone")
    except OSError as error:
        raise durable.fault(path, error) from error
    return Change(path, "removed")
