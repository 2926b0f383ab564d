"""Setting the wall clock ends no lease early and prolongs none; a reboot falls back to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.store.checker import read_log
from tests.store.ground import BOB, Machine, Site
from tests.traceability import covers

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.contract
DAY_MS = 86_400_000
TTL_MS = 600_000


@pytest.mark.parametrize("jump_ms", [-DAY_MS, DAY_MS, -400 * DAY_MS, 400 * DAY_MS])
@covers("L:23", "002:time.jump", "002:lease.monotonic")
def test_a_lease_lasts_as_long_as_it_should_whatever_the_wall_clock_says(tmp_path: Path, jump_ms: int) -> None:
    site = Site(tmp_path)
    lease = site.take("a", ttl_ms=TTL_MS)
    site.machine.wall_ms += jump_ms
    assert type(site.claim("a", BOB).answer).__name__ == "Denied"
    site.machine.boot_ms += TTL_MS
    assert type(site.claim("a", BOB).answer).__name__ == "Denied"
    site.machine.boot_ms += 1
    other = site.anew()
    other.take("a", BOB)
    assert read_log(site.log).ended == {lease: "auto-evict"}
    site.close()
    other.close()


@covers("002:recovery.expired", "002:time.jump")
def test_after_a_reboot_leases_that_ran_out_meanwhile_are_not_resurrected(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.take("short", ttl_ms=TTL_MS)
    long = site.take("long", ttl_ms=10 * TTL_MS)
    site.close()
    later = site.anew(machine=Machine(wall_ms=site.machine.wall_ms + 2 * TTL_MS, boot_ms=10, boot_id="boot-2"))
    assert type(later.claim("long", BOB).answer).__name__ == "Denied"
    taken = later.take("short", BOB)
    assert set(read_log(site.log).active) == {long, taken}
    later.close()


@covers("002:inv3", "002:expiry.evict", "002:T3", "002:T11", "002:AC4")
def test_a_lapse_is_recorded_once_by_whoever_meets_it(tmp_path: Path) -> None:
    site = Site(tmp_path)
    lease = site.take("a", ttl_ms=1000)
    site.machine.pass_ms(1001)
    for _ in range(10):
        site.store.snapshot()
    assert read_log(site.log).types == ["claim.acquired"]
    site.take("a", BOB)
    state = read_log(site.log)
    assert state.types == ["claim.acquired", "claim.evicted", "claim.acquired"]
    evicted = state.records[1]["payload"]
    assert (evicted["lease_id"], evicted["op"], evicted["why"]) == (lease, "auto-evict", "expired")
    site.close()
