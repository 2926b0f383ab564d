"""The machine's clocks, read as one `Instant`.

The wall clock is for people and for comparing across reboots; the boot-time clock counts through sleep, is the same for
every process and cannot be set. The boot id says which boot a reading belongs to. Where the system has no boot id, each
process invents its own: readings of different processes are then compared by the wall clock, which is the honest rest.
"""

from __future__ import annotations

import posix
import sys
import time

from jit.disk import read_file
from jit.kernel.instant import Instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id"


class SystemClock:
    """Reads the clocks of this machine; the boot id is asked for once."""

    def __init__(
        self,
        *,
        wall_ns: Callable[[], int] = time.time_ns,
        boot_ns: Callable[[], int] | None = None,
        boot: Callable[[], str] | None = None,
    ) -> None:
        self._wall_ns = wall_ns
        self._boot_ns = boot_ns or _boot_clock()
        self._boot_id = (boot or boot_id)() or f"process-{posix.getpid()}-{self._boot_ns()}"

    def now(self) -> Instant:
        return Instant(self._wall_ns() // 1_000_000, self._boot_ns() // 1_000_000, self._boot_id)


def boot_id() -> str:
    """The name of this boot, or nothing where the system gives it none."""
    if not _known:
        _known.append(_ask_boot_id())
    return _known[0]


def read_boot_id(path: str = BOOT_ID_FILE) -> str:
    try:
        return read_file(path, 128).decode("ascii", "replace").strip()
    except OSError:
        return ""


_known: list[str] = []


def _ask_boot_id() -> str:
    if sys.platform == "darwin":
        from jit.world import clock_darwin

        return clock_darwin.boot_id()
    return read_boot_id()


def _boot_clock() -> Callable[[], int]:
    if sys.platform == "darwin":
        from jit.world import clock_darwin

        return clock_darwin.boot_ns
    return _boot_ns


def _boot_ns() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)
