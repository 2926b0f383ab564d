"""The page of event types, each with a record that the engine really made."""

from __future__ import annotations

import json
from tempfile import TemporaryDirectory

from generator.markdown import block, code, document, table
from generator.scene import ANNA, BEN, StillWorld
from jit.engine import Engine
from jit.kernel.commands import Acquire, Beat, Evict, Release, Renew, Transfer
from jit.kernel.policy import Indefinite, Ttl
from jit.store.archive import archive, segments
from jit.store.codec import encode_batch
from jit.store.jsonl import JsonlStore
from jit.store.memory import MemoryStore
from jit.store.plane import Plane
from jit.store.repair import repair
from jit.systems.claims.decide import Claim, Quota

INTRODUCTION = """
The log, `claims.jsonl`, has one record per line. A decision is a **batch** of one or more records that are stored
together or not at all. The samples below were made by the engine with a clock that stands still, and are broken into
lines here for reading; in the log each is one line of compact ASCII JSON.

| field | meaning |
|---|---|
| `schema_version` | 1 |
| `sequence` | the position in the log: 1, 2, 3 … without a gap, unless a `log.repaired` record names it |
| `event_type` | `<noun>.<verb>`; the noun follows from what the lease is on: an issue gives `claim` |
| `timestamp` | when it was decided, as the wall clock had it |
| `batch` | `id` of the batch, `index` of this record in it, `count` of its records |
| `payload` | the event: always the lease as it is now, and what the event adds |
| `actor` | who asked; in the first record of a batch |
| `command` | what was asked; in the first record of a batch |
| `evidence` | what the world was asked before deciding; in the first record of a batch |
| `crc` | CRC-32, in hex, of everything in the line before it |

An instant is `[wall_ms, boot_ms, boot_id]`: milliseconds of the wall clock, milliseconds of the boot-time clock, and
which boot that was. In `payload`, `renewed` and `beat` are left out while they equal `acquired`. `ttl_secs` is 0 for
a lease without end; such a lease has `stale_after_ms`.

`actor`, `command` and `evidence` are enough to make the decision again: `jit validate replay` does so for every
batch. Refusals that explain nothing later (a mistyped id, no work, your own lease asked for twice, a reason that is
missing, a lease that has run out) are answered but not recorded.
"""
MEANING = {
    "claim.acquired": "A claim was granted. The fence is one more than the grant before.",
    "claim.renewed": "Its holder started the claim's time anew.",
    "claim.heartbeat": "Its holder gave a sign of life. The end of a claim with a time to live does not move.",
    "claim.released": "Its holder gave it back.",
    "claim.evicted, auto-evict": "It lapsed: its time had passed. Recorded once, by the next command that touched it.",
    "claim.evicted, force-evict": "Somebody took it away, and `why` says with which reason.",
    "claim.transferred": "`previous` ended and this lease began, in one step. It is a grant, so the fence grows.",
    "claim.denied": "Somebody else holds the issue: the payload is the lease in the way, `requested_by` who asked.",
    "claim.refused": "It cannot be done, for a reason that is not another holder: `code` says which.",
    "log.checkpoint": "The first record of a log whose older part was archived. It repeats the last archived sequence.",
    "claim.carried": "After a checkpoint: a lease that was active when the log was archived.",
    "log.repaired": "`jit doctor --fix` mended the log: what could not be read, and which leases were found active.",
}
GENEROUS = Quota(2, 10)


def page() -> str:
    samples = _samples()
    missing = set(MEANING) - set(samples)
    if missing:
        raise AssertionError(f"no sample was made of {sorted(missing)}")
    rows = [(f"[{code(name)}](#{_anchor(name)})", MEANING[name]) for name in samples]
    parts = [part for name, record in samples.items() for part in (f"## {name}", MEANING[name], block(record, "json"))]
    return document("Events", INTRODUCTION, table(("event", "what happened"), rows), *parts)


