"""Archiving moves history and changes no answer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jit.errors import LogCorrupt
from jit.kernel.record import replace
from jit.store.archive import archive
from tests.store.checker import read_log, read_segment
from tests.store.ground import ANN, BOB, Site
from tests.traceability import covers

if TYPE_CHECKING:
    from jit.store.api import Recorded, Snapshot

pytestmark = pytest.mark.contract


def busy(folder: Path) -> Site:
    site = Site(folder)
    for number in range(20):
        lease = site.take(f"i{number}", ANN if number % 2 else BOB)
        if number % 4 == 1:
            site.release(lease)
    site.take("endless", BOB, ttl_ms=0)
    site.claim("endless", ANN)
    return site


def look(site: Site) -> tuple[Snapshot, list[Recorded]]:
    # Carried leases stand at the checkpoint's place; all else is as it was.
    return replace(site.store.snapshot(), recorded=None), list(site.store.read())


def do_archive(site: Site) -> None:
    assert archive(site.store, site.machine.now()).segment is not None


@covers("002:seq.archive")
def test_state_sequence_and_history_are_the_same_before_and_after(tmp_path: Path) -> None:
    site = busy(tmp_path)
    before = look(site)
    size = site.log.stat().st_size
    do_archive(site)
    assert look(site) == before
    assert look(site.anew()) == before
    assert site.log.stat().st_size < size
    site.close()


@covers("002:seq.archive", "002:seq.order")
def test_appends_go_on_where_they_were_and_the_segment_has_every_record(tmp_path: Path) -> None:
    site = busy(tmp_path)
    records = read_log(site.log).records
    do_archive(site)
    lease = site.take("new", BOB)
    state = read_log(site.log)
    assert [record["sequence"] for record in state.records] == [len(records) + 1]
    assert lease in state.active
    (segment,) = (site.folder / "archive").iterdir()
    assert read_segment(segment) == records
    site.close()


def test_archived_leases_are_still_denied_released_and_counted(tmp_path: Path) -> None:
    site = busy(tmp_path)
    held = read_log(site.log).holders()
    do_archive(site)
    assert type(site.claim("i2", ANN).answer).__name__ == "Denied"
    with site.store.exclusive():
        assert site.store.view().leases.indefinite(BOB.agent) == 1
        assert site.store.view().leases.fence == 21
    site.release(held["issue:i2"], BOB)
    assert type(site.claim("i2", ANN).answer).__name__ == "Granted"
    assert set(read_log(site.log).holders()) == set(held)
    site.close()


def test_two_archives_in_a_row_keep_everything(tmp_path: Path) -> None:
    site = busy(tmp_path)
    do_archive(site)
    assert archive(site.store, site.machine.now()).segment is None
    site.take("between", ANN)
    before = look(site)
    do_archive(site)
    assert look(site) == before
    site.take("after", ANN)
    assert [x.first for x in site.store.read()][-1] == before[0].sequence + 1
    assert len(list((site.folder / "archive").iterdir())) == 2
    site.close()


def test_reading_from_a_sequence_inside_a_segment_gives_the_rest(tmp_path: Path) -> None:
    site = busy(tmp_path)
    do_archive(site)
    site.take("new")
    whole = list(site.store.read())
    for after in range(whole[-1].last + 1):
        assert list(site.store.read(after)) == [x for x in whole if x.last > after]
    site.close()


@covers("002:inv4")
def test_an_archive_that_was_killed_before_the_new_log_was_in_place_changes_nothing(tmp_path: Path) -> None:
    site = busy(tmp_path)
    before = look(site)
    log = site.log.read_bytes()
    do_archive(site)
    site.close()
    (segment,) = (site.folder / "archive").iterdir()
    site.log.write_bytes(log)
    for cache in (site.table, site.index):
        cache.unlink(missing_ok=True)
    later = site.anew()
    assert look(later) == before
    later.take("new")
    longer = look(later)
    do_archive(later)
    assert look(later) == longer
    assert segment.exists()
    later.take("newer")
    assert later.store.snapshot().sequence == longer[0].sequence + 1
    later.close()


def test_a_writer_that_stayed_open_notices_the_new_log(tmp_path: Path) -> None:
    site, other = busy(tmp_path), Site(tmp_path)
    other.take("others", ANN)
    do_archive(site)
    assert type(other.claim("i2", ANN).answer).__name__ == "Denied"
    lease = other.take("later", ANN)
    assert type(site.claim("later", BOB).answer).__name__ == "Denied"
    assert lease in read_log(site.log).active
    site.close()
    other.close()


def test_a_writer_that_stayed_open_notices_although_a_backup_kept_the_old_log_alive(tmp_path: Path) -> None:
    site, other = busy(tmp_path), Site(tmp_path)
    other.take("others", ANN)
    os.link(site.log, tmp_path / "backup")
    do_archive(site)
    lease = other.take("later", ANN)
    assert lease in read_log(site.log).active
    assert type(site.claim("later", BOB).answer).__name__ == "Denied"
    site.close()
    other.close()


def test_a_new_log_that_is_longer_than_the_old_one_is_noticed_too(tmp_path: Path) -> None:
    site, other = Site(tmp_path), Site(tmp_path)
    site.take("a")
    other.take("b")
    do_archive(site)
    assert type(other.claim("a", BOB).answer).__name__ == "Denied"
    assert set(read_log(site.log).holders()) == {"issue:a", "issue:b"}
    site.close()
    other.close()


def test_a_reader_in_the_middle_of_the_history_loses_nothing_to_an_archive(tmp_path: Path) -> None:
    site = busy(tmp_path)
    do_archive(site)
    site.take("live")
    whole = [x.first for x in site.store.read()]
    reading = site.store.read()
    seen = [next(reading).first]
    do_archive(site)
    seen += [x.first for x in reading]
    assert seen == whole
    site.close()


def test_a_missing_segment_is_reported_and_the_leases_are_still_known(tmp_path: Path) -> None:
    site = busy(tmp_path)
    do_archive(site)
    held = set(site.held())
    (segment,) = (site.folder / "archive").iterdir()
    Path(segment).unlink()
    with pytest.raises(LogCorrupt, match="missing"):
        list(site.store.read())
    assert site.held() == held
    site.take("still works")
    site.close()


def test_a_damaged_segment_is_reported(tmp_path: Path) -> None:
    site = busy(tmp_path)
    do_archive(site)
    (segment,) = (site.folder / "archive").iterdir()
    data = segment.read_bytes()
    segment.write_bytes(data[: len(data) // 2])
    with pytest.raises(LogCorrupt):
        list(site.store.read())
    site.close()
