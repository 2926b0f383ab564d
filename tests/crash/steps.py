"""Does one operation again and again, and kills the process that does it at its first, second, third … step.

A step is a call that changes a file, or takes or gives back a lock. The process is killed before the step, after it,
or, if it writes, in the middle of it. Run as a program, `python -m tests.crash.steps FOLDER OPERATION MANNER` leaves
one folder per step, with `acknowledged` beside the control plane if the operation returned, and prints how many steps
there were.
"""

from __future__ import annotations

import fcntl
import os
import posix
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.store.ground import ANN, BOB, Site

if TYPE_CHECKING:
    from collections.abc import Callable

WRITES = ("write", "pwrite")
STEPS = (*WRITES, "fdatasync", "fsync", "ftruncate", "replace", "fchmod", "mkdir")
MANNERS = ("before", "after", "half")
OPERATIONS = ("first", "acquire", "takeover", "renew", "release")
LIMIT = 200


def main(folder: Path, operation: str, manner: str) -> int:
    """Kill at step 1, 2, 3 … until the operation gets through."""
    for step in range(1, LIMIT):
        place = folder / f"{step:03d}"
        place.mkdir()
        child = os.fork()
        if not child:
            _live_and_die(place, operation, manner, step)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0, status
            return step
        assert os.WTERMSIG(status) == signal.SIGKILL, status
    raise AssertionError(f"{LIMIT} steps and no end")


def _live_and_die(place: Path, operation: str, manner: str, step: int) -> None:
    code = 1
    try:
        act = prepared(Site(place), operation)
        _arm(step, manner)
        lease = act()
        _disarm()
        (place / "acknowledged").write_text(lease)
        code = 0
    finally:
        os._exit(code)


def prepared(site: Site, operation: str) -> Callable[[], str]:
    """The operation, ready to be done by a writer that is already at work."""
    if operation == "first":
        return lambda: site.take("subject")
    site.take("other", BOB)
    if operation == "acquire":
        return lambda: site.take("subject")
    lease = site.take("subject", ttl_ms=1000)
    if operation == "takeover":
        site.machine.pass_ms(1001)
        return lambda: site.take("subject", BOB)
    site.machine.pass_ms(10)
    if operation == "renew":
        return lambda: (site.renew(lease, ANN), lease)[1]
    return lambda: (site.release(lease, ANN), lease)[1]


_real: dict[str, Any] = {name: getattr(posix, name) for name in STEPS}
_real_flock = fcntl.flock
_armed = [0, 0]


def _arm(step: int, manner: str) -> None:
    """From now on count the steps, and die at the given one."""
    _armed[:] = [1, 0]

    def counted(name: str, act: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> object:
            _armed[1] += _armed[0]
            if _armed[1] != step or not _armed[0]:
                return act(*args, **named)
            if manner == "after":
                act(*args, **named)
            elif manner == "half" and name in WRITES:
                act(args[0], args[1][: len(args[1]) // 2], *args[2:])
            os.kill(os.getpid(), signal.SIGKILL)
            raise AssertionError("survived")

        return call

    for name, act in _real.items():
        setattr(posix, name, counted(name, act))
    fcntl.flock = counted("flock", _real_flock)


def _disarm() -> None:
    _armed[0] = 0


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))  # noqa: T201
