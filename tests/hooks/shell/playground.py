"""A folder with files, a real shell that runs commands in it, and what they changed, seen by an observer of its own."""

from __future__ import annotations

import contextlib
import fnmatch
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jit.hooks.shell.targets import Write

FILES = {
    "a.txt": "alpha\n",
    "b.txt": "beta\nalpha\n",
    "c d.txt": "gamma\n",
    "src/x.py": "alpha = 1\n",
    "src/y.py": "y = 2\n",
    "src/deep/z.py": "z = 3\n",
    "d/keep": "kept\n",
}


def plant(root: Path) -> None:
    for child in root.iterdir():
        shutil.rmtree(child) if child.is_dir() and not child.is_symlink() else child.unlink()
    for name, content in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def picture(root: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below a folder with its mode and content; a link with where it leads."""
    found: dict[str, tuple[int, bytes]] = {}
    for folder, folders, files in os.walk(root):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in (*files, *links):
            path = os.path.join(folder, name)
            link = os.path.islink(path)
            content = os.readlink(path).encode() if link else Path(path).read_bytes()
            found[path] = (os.lstat(path).st_mode, content)
    return found


def changed_by(command: str, root: Path) -> set[str]:
    """Run a command in the folder, and tell which files are not what they were."""
    before = picture(root)
    environment = {"PATH": os.environ["PATH"], "HOME": str(root), "LC_ALL": "C.UTF-8"}
    # A script that feeds itself must not fill the disk.
    limited = ["bash", "-c", 'ulimit -f 2048 -t 5; exec bash -c "$1"', "_", command]
    quiet = subprocess.DEVNULL
    child = subprocess.Popen(
        limited, cwd=root, env=environment, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
    )
    try:
        child.wait(timeout=60)
    finally:  # whatever the script left running in the background ends with it
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    after = picture(root)
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


def missing(changed: Iterable[str], writes: Iterable[Write]) -> set[str]:
    """Changed files that no write foretells."""
    return {path for path in changed if not any(_foretells(write, path) for write in writes)}


def _foretells(write: Write, path: str) -> bool:
    places = [path, *(str(parent) for parent in Path(path).parents)] if write.below else [path]
    target = os.path.normpath(write.path)
    return any(place == target or (not write.certain and fnmatch.fnmatchcase(place, target)) for place in places)
