"""In which order one operation touches its files: `python -m tests.crash.order FOLDER OPERATION` prints it as JSON.

Each item is the name of a call and the file it was made on; `returned` stands where the operation came back. It shows
what a power cut could still lose.
"""

from __future__ import annotations

import fcntl
import json
import os
import posix
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.crash.steps import STEPS, prepared
from tests.store.ground import Site

if TYPE_CHECKING:
    from collections.abc import Callable


def main(folder: Path, operation: str) -> list[tuple[str, str]]:
    site = Site(folder)
    act = prepared(site, operation)
    seen: list[tuple[str, str]] = []
    for name in STEPS:
        setattr(posix, name, _noted(name, getattr(posix, name), seen))
    fcntl.flock = _noted("flock", fcntl.flock, seen)
    act()
    seen.append(("returned", ""))
    site.close()
    return seen


def _noted(name: str, act: Callable[..., Any], seen: list[tuple[str, str]]) -> Callable[..., Any]:
    def call(*args: Any, **named: Any) -> object:
        path = args[1] if name == "replace" else args[0]
        place = os.readlink(f"/proc/self/fd/{path}") if isinstance(path, int) else path
        how = {fcntl.LOCK_EX: "lock", fcntl.LOCK_EX | fcntl.LOCK_NB: "lock", fcntl.LOCK_UN: "unlock"}
        seen.append((how[args[1]] if name == "flock" else name, os.path.basename(place)))
        return act(*args, **named)

    return call


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), sys.argv[2])))  # noqa: T201
