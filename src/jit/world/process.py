"""Which process is this, and is that one still there?

A pid is reused; a pid with its start time, its boot and its host is not. Liveness has three values. *dead* is said
only when proven: on this host and in this pid namespace there was another boot, or there is no such pid, or the pid
started at another time, or only its exit status is left. *alive* means that very process was seen, or the kernel
refused a signal to its pid, which it only does for a process that exists. Everything else (another host, another pid
namespace, a /proc that cannot be read) is *unknown*, and unknown never takes a lease away.

What differs between systems is one `Machine`: how a process is looked up and how it is probed.
"""

from __future__ import annotations

import errno
import posix
import sys

from jit.kernel.lease import ProcessRef
from jit.kernel.record import Record
from jit.world.clock import boot_id, read_boot_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal, TypeAlias

    from jit.kernel.policy import Liveness

    Probe: TypeAlias = Literal["exists", "refused", "absent"]


class Seen(Record):
    """What the system tells about a process that it knows."""

    parent: int
    start: int
    ended: bool


class Machine(Record):
    """This host as its processes see it. An empty namespace means that pids here cannot be trusted to mean anything."""

    host: str
    boot_id: str
    namespace: str
    look: Callable[[int], Seen | None]
    probe: Callable[[int], Probe]


def liveness(ref: ProcessRef, machine: Machine | None = None) -> Liveness:
    here = machine or this_machine()
    if ref.host != here.host or not ref.namespace or ref.namespace != here.namespace:
        return "unknown"
    if ref.boot_id and here.boot_id and ref.boot_id != here.boot_id:
        return "dead"
    return _compare(ref, here.look(ref.pid)) or _liveness_unseen(ref, here)


def _compare(ref: ProcessRef, seen: Seen | None) -> Liveness | None:
    if seen is None:
        return None
    return "alive" if seen.start == ref.start and not seen.ended else "dead"


def _liveness_unseen(ref: ProcessRef, here: Machine) -> Liveness:
    answer = here.probe(ref.pid)
    if answer == "exists":
        # The pid may have been given out between the two questions, so the first one is asked again.
        return _compare(ref, here.look(ref.pid)) or "unknown"
    return "alive" if answer == "refused" else "dead"


def me(machine: Machine | None = None) -> ProcessRef:
    """This very process."""
    here = machine or this_machine()
    pid = posix.getpid()
    seen = here.look(pid)
    return ProcessRef(here.host, here.boot_id, pid, seen.start if seen else 0, here.namespace if seen else "")


def describe(pid: int, machine: Machine | None = None) -> ProcessRef | None:
    """A running process, or nothing if it has ended or cannot be seen."""
    here = machine or this_machine()
    seen = here.look(pid)
    if seen is None or seen.ended:
        return None
    return ProcessRef(here.host, here.boot_id, pid, seen.start, here.namespace)


def parents(pid: int, machine: Machine | None = None) -> list[int]:
    """The ancestors of a process, nearest first, as far as they can be seen."""
    here = machine or this_machine()
    line: list[int] = []
    seen = here.look(pid)
    while seen is not None and seen.parent > 0 and seen.parent not in line:
        line.append(seen.parent)
        seen = here.look(seen.parent)
    return line


def this_machine() -> Machine:
    """The machine we run on, asked for once in a process."""
    if not _known:
        _known.append(_ask_machine())
    return _known[0]


def linux_machine(proc: str = "/proc", *, host: str = "", probe: Callable[[int], Probe] | None = None) -> Machine:
    """A Linux machine, seen through the proc file system mounted at `proc`."""
    boot = boot_id() if proc == "/proc" else read_boot_id(f"{proc}/sys/kernel/random/boot_id")
    return Machine(host or host_id(), boot, _namespace(proc), lambda pid: _look(proc, pid), probe or probe_pid)


def probe_pid(pid: int) -> Probe:
    """Ask the kernel for a pid without touching the process."""
    if pid <= 0:
        return "absent"
    try:
        posix.kill(pid, 0)
    except ProcessLookupError:
        return "absent"
    except PermissionError:
        return "refused"
    return "exists"


def host_id(path: str = "/etc/machine-id") -> str:
    """The machine id, or the host name where there is none."""
    try:
        with open(path, "rb") as file:
            text = file.read(128).decode("ascii", "replace").strip()
    except OSError:
        text = ""
    return text if text and text != "uninitialized" else posix.uname().nodename


_known: list[Machine] = []


def _ask_machine() -> Machine:
    if sys.platform == "darwin":
        from jit.world import process_darwin

        return process_darwin.machine()
    return linux_machine()


def _namespace(proc: str) -> str:
    """The pid namespace, or nothing if this /proc shows the processes of another one."""
    try:
        if posix.readlink(f"{proc}/self") != str(posix.getpid()):
            return ""
        return posix.readlink(f"{proc}/self/ns/pid")
    except OSError:
        return ""


def _look(proc: str, pid: int) -> Seen | None:
    fields = _stat(f"{proc}/{pid}/stat")
    if fields is None:
        return None
    ended = fields[0] in (b"Z", b"X", b"x") and not _has_running_thread(f"{proc}/{pid}/task", pid)
    return Seen(int(fields[1]), int(fields[19]), ended)


def _stat(path: str) -> list[bytes] | None:
    """The fields of a stat file from the third (the state) on; the command name before them may hold any character."""
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError as fault:
        if fault.errno in (errno.ENOENT, errno.ESRCH, errno.EACCES, errno.EPERM, errno.ENOTDIR):
            return None
        raise
    fields = text[text.rfind(b")") + 1 :].split()
    return fields if len(fields) >= 20 else None


def _has_running_thread(tasks: str, pid: int) -> bool:
    """A process whose first thread ended looks like a zombie while its other threads go on."""
    try:
        others = [name for name in posix.listdir(tasks) if name != str(pid)]
    except OSError:
        return False
    states = [_stat(f"{tasks}/{name}/stat") for name in others]
    return any(fields is not None and fields[0] not in (b"Z", b"X", b"x") for fields in states)
