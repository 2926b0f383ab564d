"""A writer that never stops: `python -m tests.crash.worker FOLDER NUMBER ROLE`.

An `agent` claims, renews, releases and takes over, and writes what it was told into its own file, after it was told.
A `reader` looks at the state and the history. A `mender` throws the caches away and has them made anew. Each goes on
until it is killed.
"""

from __future__ import annotations

import itertools
import os
import random
import sys
from pathlib import Path

from jit.app import SystemWorld
from jit.engine import Engine
from jit.kernel.commands import Acquire, Release, Renew
from jit.kernel.lease import Owner
from jit.kernel.policy import Ttl
from jit.store.jsonl import JsonlStore, Options
from jit.store.plane import Plane

ISSUES = 8
SHORT_MS, LONG_MS = 5, 2_000


def main(folder: Path, number: int, role: str) -> None:
    world = SystemWorld()
    store = JsonlStore(Plane(str(folder / "jit")), world, Options(wait_ms=60_000))
    told = os.open(folder / f"told-{number}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    work = {"agent": agent, "reader": reader, "mender": mender}[role]
    work(store, world, number, told)


def agent(store: JsonlStore, world: SystemWorld, number: int, told: int) -> None:
    engine, chance = Engine(store, world), random.Random(number)
    owner = Owner(f"agent:{number}", f"wt:{number:08x}")
    held: list[str] = []
    command: Acquire | Renew | Release
    while True:
        if held and chance.random() < 0.5:
            lease = held.pop(chance.randrange(len(held)))
            command = Renew(lease, owner) if chance.random() < 0.3 else Release(lease, owner, "done")
        else:
            ttl = Ttl(chance.choice((SHORT_MS, LONG_MS)))
            issue = f"issue:{chance.randrange(ISSUES)}"
            command = Acquire(world.ulid(world.now().wall_ms), (issue,), owner, ttl)
        answer = engine.submit(command).answer
        kind = type(answer).__name__
        os.write(told, f"{kind} {command.lease_id}\n".encode())
        if kind in ("Granted", "Renewed"):
            held.append(command.lease_id)


def reader(store: JsonlStore, world: SystemWorld, number: int, told: int) -> None:
    for look in itertools.count():
        ledger = store.snapshot().ledger
        held = [resource for lease in ledger for resource in lease.resources]
        assert len(held) == len(set(held)), held
        if look % 10 == 0:
            places = [(x.first, x.last) for x in store.read()]
            assert all(last[1] + 1 == first[0] for last, first in itertools.pairwise(places)), places
        os.write(told, b"looked -\n")


def mender(store: JsonlStore, world: SystemWorld, number: int, told: int) -> None:
    while True:
        for path in (store.plane.table, store.plane.index):
            Path(path).unlink(missing_ok=True)
        fresh = JsonlStore(store.plane, world, store.options)
        with fresh.exclusive():
            fresh.view()
        fresh.close()
        os.write(told, b"mended -\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
