"""Small worlds for tests of decisions: three owners, one moment, and leases that begin at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jit.kernel.instant import Instant
from jit.kernel.lease import Evidence, Lease, Owner, ProcessRef
from jit.kernel.policy import Indefinite, Revisions, Ttl, WhileAlive

if TYPE_CHECKING:
    from jit.kernel.policy import Liveness, Policy

ANN_PROCESS = ProcessRef("host", "boot-1", 41, 900, "ns")
BOB_PROCESS = ProcessRef("host", "boot-1", 42, 901, "ns")
ANN = Owner("agent:ann", "wt:0000000a", "", ANN_PROCESS)
BOB = Owner("agent:bob", "wt:0000000b", "", BOB_PROCESS)
EVE = Owner("human:eve", "wt:0000000e")

START = Instant(1_767_441_600_000, 5_000_000, "boot-1")
TTL = Ttl(600_000)
ENDLESS = Indefinite(3_600_000)
ALIVE = WhileAlive(silence_ms=90_000, idle_ms=30_000)
REVS = Revisions(2)


def later(ms: int, *, wall_jump_ms: int = 0) -> Instant:
    """So much after the start in the same boot; the wall clock may have been set meanwhile."""
    return Instant(START.wall_ms + ms + wall_jump_ms, START.boot_ms + ms, START.boot_id)


def rebooted(ms: int) -> Instant:
    """So much after the start by the wall clock, in another boot."""
    return Instant(START.wall_ms + ms, 17, "boot-2")


def known(now: Instant = START, *, ann: Liveness = "unknown", revision: int | None = None) -> Evidence:
    return Evidence(now, {ANN_PROCESS: ann}, revision)


def made_lease(
    lease_id: str = "L1",
    *resources: str,
    owner: Owner = ANN,
    policy: Policy = TTL,
    fence: int = 1,
    at: Instant = START,
    acquired_rev: int | None = None,
) -> Lease:
    """A lease as it is when it has just been granted."""
    return Lease(
        lease_id, resources or ("issue:1",), owner, policy, fence, at, at, at, "why", "main", acquired_rev=acquired_rev
    )
