"""A damaged log is mended: a copy is kept, nothing readable is lost, and the log can be validated and written again.

The oracle reads the copy and the leases as plain JSON.
"""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from jit.store.archive import archive
from jit.store.audit import check_log
from jit.store.repair import repair
from jit.store.replay import replay
from tests.store.ground import BOB, Site
from tests.traceability import covers

if TYPE_CHECKING:
    from jit.store.repair import Repair


def lines_of(site: Site) -> list[bytes]:
    return site.log.read_bytes().splitlines(keepends=True)


def damage(site: Site, *numbers: int) -> bytes:
    """Spoil a byte in the middle of these lines (counted from one); the bytes of the file afterwards."""
    lines = [bytearray(line) for line in lines_of(site)]
    for number in numbers:
        lines[number - 1][200] ^= 0x15
    data = b"".join(lines)
    site.log.write_bytes(data)
    return data


def mend(site: Site, *, keep_index: bool = False) -> Repair:
    if not keep_index:
        site.index.unlink(missing_ok=True)
    done = repair(site.plane, site.machine.now(), wait_ms=0)
    assert done is not None
    return done


def assert_sound(site: Site) -> None:
    """The log is whole, every decision that can be judged is the recorded one, and a further claim is no damage."""
    assert check_log(site.plane).faults == ()
    assert replay(site.plane, site.anew().store.snapshot()).mismatches == ()
    later = site.anew()
    later.take("later", BOB)
    later.close()
    assert check_log(site.plane).faults == ()
    assert replay(site.plane, later.store.snapshot()).mismatches == ()


def archived(site: Site) -> list[dict[str, Any]]:
    found = [gzip.decompress(path.read_bytes()) for path in sorted((site.folder / "archive").iterdir())]
    return [json.loads(line) for line in b"".join(found).splitlines()]


@covers("002:T10", "L:9")
def test_a_damaged_line_is_left_out_and_everything_else_is_kept(site: Site) -> None:
    first, second, third = site.take("one"), site.take("two"), site.take("three")
    broken = damage(site, 2)
    done = mend(site)
    assert [(fault.number, fault.offset) for fault in done.lost] == [(2, len(lines_of_bytes(broken)[0]))]
    assert done.missing == ((2, 2),)
    assert {first, third} <= site.anew().held()
    assert second not in site.anew().held()
    assert_sound(site)


