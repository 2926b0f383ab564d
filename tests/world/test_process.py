from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from jit.kernel.lease import ProcessRef
from jit.kernel.record import replace
from jit.world import process, process_darwin
from jit.world.process import Machine, Seen, describe, linux_machine, liveness, me, parents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
WAIT_FOR_INPUT = "import sys; sys.stdin.read()"


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", WAIT_FOR_INPUT], stdin=subprocess.PIPE) as started:
        yield started
        started.kill()


def ref_of(pid: int) -> ProcessRef:
    found = describe(pid)
    assert found is not None
    return found


@on_linux
class TestRealProcesses:
    def test_this_process_is_alive(self) -> None:
        assert me().pid == os.getpid()
        assert liveness(me()) == "alive"

    def test_a_running_child_is_alive(self, child: subprocess.Popen[bytes]) -> None:
        assert liveness(ref_of(child.pid)) == "alive"

    def test_a_killed_child_that_nobody_waited_for_is_dead(self, child: subprocess.Popen[bytes]) -> None:
        ref = ref_of(child.pid)
        os.kill(child.pid, signal.SIGKILL)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert liveness(ref) == "dead"
        assert describe(child.pid) is None

    def test_a_child_that_is_gone_is_dead(self, child: subprocess.Popen[bytes]) -> None:
        ref = ref_of(child.pid)
        child.kill()
        child.wait(60)
        assert liveness(ref) == "dead"

    def test_a_reused_pid_is_not_the_process_that_had_it(self, child: subprocess.Popen[bytes]) -> None:
        assert liveness(replace(ref_of(child.pid), start=ref_of(child.pid).start - 1)) == "dead"

    def test_a_process_of_an_earlier_boot_is_dead(self) -> None:
        assert liveness(replace(me(), boot_id="an-earlier-boot")) == "dead"

    def test_another_host_is_unknown(self) -> None:
        assert liveness(replace(me(), host="elsewhere")) == "unknown"

    def test_another_pid_namespace_is_unknown_even_for_an_absent_pid(self) -> None:
        assert liveness(replace(me(), namespace="pid:[1]", pid=2**22 + 5)) == "unknown"

    def test_an_orphan_stays_the_same_process(self) -> None:
        code = (
            "import subprocess, sys\n"
            f"p = subprocess.Popen([sys.executable, '-c', {WAIT_FOR_INPUT!r}], stdout=subprocess.DEVNULL)\n"
            "print(p.pid, flush=True); sys.stdin.readline()"
        )
        hold, release = os.pipe()
        with subprocess.Popen([sys.executable, "-c", code], stdin=hold, stdout=subprocess.PIPE, text=True) as parent:
            assert parent.stdout is not None
            ref = ref_of(int(parent.stdout.readline()))
            assert next(parents(ref.pid)) == parent.pid
            parent.kill()
        try:
            assert liveness(ref) == "alive"
            assert parent.pid not in parents(ref.pid)
        finally:
            os.kill(ref.pid, signal.SIGKILL)
            os.close(hold)
            os.close(release)

    def test_the_ancestors_of_a_child_begin_with_this_process(self, child: subprocess.Popen[bytes]) -> None:
        line = list(parents(child.pid))
        assert line[:2] == [os.getpid(), os.getppid()]
        assert len(line) == len(set(line))

    def test_a_process_whose_first_thread_ended_is_alive(self) -> None:
        code = (
            "import ctypes, threading, sys\n"
            "def state(): return open('/proc/self/stat').read().rpartition(')')[2].split()[0]\n"
            "def rest():\n"
            "    while state() != 'Z': pass\n"
            "    print('first thread ended', flush=True); sys.stdin.read()\n"
            "threading.Thread(target=rest).start()\n"
            "ctypes.CDLL(None).syscall(60, 0)\n"
        )
        if os.uname().machine != "x86_64":
            pytest.skip("the number of the exit call is that of x86_64")
        with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
            assert started.stdout is not None
            assert started.stdout.readline() == b"first thread ended\n"
            ref = ref_of(started.pid)
            assert liveness(ref) == "alive"
            started.kill()

    def test_a_pid_that_cannot_be_is_absent(self) -> None:
        assert process.probe_pid(2**22 + 5) == "absent"
        assert process.probe_pid(0) == "absent"


