"""jit's own interface, as the bench uses it: a change of that interface is a change of these few lines.

Also loaded by `probe.py` in fresh interpreters whose memory is measured, so it imports jit and next to nothing else.
"""

from __future__ import annotations

import os

from jit.app import SystemWorld
from jit.engine import Engine
from jit.kernel.commands import Acquire, Release
from jit.kernel.events import Granted
from jit.kernel.lease import Lease, Owner
from jit.kernel.policy import Ttl
from jit.store.jsonl import JsonlStore, Options
from jit.store.plane import Plane
from jit.systems.claims.decide import Claim, Quota

TTL_MS = 600_000
WORKTREE = "wt:0badcafe"
LOG_NAME = "claims.jsonl"
_QUOTA = Quota(0, 0)


def open_store(control_dir: str) -> Engine:
    """The engine over the local store, as a command has it."""
    world = SystemWorld()
    note = f"pid {os.getpid()} agent:bench since "
    return Engine(JsonlStore(Plane(control_dir), world, Options(note=note)), world)


def acquire(store: Engine, key: str, agent: str) -> Lease:
    lease_id = store.world.ulid(store.world.now().wall_ms)
    asked = Acquire(lease_id, (f"issue:{key}",), Owner(agent, WORKTREE), Ttl(TTL_MS), branch="main")
    answer = store.submit(Claim(asked, _QUOTA)).answer
    if not isinstance(answer, Granted):
        raise TypeError(f"{key} was not granted: {answer}")
    return answer.lease


def release(store: Engine, lease: Lease) -> None:
    store.submit(Release(lease.lease_id, lease.owner))


def list_leases(store: Engine) -> list[Lease]:
    return list(store.store.snapshot().ledger)


def catch_up(store: Engine) -> None:
    """What the first writer does: follow the log from where the caches are."""
    with store.store.exclusive():
        store.store.view()


def drop_caches(control_dir: str) -> None:
    """Leave nothing but the log, so that the next writer rebuilds everything from it."""
    for name in os.listdir(control_dir):
        path = os.path.join(control_dir, name)
        if name.startswith("claims.") and name != LOG_NAME and os.path.isfile(path):
            os.unlink(path)
