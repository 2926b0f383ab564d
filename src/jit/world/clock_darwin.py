"""The clocks of macOS, from its documentation; not yet run there.

`CLOCK_MONOTONIC_RAW` counts from boot, through sleep, and nobody can set it (see clock_gettime(3)). The name of a
boot is the sysctl `kern.bootsessionuuid`.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def boot_ns() -> int:
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


def boot_id(sysctl: Callable[[str], str] | None = None) -> str:
    return (sysctl or read_sysctl)("kern.bootsessionuuid").strip().lower()


def read_sysctl(name: str) -> str:
    """The text of one sysctl, or nothing if there is none of that name."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    call = getattr(library, "sysctlbyname", None)
    if call is None:
        return ""
    buffer = ctypes.create_string_buffer(256)
    size = ctypes.c_size_t(ctypes.sizeof(buffer))
    failed = call(name.encode(), buffer, ctypes.byref(size), None, ctypes.c_size_t(0))
    return "" if failed else buffer.value.decode("ascii", "replace")
