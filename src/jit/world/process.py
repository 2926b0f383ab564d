"""Which process is this, and is that one still there?

A pid is reused; a pid with its start time, its boot and its host is not. Liveness has three values. *dead* is said
only when proven: on this host and in this pid namespace there was another boot, or there is no such pid, or the pid
started at another time, or only its exit status is left. *alive* means that very process was seen, or the kernel
refused a signal to its pid, which it only does for a process that exists. Everything else (another host, another pid
namespace, a /proc that cannot be read) is *unknown*, and unknown never takes a lease away.

What differs between systems is one `Machine`: how a process is looked up and how it is probed.
"""

from __future__ import annotations

import posix
import sys

from jit.disk import read_file
from jit.kernel.instant import Instant
from jit.kernel.lease import ProcessRef
from jit.kernel.record import Record
from jit.world.clock import boot_id, read_boot_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Literal, TypeAlias

    from jit.kernel.policy import Liveness

    Probe: TypeAlias = Literal["exists", "refused", "absent"]


TICKS = 100  # in which Linux tells start times to programs, on every architecture that Python runs on


class Seen(Record):
    """What the system tells about a process that it knows."""

    parent: int
    start: int
    ended: bool
    program: str


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


def began_at(ref: ProcessRef, now: Instant) -> Instant:
    """When a process of this boot began. Linux counts from the boot, macOS by the wall clock."""
    is_wall = sys.platform == "darwin"
    age_ms = now.wall_ms - ref.start // 1000 if is_wall else now.boot_ms - ref.start * 1000 // TICKS
    return Instant(now.wall_ms - age_ms, now.boot_ms - age_ms, now.boot_id)


def describe(pid: int, machine: Machine | None = None) -> ProcessRef | None:
    """A running process, or nothing if it has ended or cannot be seen."""
    here = machine or this_machine()
    return refer(pid, here.look(pid), here)


def refer(pid: int, seen: Seen | None, machine: Machine | None = None) -> ProcessRef | None:
    """The name that a process keeps, from what was just seen of it."""
    if seen is None or seen.ended:
        return None
    here = machine or this_machine()
    return ProcessRef(here.host, here.boot_id, pid, seen.start, here.namespace)


def parents(pid: int, machine: Machine | None = None) -> Iterator[int]:
    """The ancestors of a process, nearest first, as far as they can be seen; each is looked at when it is asked for."""
    here = machine or this_machine()
    seen = here.look(pid)
    if seen is not None:
        yield from (found for found, _ in upwards(seen.parent, here))


def upwards(pid: int, machine: Machine | None = None) -> Iterator[tuple[int, Seen | None]]:
    """A process and its ancestors with what can be seen of them; the last one may be out of sight."""
    here = machine or this_machine()
    met: set[int] = set()
    while pid > 0 and pid not in met:
        met.add(pid)
        seen = here.look(pid)
        yield pid, seen
        pid = seen.parent if seen is not None else 0


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
        text = read_file(path, 128).decode("ascii", "replace").strip()
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
    found = _stat(f"{proc}/{pid}/stat")
    if found is None:
        return None
    program, fields = found
    ended = fields[0] in (b"Z", b"X", b"x") and not _has_running_thread(f"{proc}/{pid}/task", pid)
    return Seen(int(fields[1]), int(fields[19]), ended, program.decode("utf-8", "replace"))


def _stat(path: str) -> tuple[bytes, list[bytes]] | None:
    """The program's name, which may hold any character, and the fields behind it, from the state on."""
    try:
        text = read_file(path)
    except (FileNotFoundError, ProcessLookupError, PermissionError, NotADirectoryError):
        return None
    end = text.rfind(b")")
    fields = text[end + 1 :].split()
    return (text[text.find(b"(") + 1 : end], fields) if len(fields) >= 20 else None


def _has_running_thread(tasks: str, pid: int) -> bool:
    """A process whose first thread ended looks like a zombie while its other threads go on."""
    try:
        others = [name for name in posix.listdir(tasks) if name != str(pid)]
    except OSError:
        return False
    found = [_stat(f"{tasks}/{name}/stat") for name in others]
    return any(each is not None and each[1][0] not in (b"Z", b"X", b"x") for each in found)