def stat_line(pid: int, name: str, *, state: str = "S", parent: int = 1, start: int = 100) -> str:
    """A /proc/PID/stat with 52 fields, of which only four matter here."""
    fields = [state, str(parent)] + ["0"] * 17 + [str(start)] + ["0"] * 30
    return f"{pid} ({name}) {' '.join(fields)}\n"


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    root = tmp_path / "proc"
    own = root / str(os.getpid())
    (own / "ns").mkdir(parents=True)
    (own / "ns" / "pid").symlink_to("pid:[77]")
    (own / "stat").write_text(stat_line(os.getpid(), "python", parent=5, start=50), "ascii")
    (root / "self").symlink_to(str(os.getpid()))
    (root / "sys/kernel/random").mkdir(parents=True)
    (root / "sys/kernel/random/boot_id").write_text("boot-a\n", "ascii")
    return root


def add(proc: Path, pid: int, line: str) -> None:
    (proc / str(pid)).mkdir(parents=True)
    (proc / str(pid) / "stat").write_text(line, "ascii")


def answering(answer: process.Probe) -> Callable[[int], process.Probe]:
    return lambda _: answer


class TestInventedProcesses:
    def test_a_command_name_may_hold_spaces_parentheses_and_digits(self, proc: Path) -> None:
        add(proc, 9, stat_line(9, "a) R 7 (b 1) (", start=4242, parent=3))
        assert linux_machine(str(proc), host="h").look(9) == Seen(
            parent=3, start=4242, ended=False, program="a) R 7 (b 1) ("
        )

    def test_this_process_is_described_in_full(self, proc: Path) -> None:
        here = linux_machine(str(proc), host="h")
        assert me(here) == ProcessRef("h", "boot-a", os.getpid(), 50, "pid:[77]")

    def test_hidden_processes_that_refuse_a_signal_are_alive(self, proc: Path) -> None:
        here = linux_machine(str(proc), host="h", probe=answering("refused"))
        assert liveness(ProcessRef("h", "boot-a", 9, 1, "pid:[77]"), here) == "alive"

    def test_hidden_processes_that_accept_a_signal_are_unknown(self, proc: Path) -> None:
        here = linux_machine(str(proc), host="h", probe=answering("exists"))
        assert liveness(ProcessRef("h", "boot-a", 9, 1, "pid:[77]"), here) == "unknown"

    def test_a_pid_that_nobody_has_is_dead(self, proc: Path) -> None:
        here = linux_machine(str(proc), host="h", probe=answering("absent"))
        assert liveness(ProcessRef("h", "boot-a", 9, 1, "pid:[77]"), here) == "dead"

    @pytest.mark.parametrize(("start", "expected"), [(100, "alive"), (101, "dead")])
    def test_a_process_that_appears_between_the_questions_is_compared(self, start: int, expected: str) -> None:
        answers = iter([None, Seen(1, 100, ended=False, program="p")])
        here = Machine("h", "b", "n", lambda _: next(answers), answering("exists"))
        assert liveness(ProcessRef("h", "b", 9, start, "n"), here) == expected

    def test_a_zombie_is_dead(self, proc: Path) -> None:
        add(proc, 9, stat_line(9, "z", state="Z"))
        here = linux_machine(str(proc), host="h", probe=answering("exists"))
        assert liveness(ProcessRef("h", "boot-a", 9, 100, "pid:[77]"), here) == "dead"

    def test_a_zombie_with_a_running_thread_is_alive(self, proc: Path) -> None:
        add(proc, 9, stat_line(9, "z", state="Z"))
        for thread, state in ((9, "Z"), (10, "S")):
            add(proc / "9/task", thread, stat_line(thread, "z", state=state))
        here = linux_machine(str(proc), host="h", probe=answering("exists"))
        assert liveness(ProcessRef("h", "boot-a", 9, 100, "pid:[77]"), here) == "alive"

    def test_a_proc_of_another_namespace_proves_nothing(self, proc: Path) -> None:
        (proc / "self").unlink()
        (proc / "self").symlink_to("1")
        here = linux_machine(str(proc), host="h", probe=answering("absent"))
        assert here.namespace == ""
        assert liveness(ProcessRef("h", "boot-a", 9, 1, "pid:[77]"), here) == "unknown"
        assert liveness(ProcessRef("h", "boot-a", 9, 1, ""), here) == "unknown"

    def test_without_a_proc_nothing_is_known(self, tmp_path: Path) -> None:
        here = linux_machine(str(tmp_path / "none"), host="h", probe=answering("absent"))
        assert liveness(ProcessRef("h", "", 9, 1, "pid:[77]"), here) == "unknown"
        assert liveness(me(here), here) == "unknown"

    def test_a_missing_boot_id_alone_does_not_prove_death(self, proc: Path) -> None:
        add(proc, 9, stat_line(9, "p"))
        here = linux_machine(str(proc), host="h")
        assert liveness(ProcessRef("h", "", 9, 100, "pid:[77]"), here) == "alive"

    def test_a_half_written_stat_is_as_good_as_none(self, proc: Path) -> None:
        add(proc, 9, "9 (p) S 1 2")
        here = linux_machine(str(proc), host="h", probe=answering("exists"))
        assert liveness(ProcessRef("h", "boot-a", 9, 100, "pid:[77]"), here) == "unknown"

    def test_ancestors_end_where_a_loop_begins(self, proc: Path) -> None:
        add(proc, 2, stat_line(2, "a", parent=3))
        add(proc, 3, stat_line(3, "b", parent=4))
        add(proc, 4, stat_line(4, "c", parent=3))
        assert list(parents(2, linux_machine(str(proc), host="h"))) == [3, 4]


