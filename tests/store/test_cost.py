"""What one claim costs does not grow with the number of leases, nor with the length of the log. Counted, not timed."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest

from tests.store.checker import read_log
from tests.store.ground import BOB, Site
from tests.traceability import covers

pytestmark = pytest.mark.contract
ROUNDS = 20


def renumbered(line: bytes, number: int, *changes: tuple[bytes, bytes]) -> bytes:
    """The same record with another sequence and other names, and a checksum that fits."""
    text = line.rpartition(b',"crc":"')[0]
    for old, new in ((b'"sequence":%d,' % json.loads(line)["sequence"], b'"sequence":%d,' % number), *changes):
        text = text.replace(old, new)
    return text + b',"crc":"%08x"}\n' % zlib.crc32(text)


def fill(folder: Path, *, leases: int, denials: int) -> Site:
    """A log written by hand: so many active leases, then so many refusals that change nothing."""
    site = Site(folder)
    site.take("pattern")
    site.claim("pattern", BOB)
    site.close()
    granted, denied = site.log.read_bytes().splitlines()
    pattern = json.loads(granted)["payload"]["lease_id"].encode()
    with site.log.open("wb") as file:
        for number in range(1, leases + 1):
            names = (
                (pattern, b"01%024d" % number),
                (b"pattern", b"n%d" % number),
                (b'"fence":1,', b'"fence":%d,' % number),
            )
            file.write(renumbered(granted, number, *names))
        start, end = renumbered(denied, 0).rpartition(b',"crc":"')[0].split(b'"sequence":0,')
        for number in range(leases + 1, leases + denials + 1):
            text = b'%b"sequence":%d,%b' % (start, number, end)
            file.write(text + b',"crc":"%08x"}\n' % zlib.crc32(text))
    site.table.unlink()
    site.index.unlink()
    return site


def io_counts() -> tuple[int, int]:
    """System calls that read or write, and bytes that they moved, of this process so far."""
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(fields["syscr"]) + int(fields["syscw"]), int(fields["rchar"]) + int(fields["wchar"])


def cost_of_claims(site: Site) -> tuple[int, int]:
    """Calls and bytes of some claims and releases by a process that is already at work."""
    later = site.anew()
    for number in range(3):
        later.take(f"warm{number}")
    before = io_counts()
    for number in range(ROUNDS):
        later.release(later.take(f"measured{number}"))
    after = io_counts()
    later.close()
    return after[0] - before[0], after[1] - before[1]


def test_the_log_that_is_written_by_hand_is_a_log(tmp_path: Path) -> None:
    site = fill(tmp_path, leases=50, denials=50)
    state = read_log(site.log)
    assert (state.sequence, len(state.active), state.fence) == (100, 50, 50)
    assert site.anew().held() == set(state.active)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, int]:
    return cost_of_claims(fill(tmp_path_factory.mktemp("small"), leases=10, denials=0))


@covers("L:22")
def test_ten_thousand_leases_cost_a_claim_no_more_than_ten(tmp_path: Path, small: tuple[int, int]) -> None:
    calls, size = cost_of_claims(fill(tmp_path, leases=10_000, denials=0))
    assert calls <= 2 * small[0]
    assert size <= 2 * small[1]


@covers("L:22")
def test_a_hundred_thousand_records_cost_a_claim_no_more_than_ten(tmp_path: Path, small: tuple[int, int]) -> None:
    calls, size = cost_of_claims(fill(tmp_path, leases=10, denials=100_000))
    assert calls <= 2 * small[0]
    assert size <= 2 * small[1]


@covers("L:22")
def test_a_new_process_finds_its_way_into_a_long_log_without_reading_it(tmp_path: Path) -> None:
    site = fill(tmp_path, leases=10, denials=100_000)
    cost_of_claims(site)
    size = site.log.stat().st_size
    before = io_counts()
    later = site.anew()
    later.take("fresh")
    later.close()
    assert io_counts()[1] - before[1] < size / 100
