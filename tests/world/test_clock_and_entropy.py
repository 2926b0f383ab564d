from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from jit.kernel.ids import is_ulid
from jit.world import clock, clock_darwin
from jit.world.clock import SystemClock
from jit.world.entropy import SystemEntropy


def test_an_instant_has_all_three_readings() -> None:
    now = SystemClock(wall_ns=lambda: 7_900_000, boot_ns=lambda: 3_100_000, boot=lambda: "b").now()
    assert (now.wall_ms, now.boot_ms, now.boot_id) == (7, 3, "b")


@pytest.mark.skipif(sys.platform != "linux", reason="reads the Linux kernel's files")
def test_two_processes_of_one_machine_share_the_boot_clock_and_the_boot_id() -> None:
    code = "from jit.world.clock import SystemClock as C; n = C().now(); print(n.boot_ms, n.boot_id)"
    mine = SystemClock()
    before = mine.now()
    text = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60).stdout
    after = mine.now()
    boot_ms, boot_id = text.split()
    assert before.boot_ms <= int(boot_ms) <= after.boot_ms
    assert boot_id == before.boot_id == Path(clock.BOOT_ID_FILE).read_text("ascii").strip()


def test_the_wall_clock_does_not_move_the_boot_clock() -> None:
    wall = iter([10_000_000_000, -90_000_000_000])
    boot = iter([1_000_000, 2_000_000])
    source = SystemClock(wall_ns=lambda: next(wall), boot_ns=lambda: next(boot), boot=lambda: "b")
    first, second = source.now(), source.now()
    assert second.wall_ms < first.wall_ms
    assert second.boot_ms - first.boot_ms == 1


def test_without_a_boot_id_two_clocks_do_not_claim_the_same_boot() -> None:
    ticks = iter(range(100))
    one, other = (SystemClock(boot_ns=lambda: next(ticks), boot=lambda: "") for _ in range(2))
    assert one.now().boot_id
    assert one.now().boot_id != other.now().boot_id


def test_a_missing_boot_id_file_gives_no_name(tmp_path: Path) -> None:
    assert clock.read_boot_id(str(tmp_path / "none")) == ""


def test_the_boot_id_file_is_read_without_its_line_end(tmp_path: Path) -> None:
    (tmp_path / "boot_id").write_text("abc\n", "ascii")
    assert clock.read_boot_id(str(tmp_path / "boot_id")) == "abc"


def test_on_macos_the_boot_is_named_by_a_sysctl() -> None:
    asked: list[str] = []

    def sysctl(name: str) -> str:
        asked.append(name)
        return "6F3A-9C\n"

    assert clock_darwin.boot_id(sysctl) == "6f3a-9c"
    assert asked == ["kern.bootsessionuuid"]


@pytest.mark.skipif(not hasattr(time, "CLOCK_MONOTONIC_RAW"), reason="no such clock here")
def test_on_macos_the_boot_clock_only_grows() -> None:
    first = clock_darwin.boot_ns()
    assert 0 < first <= clock_darwin.boot_ns()


@pytest.mark.skipif(sys.platform == "darwin", reason="here the sysctl exists")
def test_a_system_without_that_sysctl_gives_no_name() -> None:
    assert clock_darwin.read_sysctl("kern.bootsessionuuid") == ""


def test_new_ids_are_distinct_and_begin_with_their_time() -> None:
    made = [SystemEntropy().ulid(1_767_441_600_000) for _ in range(500)]
    assert len(set(made)) == 500
    assert all(is_ulid(name) for name in made)
    assert len({name[:10] for name in made}) == 1
