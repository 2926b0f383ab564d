"""A write that was cut off at any byte is dropped, alone, and the next record begins on a line of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.store.checker import read_log
from tests.store.ground import BOB, Site
from tests.traceability import covers

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.contract


def history(folder: Path) -> tuple[Site, bytes, bytes]:
    """A log that ends with a batch of two lines: what stands before that batch, and all of it."""
    site = Site(folder)
    site.take("kept")
    site.take("other", ttl_ms=1000)
    site.machine.pass_ms(1001)
    before = site.log.read_bytes()
    site.take("other", BOB)
    site.close()
    return site, before, site.log.read_bytes()


def leave(site: Site, data: bytes, *, caches: bool) -> Site:
    """The log as a crash left it, seen by a process that comes later."""
    site.log.write_bytes(data)
    if not caches:
        site.index.unlink(missing_ok=True)
        site.table.unlink(missing_ok=True)
    return site.anew()


@pytest.mark.parametrize("caches", [True, False], ids=["with caches", "without caches"])
@covers("L:11", "002:inv4")
def test_a_batch_cut_at_any_byte_is_dropped_alone(tmp_path: Path, caches: bool) -> None:  # noqa: FBT001
    site, before, whole = history(tmp_path)
    for cut in range(len(before), len(whole)):
        later = leave(site, whole[:cut], caches=caches)
        assert [len(x.batch.events) for x in later.store.read()] == [1, 1], cut
        assert later.store.snapshot().sequence == 2, cut
        outcome = later.claim("new", BOB)
        assert outcome.sequence == 3, cut
        assert site.log.read_bytes().startswith(before), cut
        state = read_log(site.log)
        assert state.sequence == 3, cut
        assert set(state.holders()) == {"issue:kept", "issue:other", "issue:new"}, cut
        later.close()


@covers("L:11")
def test_a_long_log_that_is_cut_loses_only_its_last_batch(tmp_path: Path) -> None:
    site = Site(tmp_path)
    for number in range(150):
        site.take(f"i{number}", ttl_ms=1000)
    site.machine.pass_ms(1001)
    before = site.log.read_bytes()
    site.take("i0", BOB)
    whole = site.log.read_bytes()
    site.close()
    for cut in range(len(before), len(whole), 97):
        later = leave(site, whole[:cut], caches=False)
        assert later.store.snapshot().sequence == 150, cut
        later.take("new", BOB)
        assert site.log.read_bytes()[: len(before)] == before, cut
        assert len(read_log(site.log).active) == 151, cut
        later.close()


@covers("L:11")
def test_the_only_line_cut_at_any_byte_leaves_an_empty_log_that_works(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.take("one")
    site.close()
    whole = site.log.read_bytes()
    for cut in range(len(whole)):
        later = leave(site, whole[:cut], caches=bool(cut % 2))
        assert later.store.snapshot().sequence == 0, cut
        lease = later.take("two", BOB)
        assert set(read_log(site.log).active) == {lease}, cut
        later.close()


@covers("L:11")
def test_a_writer_that_stayed_open_also_drops_what_another_left_unfinished(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.take("one")
    with site.log.open("ab") as file:
        file.write(b'{"schema_version":1,"sequence":2,"event_ty')
    assert site.store.snapshot().sequence == 1
    site.take("two")
    assert set(read_log(site.log).holders()) == {"issue:one", "issue:two"}
    site.close()


def test_a_reader_leaves_the_torn_tail_where_it_is(tmp_path: Path) -> None:
    site, _, whole = history(tmp_path)
    later = leave(site, whole[:-7], caches=False)
    later.store.snapshot()
    list(later.store.read())
    assert site.log.read_bytes() == whole[:-7]


def test_what_was_cut_off_is_not_found_by_its_batch_id(tmp_path: Path) -> None:
    site, before, whole = history(tmp_path)
    batch = list(site.anew().store.read())[-1].batch.batch_id
    later = leave(site, whole[: len(before) + 20], caches=True)
    assert not later.store.resolve(batch)
    later.close()
