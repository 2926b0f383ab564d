"""Readers take no lock and make nothing; writers wait for a lock that is never thrown away."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from jit.errors import LockTimeout
from jit.store.archive import archive
from jit.store.jsonl import JsonlStore, Options
from tests.store.checker import read_log
from tests.store.ground import BOB, Site
from tests.traceability import covers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.contract

HOLD = """
import fcntl, os, sys
for path in sys.argv[1:]:
    fcntl.flock(os.open(path, os.O_RDWR), fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held_by_another_process(*paths: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", HOLD, *map(str, paths)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        try:
            yield child
        finally:
            child.kill()


def locks(site: Site) -> list[Path]:
    return sorted((site.folder / "locks").iterdir())


def listing(folder: Path) -> list[tuple[str, int, int]]:
    return sorted((str(path), path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.rglob("*"))


def test_readers_answer_while_another_process_holds_every_lock(site: Site) -> None:
    lease = site.take("a")
    with held_by_another_process(*locks(site)):
        later = site.anew()
        assert later.held() == {lease}
        assert len(list(later.store.read())) == 1
        site.table.unlink()
        assert site.anew().held() == {lease}


def test_readers_make_nothing_and_change_nothing(site: Site) -> None:
    site.take("a")
    archive(site.store, site.machine.now())
    site.take("b")
    site.close()
    before = listing(site.folder)
    later = site.anew()
    later.store.snapshot()
    list(later.store.read())
    later.close()
    assert listing(site.folder) == before


@covers("002:mig.2")
def test_readers_of_a_control_plane_that_does_not_exist_see_nothing_and_make_nothing(tmp_path: Path) -> None:
    site = Site(tmp_path)
    assert site.held() == set()
    assert list(site.store.read()) == []
    assert os.listdir(tmp_path) == []


@covers("002:lock.metadata", "002:lock.exclusive")
def test_a_writer_that_waits_too_long_is_told_who_has_the_lock(tmp_path: Path) -> None:
    first = Site(tmp_path)
    first.store = JsonlStore(first.plane, first.machine, Options(note="pid 4711 agent:first since"))
    with first.store.exclusive():
        pass
    log = first.log.read_bytes()
    waiting = Site(tmp_path, wait_ms=30)
    with (
        first.store.exclusive(),
        pytest.raises(LockTimeout, match=r"pid 4711 agent:first since 2026-01-03T12") as caught,
    ):
        waiting.claim("a", BOB)
    assert caught.value.exit_code == 22
    assert first.log.read_bytes() == log
    waiting.take("a", BOB)
    first.store.close()
    waiting.close()


@covers("002:lock.crash", "002:recovery.locks", "002:lock.old")
def test_a_lock_is_kept_while_its_holder_lives_and_gone_when_it_is_killed(site: Site) -> None:
    site.take("a")
    waiting = Site(site.folder.parent, wait_ms=30)
    with held_by_another_process(site.folder / "locks/claims.lock") as child:
        with pytest.raises(LockTimeout):
            waiting.claim("b")
        child.kill()
        child.wait(30)
        patient = site.anew()
        patient.take("b")
        patient.close()
    waiting.close()


def test_the_words_in_the_lock_file_decide_nothing(site: Site) -> None:
    site.take("a")
    (site.folder / "locks/claims.lock").write_bytes(b"pid 1 agent:liar since the beginning of time\n" * 9)
    site.take("b")
    assert len(read_log(site.log).active) == 2


def test_the_lock_files_are_never_replaced(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.take("a")
    before = {path.name: path.stat().st_ino for path in locks(site)}
    assert "claims.lock" in before
    for number in range(5):
        later = site.anew()
        later.take(f"i{number}")
        archive(later.store, later.machine.now())
        later.close()
        site.table.unlink(missing_ok=True)
    with site.store.exclusive(), pytest.raises(LockTimeout):
        Site(tmp_path, wait_ms=1).claim("x")
    site.close()
    assert {path.name: path.stat().st_ino for path in locks(site)} == before


@covers("002:lock.exclusive")
def test_while_a_writer_decides_nobody_else_has_the_lock(site: Site) -> None:
    with site.store.exclusive():
        fd = os.open(site.folder / "locks/claims.lock", os.O_RDWR)
        with pytest.raises(BlockingIOError):
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(fd)
