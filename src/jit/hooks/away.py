"""Repositories that a session wrote to from outside: its turns end there too.

When a turn ends, a client tells where the session is, not where it has been. So the first write into a repository that
is not around the session is noted in a file of the user's, one for each session, and taken away when the session ends.
A note that is lost costs nothing but time: the leases end with the client's process.
"""

from __future__ import annotations

import posix
from binascii import crc32

from jit.disk import exists, read_file, state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from jit.hooks.intent import Intent
    from jit.world.git import Repository

FOLDER = "away"
FORGOTTEN_SECS = 30 * 86_400  # a session that said nothing for so long will not say that it ended


def note(repo: Repository, intent: Intent, environ: Mapping[str, str]) -> None:
    """Remember that the session wrote there."""
    root = repo.worktree or repo.common_dir
    if not intent.session or "\n" in root or root in noted(intent, environ):
        return
    path = _path(intent, environ)
    try:
        if not exists(path):
            _make_room(path.rpartition("/")[0])
        fd = posix.open(path, posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND | posix.O_CLOEXEC, 0o600)
        try:
            posix.write(fd, f"{root}\n".encode("utf-8", "surrogateescape"))
        finally:
            posix.close(fd)
    except OSError:
        return


def noted(intent: Intent, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Where the session wrote, as far as it is known."""
    try:
        return tuple(read_file(_path(intent, environ)).decode("utf-8", "surrogateescape").split("\n")[:-1])
    except OSError:
        return ()


def forget(intent: Intent, environ: Mapping[str, str]) -> None:
    try:
        posix.unlink(_path(intent, environ))
    except OSError:
        return


def remove(environ: Mapping[str, str]) -> None:
    """Take all notes away; sessions that still run are remembered no longer."""
    place = f"{state_folder(environ)}/{FOLDER}"
    try:
        for name in posix.listdir(place):
            posix.unlink(f"{place}/{name}")
        posix.rmdir(place)
        posix.rmdir(state_folder(environ))
    except OSError:
        return


def _path(intent: Intent, environ: Mapping[str, str]) -> str:
    session = crc32(intent.session.encode("utf-8", "surrogateescape"))
    return f"{state_folder(environ)}/{FOLDER}/{intent.client}-{session:08x}"


def _make_room(place: str) -> None:
    """Make the folder, and take away what was forgotten in it."""
    import os
    import time

    os.makedirs(place, mode=0o700, exist_ok=True)
    oldest = time.time() - FORGOTTEN_SECS
    for entry in os.scandir(place):
        if entry.stat(follow_symlinks=False).st_mtime < oldest:
            os.unlink(entry.path)
