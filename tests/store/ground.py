"""Ground for the tests of the store: a control plane in a folder, clocks that are set by hand, and short commands."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from jit.engine import Engine
from jit.kernel.commands import Acquire, Release, Renew
from jit.kernel.instant import Instant
from jit.kernel.lease import Owner
from jit.kernel.policy import Indefinite, Ttl
from jit.store.jsonl import JsonlStore, Options
from jit.store.plane import Plane
from jit.systems.claims.decide import Claim, Quota

if TYPE_CHECKING:
    from pathlib import Path

    from jit.engine import Outcome
    from jit.kernel.lease import ProcessRef
    from jit.kernel.policy import Liveness

ANN = Owner("agent:ann", "wt:0000000a")
BOB = Owner("agent:bob", "wt:0000000b")
_numbers = itertools.count(1)


class Machine:
    """A clock that stands still until it is told otherwise, and ids that never repeat."""

    def __init__(self, *, wall_ms: int = 1_767_441_600_000, boot_ms: int = 5_000, boot_id: str = "boot-1") -> None:
        self.wall_ms = wall_ms
        self.boot_ms = boot_ms
        self.boot_id = boot_id

    def now(self) -> Instant:
        return Instant(self.wall_ms, self.boot_ms, self.boot_id)

    def pass_ms(self, duration_ms: int) -> None:
        self.wall_ms += duration_ms
        self.boot_ms += duration_ms

    def ulid(self, wall_ms: int) -> str:
        return f"01{next(_numbers):024d}"

    def liveness(self, process: ProcessRef) -> Liveness:
        return "unknown"

    def content(self, resource: str) -> str:
        return ""


class Site:
    """One control plane, and one writer at it."""

    def __init__(
        self, folder: Path, *, machine: Machine | None = None, group: bool = False, wait_ms: int = 10_000
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.plane = Plane(str(folder / "jit"), group)
        self.folder = folder / "jit"
        self.log = self.folder / "claims.jsonl"
        self.index = self.folder / "claims.index.json"
        self.table = self.folder / "claims.table"
        self.machine = machine or Machine()
        self.store = JsonlStore(self.plane, self.machine, Options(wait_ms=wait_ms))
        self.engine = Engine(self.store, self.machine)

    def claim(self, issue: str, owner: Owner = ANN, *, ttl_ms: int = 600_000) -> Outcome:
        policy = Ttl(ttl_ms) if ttl_ms else Indefinite(3_600_000)
        acquire = Acquire(self.machine.ulid(self.machine.wall_ms), (f"issue:{issue}",), owner, policy, "why", "main")
        return self.engine.submit(Claim(acquire, Quota(2, 10)))

    def take(self, issue: str, owner: Owner = ANN, *, ttl_ms: int = 600_000) -> str:
        """Claim an issue that is free, and give the lease's id."""
        answer = self.claim(issue, owner, ttl_ms=ttl_ms).answer
        assert type(answer).__name__ == "Granted", answer
        return str(answer.lease.lease_id)  # type: ignore[union-attr]

    def renew(self, lease_id: str, owner: Owner = ANN) -> Outcome:
        return self.engine.submit(Renew(lease_id, owner))

    def release(self, lease_id: str, owner: Owner = ANN) -> Outcome:
        return self.engine.submit(Release(lease_id, owner, "done"))

    def held(self) -> set[str]:
        return set(self.store.snapshot().ledger.active)

    def anew(self, *, machine: Machine | None = None) -> Site:
        """Another process's look at the same control plane."""
        return Site(self.folder.parent, machine=machine or self.machine, group=self.plane.group)

    def close(self) -> None:
        self.store.close()