def _anchor(name: str) -> str:
    return name.replace(".", "").replace(",", "").replace(" ", "-")


def _samples() -> dict[str, str]:
    """One record of each kind, by its name."""
    world = StillWorld()
    store = MemoryStore()
    _tell_story(Engine(store, world), world)
    lines = [line for entry in store.read() for line in encode_batch(entry.batch, entry.first)]
    for made in (_archived, _repaired):
        with TemporaryDirectory() as folder:
            lines += made(folder)
    found: dict[str, str] = {}
    for line in lines:
        record = json.loads(line)
        found.setdefault(_name(record), readable(record))
    return {name: found[name] for name in MEANING if name in found}


def _tell_story(engine: Engine, world: StillWorld) -> None:
    first = _claim(engine, world, "A", 600)
    engine.submit(Claim(Acquire(world.new_id(), (_issue("A"),), BEN, Ttl(600_000), "", "topic"), GENEROUS))
    world.wait(60_000)
    engine.submit(Beat(first, ANNA))
    engine.submit(Renew(first, ANNA))
    engine.submit(Renew(first, BEN))
    engine.submit(Transfer(first, ANNA, BEN, second := world.new_id(), "review", "topic"))
    world.wait(1000)
    engine.submit(Evict(second, ANNA, "agent crashed"))
    engine.submit(Release(_claim(engine, world, "A", 600), ANNA, "done"))
    _claim(engine, world, "B", 60)
    world.wait(61_000)
    _claim(engine, world, "B", 60)


def _archived(folder: str) -> list[bytes]:
    """The beginning of a log after its history was moved into a segment."""
    world = StillWorld()
    plane = Plane(folder)
    store = JsonlStore(plane, world)
    _claim(Engine(store, world), world, "C", 0)
    world.wait(1000)
    archive(store, world.now())
    store.close()
    with open(plane.log, "rb") as file:
        return file.readlines()


def _repaired(folder: str) -> list[bytes]:
    """The last record of a segment that was saved from a damaged log."""
    world = StillWorld()
    plane = Plane(folder)
    store = JsonlStore(plane, world)
    for letter in "DEF":
        _claim(Engine(store, world), world, letter, 600)
    store.close()
    with open(plane.log, "r+b") as file:
        file.seek(len(file.readline()) + 100)
        file.write(b"#")
    repair(plane, world.now(), wait_ms=1000)
    return list(segments(plane)[-1].lines())[-1:]


def _claim(engine: Engine, world: StillWorld, letter: str, ttl_secs: int) -> str:
    policy = Ttl(ttl_secs * 1000) if ttl_secs else Indefinite(3_600_000)
    acquire = Acquire(world.new_id(), (_issue(letter),), ANNA, policy, "" if ttl_secs else "schema migration", "main")
    engine.submit(Claim(acquire, GENEROUS))
    return acquire.lease_id


def _issue(letter: str) -> str:
    return f"issue:01KE1ZKAG0{letter * 16}"


def _name(record: dict[str, object]) -> str:
    payload = record["payload"]
    op = payload.get("op") if isinstance(payload, dict) else None
    return f"{record['event_type']}, {op}" if op in ("auto-evict", "force-evict") else str(record["event_type"])


def readable(record: dict[str, object]) -> str:
    """The record with a line for each field, and for each field of its larger parts."""
    lines = [f'  "{name}": {_value(name, value)}' for name, value in record.items()]
    return "{\n" + ",\n".join(lines) + "\n}"


def _value(name: str, value: object) -> str:
    if name not in ("payload", "command") or not isinstance(value, dict):
        return json.dumps(value)
    inner = [f'    "{key}": {_part(part)}' for key, part in value.items()]
    return "{\n" + ",\n".join(inner) + "\n  }"


def _part(value: object) -> str:
    """A list of objects has a line for each; anything else is one line."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        return json.dumps(value)
    return "[\n" + ",\n".join(f"      {json.dumps(one)}" for one in value) + "\n    ]"
