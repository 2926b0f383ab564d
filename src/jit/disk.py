"""Paths and the environment, without the `os` module.

`os` costs a tenth of starting the interpreter, and the hook before every edit needs little of it: the system calls are
in `posix`, and the few questions about paths that have a short answer are here. What has a long one (a path with a
symbolic link or `..` in it) is left to `os.path`.
"""

from __future__ import annotations

import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_CHUNK = 16_384
_KIND, _FOLDER, _LINK = 0o170000, 0o040000, 0o120000


def fsdecode(name: bytes) -> str:
    return name.decode(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())


def environment() -> Mapping[str, str]:
    """The variables this process was started with."""
    return {fsdecode(name): fsdecode(value) for name, value in posix.environ.items()}


def read_file(path: str, limit: int = 1 << 24) -> bytes:
    """What a file holds, up to a limit. `open` asks the system twice as often."""
    fd = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        data = posix.read(fd, _CHUNK)
        while len(data) < limit and (more := posix.read(fd, _CHUNK)):
            data += more
        return data[:limit]
    finally:
        posix.close(fd)


def dirname(path: str) -> str:
    head = path[: path.rfind("/") + 1]
    return head.rstrip("/") or head


def join(folder: str, *names: str) -> str:
    path = folder
    for name in names:
        path = name if name.startswith("/") else f"{path}{name}" if not path or path[-1] == "/" else f"{path}/{name}"
    return path


def isabs(path: str) -> bool:
    return path.startswith("/")


def isdir(path: str) -> bool:
    try:
        return posix.stat(path).st_mode & _KIND == _FOLDER
    except (OSError, ValueError):  # a value: a path that no file can have
        return False


def exists(path: str) -> bool:
    try:
        posix.stat(path)
    except (OSError, ValueError):
        return False
    return True


def lexists(path: str) -> bool:
    try:
        posix.lstat(path)
    except (OSError, ValueError):
        return False
    return True


def realpath(path: str) -> str:
    """The path without symbolic links, absolute; what does not exist is taken as it is written."""
    absolute = path if path[:1] == "/" else f"{posix.getcwd()}/{path}"
    parts = absolute[1:].split("/")
    if "" not in parts and "." not in parts and ".." not in parts and not _has_link(absolute):
        return absolute
    import os.path

    return os.path.realpath(path)


def _has_link(absolute: str) -> bool:
    """Is one of the parts a symbolic link? Also said when it cannot be known."""
    end = 0
    while end >= 0:
        end = absolute.find("/", end + 1)
        try:
            if posix.lstat(absolute if end < 0 else absolute[:end]).st_mode & _KIND == _LINK:
                return True
        except FileNotFoundError:
            return False  # and nothing below it exists either
        except (OSError, ValueError):
            return True
    return False


def state_folder(environ: Mapping[str, str]) -> str:
    """Where jit keeps what belongs to the user and to no repository."""
    folder = environ.get("XDG_STATE_HOME", "")
    if not folder.startswith("/"):
        folder = f"{environ.get('HOME') or expanduser('~')}/.local/state"
    return f"{folder}/jit"


def expanduser(path: str) -> str:
    """`~` and `~name` at the beginning, replaced by that home."""
    if not path.startswith("~"):
        return path
    import os.path

    return os.path.expanduser(path)
