"""Damage in the middle of the log is reported with its place; it is never stepped over."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

import pytest

from jit.errors import LogCorrupt
from tests.store.ground import ANN, BOB, Site
from tests.traceability import covers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.contract
Lines = list[bytes]


@pytest.fixture(params=[0, 120], ids=["short log", "long log"])
def past(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Site, Lines]:
    """Three claims, then a batch of two lines, then one more claim, and many more in a long log."""
    site = Site(tmp_path)
    for issue in ("a", "b"):
        site.take(issue)
    site.take("c", ttl_ms=1000)
    site.machine.pass_ms(1001)
    site.take("c", BOB)
    site.take("d", ANN)
    for number in range(request.param):
        site.take(f"more{number}")
    site.close()
    return site, site.log.read_bytes().splitlines(keepends=True)


def damaged(site: Site, lines: Lines) -> Site:
    site.log.write_bytes(b"".join(lines))
    site.table.unlink(missing_ok=True)
    site.index.unlink(missing_ok=True)
    return site.anew()


def assert_reported(site: Site, lines: Lines, number: int, *, history_too: bool = True) -> None:
    """Reader and writer name file, line and byte, and leave the log as it is."""
    later = damaged(site, lines)
    asked: list[Callable[[], object]] = [
        later.store.snapshot,
        lambda: later.claim("new"),
        lambda: later.claim("new"),
    ]
    asked += [lambda: list(later.store.read())] if history_too else []
    for ask in asked:
        with pytest.raises(LogCorrupt) as caught:
            ask()
        details = caught.value.details
        assert (details["file"], details["line"]) == (str(site.log), number)
        assert details["offset"] == len(b"".join(lines[: number - 1]))
        assert f"line {number} (byte {details['offset']})" in caught.value.message
        assert "jit doctor --fix" in caught.value.hint
    assert site.log.read_bytes() == b"".join(lines)
    later.close()


def resealed(line: bytes, **changes: object) -> bytes:
    """The same record with other values and a checksum that fits."""
    record = json.loads(line)
    del record["crc"]
    text = json.dumps(record | changes, separators=(",", ":"), ensure_ascii=False)[:-1].encode()
    return text + b',"crc":"%08x"}\n' % zlib.crc32(text)


@pytest.mark.parametrize("number", [1, 2, 4, 5])
def test_a_changed_letter_in_a_record_is_reported_with_its_place(past: tuple[Site, Lines], number: int) -> None:
    site, lines = past
    line = bytearray(lines[number - 1])
    line[len(line) // 2] ^= 1
    assert_reported(site, [*lines[: number - 1], bytes(line), *lines[number:]], number)


def test_every_single_changed_byte_of_a_record_is_noticed(past: tuple[Site, Lines]) -> None:
    site, lines = past
    for place in range(0, len(lines[1]) - 1, 11):
        line = bytearray(lines[1])
        line[place] ^= 4
        later = damaged(site, [lines[0], bytes(line), *lines[2:]])
        with pytest.raises(LogCorrupt):
            later.store.snapshot()
        with pytest.raises(LogCorrupt):
            list(later.store.read())


@pytest.mark.parametrize("text", [b"\n", b"garbage\n", b"{}\n", b"\x00\xff\n", b'{"a":1,"crc":"zzzzzzzz"}\n'])
def test_a_foreign_line_is_reported_with_its_place(past: tuple[Site, Lines], text: bytes) -> None:
    site, lines = past
    assert_reported(site, [*lines[:2], text, *lines[2:]], 3)


@covers("002:seq.gap", "L:9")
def test_a_missing_record_is_reported_as_a_gap(past: tuple[Site, Lines]) -> None:
    site, lines = past
    assert_reported(site, [lines[0], *lines[2:]], 2, history_too=False)


@covers("002:seq.gap")
def test_a_record_that_stands_twice_is_reported(past: tuple[Site, Lines]) -> None:
    site, lines = past
    assert_reported(site, [*lines[:2], lines[1], *lines[2:]], 3, history_too=False)


@covers("002:seq.gap")
def test_a_sequence_that_jumps_is_reported_although_every_checksum_fits(past: tuple[Site, Lines]) -> None:
    site, lines = past
    assert_reported(site, [*lines[:2], resealed(lines[2], sequence=9), *lines[3:]], 3, history_too=False)


def test_a_batch_that_misses_its_second_line_is_reported(past: tuple[Site, Lines]) -> None:
    site, lines = past
    alone = json.loads(lines[5])
    assert json.loads(lines[3])["batch"]["count"] == 2
    assert alone["batch"]["count"] == 1
    assert_reported(site, [*lines[:4], resealed(lines[5], sequence=5), *lines[6:]], 5)


def test_damage_is_reported_while_the_store_stays_open(past: tuple[Site, Lines]) -> None:
    site, lines = past
    later = site.anew()
    later.take("e")
    broken = [lines[0], b"x" + lines[1][1:], *site.log.read_bytes().splitlines(keepends=True)[2:]]
    site.log.write_bytes(b"".join(broken))
    with pytest.raises(LogCorrupt):
        list(later.store.read())
    later.close()


def test_a_tail_of_noughts_is_a_write_that_never_finished(past: tuple[Site, Lines]) -> None:
    site, lines = past
    later = damaged(site, [*lines, b"\0" * 500])
    assert later.store.snapshot().sequence == len(lines)
    later.take("new")
    assert site.log.read_bytes().count(b"\0") == 0
    later.close()
