"""Table and index are caches: whatever happens to them, the answers come from the log."""

from __future__ import annotations

import json
import shutil
import zlib
from typing import TYPE_CHECKING

import pytest

from jit.store.table import FIRST_SLOTS, SLOTS_AT
from tests.store.checker import read_log
from tests.store.ground import BOB, Machine, Site
from tests.traceability import covers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.contract


def filled(folder: Path) -> Site:
    """Five claims, one of them released, one renewed, one indefinite."""
    site = Site(folder)
    leases = [site.take(f"i{n}") for n in range(4)]
    site.take("endless", BOB, ttl_ms=0)
    site.release(leases[0])
    site.machine.pass_ms(5)
    site.renew(leases[1])
    site.close()
    return site


def delete(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def garbage(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 300)


def cut_in_half(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def cut_in_header(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:50])


SPOILERS = [delete, empty, garbage, cut_in_half, cut_in_header]


def name_of(spoil: Callable[[Path], None]) -> str:
    return spoil.__name__


def assert_same_answers(site: Site) -> None:
    """Reader and writer agree with the log, and the next append goes on where it ended."""
    expected = read_log(site.log)
    later = site.anew()
    snapshot = later.store.snapshot()
    assert (set(snapshot.ledger.active), snapshot.sequence) == (set(expected.active), expected.sequence)
    assert snapshot.ledger.fence == expected.fence
    with later.store.exclusive():
        leases = later.store.view().leases
        assert {name: leases.holders(name)[0].lease_id for name in expected.holders()} == expected.holders()
        assert (leases.fence, leases.indefinite("")) == (expected.fence, 1)
    assert type(later.claim("i2", BOB).answer).__name__ == "Denied"
    assert later.claim("fresh", BOB).sequence == expected.sequence + 2
    later.close()
    assert index_of(site)["sequence"] == expected.sequence + 2


def index_of(site: Site) -> dict[str, object]:
    found: dict[str, object] = json.loads(site.index.read_text())
    return found


@pytest.mark.parametrize("spoil", SPOILERS, ids=name_of)
@covers("002:recovery.index", "002:schema.rebuild", "002:T9", "002:T10")
def test_a_spoiled_table_changes_no_answer(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    site = filled(tmp_path)
    spoil(site.table)
    assert_same_answers(site)


@pytest.mark.parametrize("word", range(12))
def test_one_changed_word_in_the_head_of_the_table_is_noticed(tmp_path: Path, word: int) -> None:
    site = filled(tmp_path)
    data = bytearray(site.table.read_bytes())
    data[word * 8] ^= 1
    site.table.write_bytes(data)
    assert_same_answers(site)


@pytest.mark.parametrize("spoil", SPOILERS[:4], ids=name_of)
@pytest.mark.parametrize("table", [True, False], ids=["table kept", "table deleted"])
@covers("002:recovery.index", "002:T13", "002:AC6")
def test_a_spoiled_index_changes_no_answer(tmp_path: Path, spoil: Callable[[Path], None], table: bool) -> None:  # noqa: FBT001
    site = filled(tmp_path)
    if not table:
        site.table.unlink()
    spoil(site.index)
    assert_same_answers(site)


@covers("002:T13", "002:AC6", "002:recovery.index")
def test_without_either_cache_every_lease_is_found(tmp_path: Path) -> None:
    site = filled(tmp_path)
    site.table.unlink()
    site.index.unlink()
    assert_same_answers(site)


@covers("002:recovery.duplicates")
def test_an_index_that_was_edited_by_hand_is_not_trusted(tmp_path: Path) -> None:
    site = filled(tmp_path)
    index = index_of(site)
    active = index["active"]
    assert isinstance(active, list)
    twin = dict(active[0]) | {"lease_id": "01" + "Z" * 24}
    edits: list[dict[str, object]] = [
        index | {"active": []},
        index | {"active": [*active, twin]},
        index | {"active": active[:1] * 2},
        index | {"fence": 99},
        index | {"sequence": 3},
    ]
    for edited in edits:
        site.index.write_text(json.dumps(edited))
        site.table.unlink(missing_ok=True)
        assert site.anew().held() == set(read_log(site.log).active)
    assert_same_answers(site)


def test_one_changed_letter_in_the_index_is_noticed(tmp_path: Path) -> None:
    site = filled(tmp_path)
    text = site.index.read_text()
    held = set(read_log(site.log).active)
    site.table.unlink()
    for place in range(0, len(text), 37):
        site.index.write_text(text[:place] + ("x" if text[place] != "x" else "y") + text[place + 1 :])
        assert site.anew().held() == held, place


@pytest.mark.parametrize("records", [1, 3, 9])
def test_an_index_of_another_log_is_not_trusted(tmp_path: Path, records: int) -> None:
    ours, theirs = filled(tmp_path / "ours"), Site(tmp_path / "theirs")
    for number in range(records):
        theirs.take(f"foreign{number}")
    theirs.close()
    shutil.copy(theirs.index, ours.index)
    ours.table.unlink()
    assert_same_answers(ours)


def test_a_table_of_another_log_is_not_trusted(tmp_path: Path) -> None:
    ours, theirs = filled(tmp_path / "ours"), Site(tmp_path / "theirs")
    theirs.take("foreign")
    theirs.close()
    shutil.copy(theirs.table, ours.table)
    assert_same_answers(ours)


def test_a_log_that_was_rewritten_in_place_at_the_same_length_is_noticed(tmp_path: Path) -> None:
    site, other = Site(tmp_path / "a"), Site(tmp_path / "b")
    for one, issue in ((site, "mine"), (other, "ours")):
        one.take(issue)
        one.close()
    data = other.log.read_bytes()
    assert len(data) == site.log.stat().st_size
    with site.log.open("r+b") as file:
        file.write(data)
    later = site.anew()
    assert type(later.claim("ours", BOB).answer).__name__ == "Denied"
    later.take("mine", BOB)
    assert set(read_log(site.log).holders()) == {"issue:ours", "issue:mine"}
    later.close()


def test_caches_that_are_ahead_of_a_shortened_log_are_not_trusted(tmp_path: Path) -> None:
    site = filled(tmp_path)
    lines = site.log.read_bytes().splitlines(keepends=True)
    site.log.write_bytes(b"".join(lines[:-2]))
    assert_same_answers(site)


def test_an_index_ahead_of_a_shortened_log_is_not_trusted(tmp_path: Path) -> None:
    site = filled(tmp_path)
    lines = site.log.read_bytes().splitlines(keepends=True)
    site.log.write_bytes(b"".join(lines[:-2]))
    site.table.unlink()
    assert_same_answers(site)


def test_a_table_that_a_power_cut_left_with_lost_slots_is_made_anew(tmp_path: Path) -> None:
    site = filled(tmp_path)
    data = site.table.read_bytes()
    site.table.write_bytes(data[:SLOTS_AT] + b"\0" * (len(data) - SLOTS_AT))
    rebooted = Machine(wall_ms=site.machine.wall_ms + 1000, boot_ms=1, boot_id="boot-2")
    later = site.anew(machine=rebooted)
    held = set(read_log(site.log).active)
    assert later.held() == held
    lease = later.take("after the boot")
    assert set(read_log(site.log).active) == {*held, lease} == later.held()
    later.close()


def test_a_table_that_is_far_behind_is_caught_up(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.take("first")
    site.close()
    old = site.table.read_bytes()
    busy = site.anew()
    for number in range(FIRST_SLOTS):
        busy.take(f"n{number}")
    busy.close()
    site.table.write_bytes(old)
    later = site.anew()
    assert len(later.held()) == FIRST_SLOTS + 1
    later.take("last")
    assert len(read_log(site.log).active) == FIRST_SLOTS + 2
    later.close()


@covers("002:schema.index", "002:atomic.index")
def test_the_index_says_what_the_log_says(tmp_path: Path) -> None:
    site = filled(tmp_path)
    index, state = index_of(site), read_log(site.log)
    assert {"schema_version", "generated_at", "sequence", "stale_threshold_secs", "active"} <= set(index)
    assert (index["schema_version"], index["sequence"], index["stale_threshold_secs"]) == (1, state.sequence, 3600)
    rows = index["active"]
    assert isinstance(rows, list)
    assert {row["lease_id"] for row in rows} == set(state.active)
    for row in rows:
        logged = state.active[row["lease_id"]]
        assert {name: row[name] for name in logged if name in row} == {n: v for n, v in logged.items() if n in row}
        assert isinstance(row["last_beat"], str)
        assert row["stale"] is False
    assert [path.name for path in site.folder.iterdir() if "tmp" in path.name] == []


@covers("002:durable.order")
def test_the_index_names_the_place_in_the_log_that_it_stands_at(tmp_path: Path) -> None:
    site = filled(tmp_path)
    log = index_of(site)["log"]
    assert isinstance(log, dict)
    data = site.log.read_bytes()
    text = data[: log["offset"]].splitlines()[-1].rpartition(b',"crc"')[0]
    assert (log["offset"], log["crc"]) == (len(data), f"{zlib.crc32(text):08x}")