def lines_of_bytes(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def test_the_damaged_bytes_are_kept_as_they_were(site: Site) -> None:
    site.take("one")
    site.take("two")
    broken = damage(site, 1)
    done = mend(site)
    copies = list(site.folder.glob("claims.jsonl.damaged-*"))
    assert [str(path) for path in copies] == [done.copy]
    assert copies[0].read_bytes() == broken


def test_readable_records_move_byte_for_byte_and_the_loss_is_on_record(site: Site) -> None:
    for name in ("one", "two", "three"):
        site.take(name)
    before = [json.loads(line) for line in lines_of(site)]
    damage(site, 2)
    mend(site)
    records = archived(site)
    assert records[:2] == [before[0], before[2]]
    assert records[2]["event_type"] == "log.repaired"
    assert records[2]["sequence"] == 4
    assert records[2]["payload"]["missing"] == [[2, 2]]


def test_a_lease_whose_grant_is_lost_survives_in_its_renewal(site: Site) -> None:
    lease = site.take("one")
    site.renew(lease)
    damage(site, 1)
    mend(site)
    assert site.anew().held() == {lease}
    assert_sound(site)


def test_a_lease_whose_grant_is_lost_survives_in_the_denial_of_a_rival(site: Site) -> None:
    lease = site.take("one")
    site.claim("one", BOB)
    damage(site, 1)
    mend(site)
    assert site.anew().held() == {lease}


def test_a_lease_whose_only_record_is_lost_survives_in_an_index_of_this_log(site: Site) -> None:
    lease = site.take("one")
    other = site.take("two")
    site.close()
    damage(site, 1)
    mend(site, keep_index=True)
    assert site.anew().held() == {lease, other}


def test_an_index_with_two_leases_on_one_issue_is_not_believed(site: Site) -> None:
    kept = site.take("one")
    site.take("two")
    site.close()
    index = json.loads(site.index.read_text())
    index["active"].append(index["active"][0] | {"lease_id": "0" * 26})
    site.index.write_text(json.dumps(index))
    damage(site, 2)
    mend(site, keep_index=True)
    assert site.anew().held() == {kept}


@covers("002:inv1")
def test_a_later_grant_ends_an_earlier_lease_whose_release_is_lost(site: Site) -> None:
    site.release(site.take("one"))
    later = site.take("one", BOB)
    damage(site, 2)
    mend(site)
    assert site.anew().held() == {later}
    assert_sound(site)


def test_a_batch_that_lost_one_of_its_lines_still_tells_who_holds_what(site: Site) -> None:
    site.take("one", ttl_ms=1000)
    site.machine.pass_ms(2000)
    later = site.take("one", BOB)  # one batch: the old lease lapsed, the new one granted
    damage(site, 2)
    done = mend(site)
    assert site.anew().held() == {later}
    assert any("lines missing" in fault.what for fault in done.lost)
    assert [record["sequence"] for record in archived(site)] == [1, 4]
    assert_sound(site)


def test_fences_go_on_above_those_that_lost_records_may_have_given_out(site: Site) -> None:
    for name in ("one", "two", "three"):
        site.take(name)
    damage(site, 2, 3)
    mend(site)
    answer = site.anew().claim("four").answer
    assert answer.lease.fence > 3  # type: ignore[union-attr]


def test_sequences_go_on_above_those_of_lost_records(site: Site) -> None:
    for name in ("one", "two", "three"):
        site.take(name)
    damage(site, 2, 3)
    mend(site)
    assert site.anew().claim("four").sequence > 4


def test_a_lost_line_end_loses_no_record(site: Site) -> None:
    leases = {site.take("one"), site.take("two"), site.take("three")}
    lines = lines_of(site)
    site.log.write_bytes(lines[0][:-1] + b"\x0b" + b"".join(lines[1:]))
    done = mend(site)
    assert (done.kept, done.missing) == (3, ())
    assert site.anew().held() == leases
    assert_sound(site)


def test_lines_out_of_order_are_put_back_and_repeated_ones_dropped(site: Site) -> None:
    leases = {site.take("one"), site.take("two"), site.take("three")}
    one, two, three = lines_of(site)
    site.log.write_bytes(one + three + two + one)
    done = mend(site)
    assert (done.kept, done.missing) == (3, ())
    assert site.anew().held() == leases
    assert_sound(site)


def test_a_missing_line_is_a_gap_that_is_put_on_record(site: Site) -> None:
    site.take("one")
    site.take("two")
    site.take("three")
    one, _, three = lines_of(site)
    site.log.write_bytes(one + three)
    assert len(check_log(site.plane).faults) == 1
    assert mend(site).missing == ((2, 2),)
    assert_sound(site)


def test_nothing_readable_at_all_still_gives_a_log_to_go_on_with(site: Site) -> None:
    site.take("one")
    site.log.write_bytes(b"all of this\nis rubbish\n")
    done = mend(site)
    assert (done.kept, done.leases) == (0, 0)
    assert_sound(site)


def test_an_unfinished_tail_is_no_damage_and_never_becomes_a_lease(site: Site) -> None:
    site.take("one")
    lease = site.take("two")
    site.take("three")
    lines = lines_of(site)
    site.log.write_bytes(b"".join(lines[:2]) + lines[2][:-40])
    site.index.unlink()
    assert repair(site.plane, site.machine.now(), wait_ms=0) is None
    damage(site, 1)
    mend(site)
    assert site.anew().held() == {lease}


def test_a_whole_log_is_left_alone(site: Site) -> None:
    site.take("one")
    before = site.log.read_bytes()
    assert repair(site.plane, site.machine.now(), wait_ms=0) is None
    assert site.log.read_bytes() == before
    assert not list(site.folder.glob("*.damaged-*"))


@covers("002:seq.archive")
def test_damage_behind_an_archive_is_mended_and_history_stays_complete(site: Site) -> None:
    early = site.take("one")
    archive(site.store, site.machine.now())
    site.take("two")
    late = site.take("three", BOB)
    damage(site, 3)  # checkpoint, carried lease, then the record of two
    mend(site)
    assert site.anew().held() == {early, late}
    assert [record["sequence"] for record in archived(site)] == [1, 3, 4]
    assert_sound(site)


@pytest.mark.parametrize("number", [1, 2])
def test_a_damaged_head_is_made_again_from_the_segments(site: Site, number: int) -> None:
    early = site.take("one")
    archive(site.store, site.machine.now())
    late = site.take("two")
    damage(site, number)
    mend(site)
    assert site.anew().held() == {early, late}
    assert_sound(site)


def test_a_mended_log_can_be_archived_and_damaged_and_mended_again(site: Site) -> None:
    kept = site.take("one")
    site.take("two")
    damage(site, 2)
    mend(site)
    again = site.anew()
    again.take("three")
    archive(again.store, again.machine.now())
    last = again.take("four")
    again.close()
    damage(again, 1)
    mend(again)
    assert {kept, last} <= again.anew().held()
    assert len(list(site.folder.glob("claims.jsonl.damaged-*"))) == 2
    assert_sound(again)


def test_a_crash_before_the_new_log_is_in_place_leaves_the_damage_to_be_mended(site: Site) -> None:
    lease = site.take("one")
    site.take("two")
    broken = damage(site, 2)
    mend(site)
    site.log.write_bytes(broken)  # as if the rename had not happened: copy and segment are there already
    assert check_log(site.plane).faults != ()
    mend(site)
    assert site.anew().held() == {lease}
    assert_sound(site)


def test_a_writer_that_had_the_log_open_goes_on_with_the_mended_one(site: Site) -> None:
    lease = site.take("one")
    site.take("two")
    damage(site, 2)
    mend(site)
    later = site.take("three")
    assert site.held() == {lease, later}
    assert site.anew().held() == {lease, later}
