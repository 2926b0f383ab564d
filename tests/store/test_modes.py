"""Who may read and write the control plane, whatever the umask says."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from jit.store.archive import archive
from tests.store.ground import Site
from tests.store.unprivileged import common_ground, unprivileged
from tests.traceability import covers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.contract
UMASKS = [0o000, 0o022, 0o027, 0o077, 0o177, 0o777]


@pytest.fixture(params=UMASKS, ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    places = [folder, *folder.rglob("*")]
    return {str(path.relative_to(folder)): path.stat().st_mode & 0o7777 for path in places}


def used(folder: Path, *, group: bool) -> dict[str, int]:
    """A control plane in which every kind of file was made."""
    site = Site(folder, group=group)
    site.take("a")
    archive(site.store, site.machine.now())
    site.take("b")
    site.close()
    return modes(site.folder)


FOLDERS = {".", "locks", "heartbeat", "archive"}


@covers("002:perm.control")
def test_the_control_plane_is_its_owners_alone(tmp_path: Path, umask: int) -> None:
    with unprivileged(), common_ground() as folder:
        found = used(folder, group=False)
    assert {name: mode for name, mode in found.items() if name in FOLDERS} == dict.fromkeys(FOLDERS, 0o700)
    assert {mode for name, mode in found.items() if name not in FOLDERS} == {0o600}
    assert {"claims.jsonl", "claims.table", "claims.index.json", "locks/claims.lock"} <= set(found)


@covers("002:perm.group")
def test_in_group_mode_the_group_shares_everything(tmp_path: Path, umask: int) -> None:
    with unprivileged(), common_ground() as folder:
        found = used(folder, group=True)
    assert {name: mode for name, mode in found.items() if name in FOLDERS} == dict.fromkeys(FOLDERS, 0o2770)
    assert {mode for name, mode in found.items() if name not in FOLDERS} == {0o660}
