"""Changing files of others: first everything is planned, then everything is written, and all of it can be undone.

A target knows how to `put` our part into the bytes of a file and how to `strip` it out again. `plan` asks every target
before the first byte is written, so a file that cannot be understood stops the whole installation. `undo` puts the
original back if nobody touched the file since; otherwise it takes only our part out and keeps what others wrote.
"""

from __future__ import annotations

import os
import stat

from jit.install.originals import Kept, Originals
from jit.kernel.record import Record
from jit.store import durable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal, Protocol

    State = Literal["written", "kept", "restored", "edited", "removed", "clean", "gone"]

    class Target(Protocol):
        """One file and our part in it."""

        @property
        def path(self) -> str: ...

        @property
        def client(self) -> str: ...

        @property
        def kind(self) -> str: ...

        def put(self, before: bytes | None) -> bytes: ...

        def strip(self, before: bytes, original: bytes | None) -> bytes | None: ...


class Change(Record):
    """What happened to a file, in one word; `aside` is where an edited file of ours went."""

    path: str
    state: State
    aside: str = ""


class Step(Record):
    """One file as it is and as it shall be."""

    target: Target
    before: bytes | None
    after: bytes
    original: bytes | None


def plan(targets: Iterable[Target], originals: Originals) -> list[Step]:
    """What would be written; raises, and nothing is changed, if one of the files cannot be used."""
    steps = []
    for target in targets:
        before = read(target.path)
        after = target.put(before)
        steps.append(Step(target, before, after, _original(target, before, originals.find(target.path))))
    return steps


def carry_out(steps: Iterable[Step], originals: Originals, *, mode: int = 0o644) -> list[Change]:
    """Write what differs; a file that is already right is not touched."""
    return [_write(step, originals, mode) for step in steps]


def undo(target: Target, kept: Kept, originals: Originals) -> Change:
    """Give a file back."""
    before = read(target.path)
    change = _give_back(target, before, kept)
    remove_empty(kept.made)
    originals.forget(kept.path)
    return change


def strip_unrecorded(target: Target) -> Change:
    """Take our part out of a file about which no record is left."""
    before = read(target.path)
    if before is None:
        return Change(target.path, "gone")
    if _is_clean(target, before):
        return Change(target.path, "clean")
    write(target.path, target.strip(before, None))
    return Change(target.path, "edited")


def read(path: str) -> bytes | None:
    """The bytes of a file, or None where there is none; any other trouble is told in words."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise durable.fault(path, error) from error


def write(path: str, data: bytes | None, *, mode: int = 0o644) -> None:
    """Replace or delete the file behind a path: a symbolic link stays one, and a file keeps its mode."""
    real = os.path.realpath(path)
    try:
        if data is None:
            os.unlink(real)
            return
        os.makedirs(os.path.dirname(real), exist_ok=True)
        durable.replace_file(real, data, mode=_mode_of(real, mode))
    except OSError as error:
        raise durable.fault(path, error) from error


def make_folder(path: str) -> None:
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise durable.fault(path, error) from error


def missing_folders(path: str) -> tuple[str, ...]:
    """The directories that would have to be made for a file, outermost first."""
    found: list[str] = []
    folder = os.path.dirname(os.path.realpath(path))
    while not os.path.isdir(folder):
        found.insert(0, folder)
        folder = os.path.dirname(folder)
    return tuple(found)


def remove_empty(folders: Iterable[str]) -> None:
    for folder in reversed(list(folders)):
        try:
            os.rmdir(folder)
        except OSError:  # somebody put something there, or took it away
            return


def _original(target: Target, before: bytes | None, kept: Kept | None) -> bytes | None:
    """The bytes to come back to. Edits that others made after our last write belong to them."""
    if before is None:
        return None
    if kept is None:
        return before if _is_clean(target, before) else target.strip(before, None)
    return kept.original if before == kept.written else target.strip(before, kept.original)


def _is_clean(target: Target, data: bytes) -> bool:
    """Is nothing of ours in there?"""
    return target.strip(data, data) == data


def _write(step: Step, originals: Originals, mode: int) -> Change:
    target = step.target
    if step.after == step.before:
        return Change(target.path, "kept")
    kept = originals.find(target.path)
    made = (*(kept.made if kept is not None else ()), *missing_folders(target.path))
    originals.keep(Kept(target.path, target.client, target.kind, step.original, step.after, made))
    write(target.path, step.after, mode=mode)
    return Change(target.path, "written")


def _give_back(target: Target, before: bytes | None, kept: Kept) -> Change:
    if before is None:
        return Change(target.path, "gone")
    if before == kept.written:
        write(target.path, kept.original)
        return Change(target.path, "removed" if kept.original is None else "restored")
    if before == kept.original:
        return Change(target.path, "clean")
    after = target.strip(before, kept.original)
    if after == before:
        return Change(target.path, "clean")
    aside = f"{target.path}.edited" if target.kind == "plugin" else ""
    if aside:
        write(aside, before)
    write(target.path, after)
    return Change(target.path, "edited", aside)


def _mode_of(path: str, mode: int) -> int:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return mode
