"""A full disk, a place that cannot be written, something else in place of a file: a clear error; nothing changes."""

from __future__ import annotations

import errno
import os
import resource
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from jit.errors import Unavailable
from jit.store import durable
from tests.store.checker import read_log
from tests.store.ground import BOB, Site
from tests.store.unprivileged import common_ground, unprivileged

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.contract


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file may grow beyond `size`: writes that reach the border are short, the next one fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def large(folder: Path) -> Site:
    """A log that is longer than any other file of the control plane."""
    site = Site(folder)
    for number in range(80):
        site.release(site.take(f"i{number}"))
    assert site.log.stat().st_size > site.table.stat().st_size
    return site


@pytest.mark.parametrize("left", [0, 1, 300])
def test_without_room_for_the_record_nothing_is_changed_and_later_it_works(tmp_path: Path, left: int) -> None:
    site = large(tmp_path)
    held, log = site.take("kept"), site.log.read_bytes()
    with room_for(len(log) + left):
        with pytest.raises(Unavailable, match="nothing was changed") as caught:
            site.claim("new")
        assert site.log.read_bytes() == log
        assert site.held() == {held}
    assert (caught.value.exit_code, caught.value.details["errno"]) == (20, "EFBIG")
    site.take("new")
    assert len(read_log(site.log).active) == 2
    site.close()


@pytest.mark.parametrize("left", [0, 1, 300])
def test_a_process_that_meets_the_full_disk_first_changes_nothing_either(tmp_path: Path, left: int) -> None:
    site = large(tmp_path)
    site.close()
    log = site.log.read_bytes()
    later = site.anew()
    with room_for(len(log) + left), pytest.raises(Unavailable):
        later.claim("new")
    assert site.log.read_bytes() == log
    later.take("new")
    later.close()


def test_a_cache_that_cannot_be_written_does_not_turn_success_into_failure(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.take("first")
    with room_for(8_000):  # enough for the log, too little for table and index
        lease = site.take("second")
    assert lease in read_log(site.log).active
    assert type(site.claim("second", BOB).answer).__name__ == "Denied"
    site.close()
    assert site.anew().held() == set(read_log(site.log).active)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "quota"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "permission denied"),
        (errno.EISDIR, "directory in place"),
        (errno.ENOTDIR, "file in place"),
        (errno.EIO, "input/output error"),
    ],
)
def test_every_fault_of_the_system_is_told_in_words_with_a_way_out(number: int, words: str) -> None:
    told = durable.fault("claims.jsonl", OSError(number, os.strerror(number)))
    assert words in told.message
    assert "claims.jsonl" in told.message
    assert told.hint


@pytest.mark.parametrize("name", ["claims.jsonl", "locks/claims.lock"])
def test_a_directory_in_place_of_a_file_is_told_and_left_alone(tmp_path: Path, name: str) -> None:
    site = Site(tmp_path)
    (site.folder / name).mkdir(parents=True)
    with pytest.raises(Unavailable, match="directory in place of the file"):
        site.claim("a")
    assert (site.folder / name).is_dir()
    assert list((site.folder / name).iterdir()) == []


def test_a_directory_in_place_of_the_log_is_told_to_readers(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.log.mkdir(parents=True)
    with pytest.raises(Unavailable, match="directory in place of the file"):
        site.store.snapshot()
    with pytest.raises(Unavailable, match="directory in place of the file"):
        list(site.store.read())


def test_a_file_in_place_of_the_control_plane_is_told(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.folder.write_text("mine")
    with pytest.raises(Unavailable, match="file in place of a directory"):
        site.claim("a")
    assert site.folder.read_text() == "mine"


def test_a_place_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    with unprivileged(), common_ground() as folder:
        folder.chmod(0o500)
        with pytest.raises(Unavailable, match="permission denied") as caught:
            Site(folder).claim("a")
        assert os.listdir(folder) == []
    assert "ls -ld" in caught.value.hint


def test_a_log_that_may_not_be_written_is_told_and_still_read(tmp_path: Path) -> None:
    with unprivileged(), common_ground() as folder:
        site = Site(folder)
        lease = site.take("a")
        site.close()
        log = site.log.read_bytes()
        site.log.chmod(0o400)
        with pytest.raises(Unavailable, match="permission denied"):
            site.anew().claim("b")
        assert site.log.read_bytes() == log
        assert site.anew().held() == {lease}


def test_a_log_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    with unprivileged(), common_ground() as folder:
        site = Site(folder)
        site.take("a")
        site.close()
        site.log.chmod(0o000)
        with pytest.raises(Unavailable, match="permission denied"):
            site.anew().store.snapshot()
        with pytest.raises(Unavailable, match="permission denied"):
            list(site.anew().store.read())


def test_a_checkout_that_may_only_be_read_is_read(tmp_path: Path) -> None:
    with unprivileged(), common_ground() as folder:
        site = Site(folder)
        lease = site.take("a")
        site.close()
        for path in [*site.folder.rglob("*"), site.folder]:
            path.chmod(0o500 if path.is_dir() else 0o400)
        later = site.anew()
        assert later.held() == {lease}
        assert len(list(later.store.read())) == 1
        site.folder.chmod(0o700)
        site.table.unlink()
        site.index.unlink()
        site.folder.chmod(0o500)
        assert site.anew().held() == {lease}
