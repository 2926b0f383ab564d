"""The point index: it grows, it shrinks, and a clash of hashes is harmless."""

from __future__ import annotations

import posix
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jit.kernel.commands import Acquire
from jit.kernel.instant import Instant
from jit.kernel.policy import Ttl
from jit.store.table import FIRST_SLOTS, SLOTS_AT, name_hash, new_table
from jit.store.table import places as places_of
from jit.testing.contract import lease_of
from tests.store.checker import read_log
from tests.store.ground import ANN, BOB, Site

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.contract
NOW = Instant(1_767_441_600_000, 5_000, "boot-1")


def test_a_table_grows_past_its_first_size_and_serves_others_that_have_it_open(tmp_path: Path) -> None:
    site, other = Site(tmp_path), Site(tmp_path)
    other.take("before")
    count = FIRST_SLOTS
    for number in range(count):
        site.take(f"n{number}")
    assert type(other.claim(f"n{count - 1}", BOB).answer).__name__ == "Denied"
    assert len(other.held()) == count + 1
    assert site.table.stat().st_size > FIRST_SLOTS * 32 * 2
    site.close()
    other.close()


def test_a_table_grows_before_it_is_crowded(tmp_path: Path) -> None:
    site = Site(tmp_path)
    for number in range(FIRST_SLOTS * 4 // 10):  # each lease stands in two slots
        site.take(f"n{number}")
    assert site.table.stat().st_size > FIRST_SLOTS * 32 * 2
    site.close()


@pytest.mark.parametrize("count", [FIRST_SLOTS, 5 * FIRST_SLOTS])
def test_one_lease_may_have_more_names_than_the_table_has_slots(tmp_path: Path, count: int) -> None:
    site, other = Site(tmp_path), Site(tmp_path)
    other.take("before")
    names = tuple(f"issue:n{number}" for number in range(count))
    many = Acquire(site.machine.ulid(0), names, ANN, Ttl(60_000))
    assert type(site.engine.submit(many).answer).__name__ == "Granted"
    assert type(other.claim(f"n{count - 1}", BOB).answer).__name__ == "Denied"
    site.release(many.lease_id)
    assert type(other.claim(f"n{count - 1}", BOB).answer).__name__ == "Granted"
    assert len(other.held()) == 2
    site.close()
    other.close()


def test_a_table_without_an_empty_slot_says_so_and_is_searched_only_once(tmp_path: Path) -> None:
    table = new_table(str(tmp_path / "table"), 0, 0o600)
    lease = lease_of(1)
    for index in range(table.slots):
        posix.pwrite(table.fd, (7).to_bytes(8, sys.byteorder) + b"\1" * 24, SLOTS_AT + index * 32)
    assert table.find("issue:1") == []
    with pytest.raises(OSError, match="is full"):
        table.put(lease, 0, NOW, lambda _place, _id: False)
    table.close()


def test_a_table_that_has_grown_is_small_again_when_it_is_made_anew(tmp_path: Path) -> None:
    site = Site(tmp_path)
    leases = [site.take(f"n{number}") for number in range(FIRST_SLOTS)]
    large = site.table.stat().st_size
    for lease in leases:
        site.release(lease)
    site.close()
    site.table.unlink()
    later = site.anew()
    later.take("one")
    assert site.table.stat().st_size < large
    assert len(read_log(site.log).active) == 1
    later.close()


def test_a_table_does_not_grow_when_few_leases_come_and_go_often(tmp_path: Path) -> None:
    site = Site(tmp_path)
    first = 0
    for number in range(900):
        site.release(site.take(f"n{number}"))
        first = first or site.table.stat().st_size
    assert site.table.stat().st_size == first
    assert site.held() == set()
    site.close()


def test_two_issues_whose_names_have_one_hash_are_two_issues(site: Site) -> None:
    one = "clashing"
    other = clash(f"issue:{one}")
    assert name_hash(other) == name_hash(f"issue:{one}")
    assert other != f"issue:{one}"
    first = site.take(one)
    with site.store.exclusive():
        assert site.store.view().leases.holders(other) == ()
    outcome = site.engine.submit(Acquire(site.machine.ulid(0), (other,), BOB, Ttl(60_000)))
    assert type(outcome.answer).__name__ == "Granted"
    site.release(first)
    with site.store.exclusive():
        leases = site.store.view().leases
        assert leases.holders(f"issue:{one}") == ()
        assert [x.resources for x in leases.holders(other)] == [(other,)]


@given(steps=st.lists(st.tuples(st.integers(0, 11), st.booleans()), max_size=60))
def test_a_table_answers_like_a_dictionary(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, bool]]
) -> None:
    table = new_table(str(tmp_path_factory.mktemp("t") / "table"), 0, 0o600)
    places: dict[str, int] = {}

    def is_of(place: int, lease_id: str) -> bool:
        return places.get(lease_id) == place

    for offset, (number, keep) in enumerate(steps, 1):
        lease = lease_of(number)
        if keep:
            table.put(lease, offset, NOW, is_of)
            places[lease.lease_id] = offset
        else:
            table.drop(lease, is_of)
            places.pop(lease.lease_id, None)
    assert {n: table.find(f"issue:{n}") for n in range(12)} == {
        n: [places[lease_of(n).lease_id]] if lease_of(n).lease_id in places else [] for n in range(12)
    }
    assert (table.active, places_of(table.content())) == (len(places), sorted(places.values()))
    table.close()


def test_the_owner_of_a_lease_is_found_among_others(site: Site) -> None:
    for number in range(3):
        site.take(f"a{number}", ANN, ttl_ms=0 if number < 2 else 1000)
    site.take("b", BOB, ttl_ms=0)
    with site.store.exclusive():
        leases = site.store.view().leases
        assert [leases.indefinite(agent) for agent in (ANN.agent, BOB.agent, "", "agent:nobody")] == [2, 1, 3, 0]


def clash(name: str) -> str:
    """Another name with the same hash: both checksums are linear, so the right flips leave them as they were."""
    wanted = name_hash(name)
    base = bytearray(name.encode().ljust(20, b"-"))
    places = [(at, bit) for at in range(len(base)) for bit in range(4)]
    flips = [_flipped(base, [place]) for place in places]
    zero = name_hash(base.decode())
    basis: list[tuple[int, int]] = []
    target = wanted ^ zero
    assert target & 1 == 0
    for number, text in enumerate(flips):
        value, picks = (name_hash(text.decode()) ^ zero) & ~1, 1 << number
        for high, combination in basis:
            if value ^ high < value:
                value, picks = value ^ high, picks ^ combination
        if value:
            basis.append((value, picks))
            basis.sort(reverse=True)
    chosen = 0
    for high, combination in basis:
        if target ^ high < target:
            target, chosen = target ^ high, chosen ^ combination
    assert target == 0
    return _flipped(base, [place for number, place in enumerate(places) if chosen >> number & 1]).decode()


def _flipped(base: bytearray, places: list[tuple[int, int]]) -> bytearray:
    out = bytearray(base)
    for at, bit in places:
        out[at] ^= 1 << bit
    return out
