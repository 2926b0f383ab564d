"""The processes of macOS, from its headers; not yet run there.

`proc_pidinfo` with `PROC_PIDTBSDINFO` fills a `struct proc_bsdinfo`: state, parent, the program's name, and the start
time in seconds and microseconds. There are no pid namespaces, so one constant stands for all of them.
"""

from __future__ import annotations

import os

from jit.world.clock import boot_id
from jit.world.process import Machine, Seen, probe_pid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

NAMESPACE = "darwin"
BSDINFO_FORMAT = "=12I16s32s5Ii2Q"
BSDINFO_SIZE = 136
_PIDTBSDINFO = 3
_FIND_ZOMBIES = 1
_ZOMBIE = 5


def machine(
    ask_info: Callable[[int], bytes] | None = None,
    ask_host: Callable[[], str] | None = None,
    *,
    boot: str | None = None,
) -> Machine:
    ask = ask_info or read_bsdinfo
    host = (ask_host or read_host_uuid)() or os.uname().nodename
    return Machine(host, boot_id() if boot is None else boot, NAMESPACE, lambda pid: parse_bsdinfo(ask(pid)), probe_pid)


def parse_bsdinfo(raw: bytes) -> Seen | None:
    """A `struct proc_bsdinfo` as a process seen; nothing if the kernel gave none."""
    if len(raw) != BSDINFO_SIZE:
        return None
    import struct

    fields = struct.unpack(BSDINFO_FORMAT, raw)
    status, parent, seconds, microseconds = fields[1], fields[4], fields[-2], fields[-1]
    program = fields[12].partition(b"\0")[0].decode("utf-8", "replace")
    return Seen(parent, seconds * 1_000_000 + microseconds, status == _ZOMBIE, program)


def read_bsdinfo(pid: int) -> bytes:
    import ctypes

    call = getattr(ctypes.CDLL(None), "proc_pidinfo", None)
    if call is None:
        return b""
    buffer = ctypes.create_string_buffer(BSDINFO_SIZE)
    filled = call(pid, _PIDTBSDINFO, ctypes.c_uint64(_FIND_ZOMBIES), buffer, BSDINFO_SIZE)
    return buffer.raw[: max(0, filled)]


def read_host_uuid() -> str:
    """The hardware's UUID, from gethostuuid(2)."""
    import ctypes

    call = getattr(ctypes.CDLL(None), "gethostuuid", None)
    if call is None:
        return ""
    buffer = ctypes.create_string_buffer(16)
    no_wait = (ctypes.c_long * 2)(0, 0)
    return "" if call(buffer, no_wait) else buffer.raw.hex()
