"""Executables that stand where git or a client looks for a hook, and pass the call on.

There is room for one file of each name. So a hook that is already there is renamed to `NAME.jit-chained`, with its
bytes, mode and links, and the shim runs it too, with the same arguments and input. The last line of a shim is a hash
of the lines before, so that it can be told from a file that somebody edited without keeping any record.

A chained shell script is read by its own shell under the hook's own name: tools that look at `$0` find what they
expect.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import stat

from jit.errors import AlreadyExists
from jit.install import changes
from jit.kernel.record import Record
from jit.store import durable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    ShimState = Literal["installed", "foreign", "chained", "missing", "outdated"]

CHAINED = ".jit-chained"
EDITED = ".edited"
SEAL = "# jit shim "
SHELLS = ("sh", "bash", "dash", "ksh", "zsh")
MODE = 0o755


class Shim(Record):
    """One executable; `compose` makes its lines from the words that call a chained hook, empty if there is none."""

    path: str
    compose: Callable[[str], str]

    @property
    def chained(self) -> str:
        return self.path + CHAINED

    def text(self) -> bytes:
        """The shim as it must be now, given what it has to chain."""
        body = os.fsencode(self.compose(_call_of(self.path, self.chained)))
        return body + SEAL.encode() + _digest(body) + b"\n"

    def state(self) -> ShimState:
        data = _read(self.path)
        if data is None:
            return "missing"
        if not is_shim(data):
            return "foreign"
        if data != self.text() or not os.access(self.path, os.X_OK):
            return "outdated"
        return "chained" if os.path.lexists(self.chained) else "installed"


def install(shim: Shim) -> bool:
    """Put the shim in its place, chaining what stands there; False if it was there already."""
    state = shim.state()
    if state in ("installed", "chained"):
        return False
    if state == "foreign":
        _chain(shim)
    elif is_edited(shim.path):
        durable.rename(shim.path, shim.path + EDITED)
    try:
        durable.replace_file(shim.path, shim.text(), mode=MODE)
    except OSError as error:
        raise durable.fault(shim.path, error) from error
    return True


def uninstall(shim: Shim) -> changes.Change:
    """Put back what was there before; a shim that somebody edited is kept beside it."""
    data = _read(shim.path)
    if data is not None and not is_shim(data):
        return changes.Change(shim.path, "clean")
    aside = shim.path + EDITED if is_edited(shim.path) else ""
    if aside:
        durable.rename(shim.path, aside)
    if os.path.lexists(shim.chained):
        durable.rename(shim.chained, shim.path)
        return changes.Change(shim.path, "restored", aside)
    if data is not None and not aside:
        os.unlink(shim.path)
    return changes.Change(shim.path, "gone" if data is None else "removed", aside)


def is_shim(data: bytes) -> bool:
    """Did jit write this, whatever became of it?"""
    return b"\n" + SEAL.encode() in data


def is_edited(path: str) -> bool:
    data = _read(path)
    if data is None or not is_shim(data):
        return False
    body, _, seal = data.rpartition(SEAL.encode())
    return seal != _digest(body) + b"\n"


def _chain(shim: Shim) -> None:
    if os.path.lexists(shim.chained) and _read(shim.chained) != _read(shim.path):
        raise AlreadyExists(
            f"{shim.path} was put in place of jit's hook, and the hook that jit had chained is still there:"
            f" {shim.chained}; nothing was changed",
            hint=f"keep one of them: rm '{shim.chained}', then run the command again",
            details={"hook": shim.path, "chained": shim.chained},
        )
    durable.rename(shim.path, shim.chained)


def _call_of(path: str, chained: str) -> str:
    """The words that run the chained hook from the shim, which sits in `$here`: a shell's script by its own shell."""
    if not os.path.lexists(chained):
        return ""
    name, shell = os.path.basename(path), _shell_of(chained)
    return f'{shlex.quote(shell)} -c \'. "$0{CHAINED}"\' "$here/{name}"' if shell else f'"$here/{name}{CHAINED}"'


def _shell_of(path: str) -> str:
    """`sh` for a script that begins with `#!/bin/sh` or `#!/usr/bin/env sh`; nothing for other programs."""
    try:
        with open(path, "rb") as file:
            first = file.readline(256)
    except OSError:
        return ""
    words = os.fsdecode(first[2:]).split() if first.startswith(b"#!") else []
    if len(words) == 2 and os.path.basename(words[0]) == "env":
        words = words[1:]
    return words[0] if len(words) == 1 and os.path.basename(words[0]) in SHELLS else ""


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:16].encode()


def _read(path: str) -> bytes | None:
    """The bytes behind a path; a link that leads nowhere is somebody's all the same."""
    if not os.path.lexists(path):
        return None
    try:
        if stat.S_ISLNK(os.lstat(path).st_mode) and not os.path.exists(path):
            return b""
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise durable.fault(path, error) from error