@pytest.mark.parametrize(("text", "expected"), [("abc\n", "abc"), ("\n", None), ("uninitialized\n", None)])
def test_a_host_without_a_machine_id_is_known_by_its_name(tmp_path: Path, text: str, expected: str | None) -> None:
    (tmp_path / "machine-id").write_text(text, "ascii")
    assert process.host_id(str(tmp_path / "machine-id")) == (expected or os.uname().nodename)


class TestMacProcesses:
    """Through a stand-in for libproc: `struct proc_bsdinfo` as its header lays it out."""

    @staticmethod
    def info(*, status: int, parent: int, seconds: int, microseconds: int) -> bytes:
        head = struct.pack("=12I", 0, status, 0, 9, parent, 0, 0, 0, 0, 0, 0, 0)
        return (
            head
            + b"zsh".ljust(16, b"\0")
            + b"/bin/zsh".ljust(32, b"\0")
            + struct.pack("=5Ii", 0, 0, 0, 0, 0, 0)
            + struct.pack("=2Q", seconds, microseconds)
        )

    def machine(self, raw: bytes) -> Machine:
        return process_darwin.machine(lambda _: raw, lambda: "mac", boot="b")

    def test_a_running_process_is_alive(self) -> None:
        here = self.machine(self.info(status=2, parent=7, seconds=12, microseconds=34))
        assert here.look(9) == Seen(7, 12_000_034, ended=False, program="zsh")
        assert liveness(ProcessRef("mac", "b", 9, 12_000_034, "darwin"), here) == "alive"
        assert liveness(ProcessRef("mac", "b", 9, 12_000_033, "darwin"), here) == "dead"

    def test_a_zombie_is_dead(self) -> None:
        here = self.machine(self.info(status=5, parent=7, seconds=12, microseconds=34))
        assert liveness(ProcessRef("mac", "b", 9, 12_000_034, "darwin"), here) == "dead"

    def test_an_answer_of_another_size_is_no_answer(self) -> None:
        assert self.machine(b"").look(9) is None

    @pytest.mark.skipif(sys.platform == "darwin", reason="here the calls exist")
    def test_elsewhere_the_calls_answer_nothing(self) -> None:
        assert process_darwin.read_bsdinfo(os.getpid()) == b""
        assert process_darwin.read_host_uuid() == ""
