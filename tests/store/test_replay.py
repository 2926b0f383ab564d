"""Decisions made anew, and caches compared with the log."""

from __future__ import annotations

import json
from binascii import crc32
from typing import TYPE_CHECKING

import pytest

from jit.errors import LogCorrupt
from jit.store.archive import archive
from jit.store.repair import rebuild_caches
from jit.store.replay import check_index, check_table, replay
from tests.store.ground import ANN, BOB, Site
from tests.traceability import covers

if TYPE_CHECKING:
    from pathlib import Path


@covers("002:schema.rebuild", "002:recovery.index")
def test_table_and_index_are_made_anew_from_the_log_alone(site: Site) -> None:
    site.take("one")
    site.take("two")
    site.close()
    good = json.loads(site.index.read_text())
    site.index.write_text("{}")
    site.table.write_bytes(b"rubbish" * 1000)
    other = site.anew()
    rebuild_caches(other.store)
    other.close()
    assert json.loads(site.index.read_text())["active"] == good["active"]
    assert check_index(site.plane)[0] == "ok"
    assert check_table(site.plane, site.machine.now())[0] == "ok"


def test_a_damaged_segment_is_reported_with_its_name(site: Site) -> None:
    site.take("one")
    done = archive(site.store, site.machine.now())
    assert done.segment is not None
    data = bytearray((site.folder / "archive" / done.segment.path.rpartition("/")[2]).read_bytes())
    data[len(data) // 2] ^= 0xFF
    (site.folder / "archive" / done.segment.path.rpartition("/")[2]).write_bytes(data)
    with pytest.raises(LogCorrupt) as caught:
        list(site.store.read())
    assert done.segment.path in caught.value.message


def test_replay_finds_a_decision_that_the_evidence_does_not_support(site: Site, tmp_path: Path) -> None:
    site.take("one", ANN)
    site.claim("one", BOB)
    other = Site(tmp_path / "other", machine=site.machine)
    other.take("one", BOB)
    granted_twice = site.log.read_bytes().splitlines(keepends=True)[0] + other.log.read_bytes().replace(
        b'"sequence":1,', b'"sequence":2,'
    )
    site.log.write_bytes(resealed(granted_twice))
    other.close()
    found = replay(site.plane, site.anew().store.snapshot()).mismatches
    assert found[0].sequence == 2


def resealed(data: bytes) -> bytes:
    """The same records with checksums that fit."""
    out = []
    for line in data.splitlines():
        text = line[: line.rindex(b',"crc":"')]
        out.append(text + b',"crc":"%08x"}\n' % crc32(text))
    return b"".join(out)
