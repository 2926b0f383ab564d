"""A second opinion of the log, which shares no code with the program: JSON lines, a dictionary, and the rules.

`read_log` proves what must hold for every log, whatever happened to its writers: every line whole, sequences without a
gap, batches complete, a resource never granted while somebody has it, fences that only grow.
"""

from __future__ import annotations

import gzip
import json
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

GRANTED = ("acquired", "transferred")
KEPT = ("renewed", "heartbeat")
ENDED = ("released", "evicted")
ANSWERED = ("denied", "refused")


@dataclass
class Replayed:
    """What the log adds up to."""

    sequence: int = 0
    fence: int = 0
    active: dict[str, dict[str, Any]] = field(default_factory=dict)
    granted: set[str] = field(default_factory=set)
    ended: dict[str, str] = field(default_factory=dict)
    owned: dict[str, str] = field(default_factory=dict)
    types: list[str] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)

    def holders(self) -> dict[str, str]:
        """Who has each resource."""
        return dict(self.owned)

    def begin(self, payload: dict[str, Any]) -> None:
        """A lease begins; a second holder of one of its resources is a fault."""
        lease_id = payload["lease_id"]
        for resource in resources_of(payload):
            assert resource not in self.owned, f"{resource} is held by {self.owned[resource]} and by {lease_id}"
            self.owned[resource] = lease_id
        self.active[lease_id] = payload

    def end(self, lease_id: str, how: str) -> None:
        assert lease_id in self.active, f"{lease_id} ended, but nobody had it"
        for resource in resources_of(self.active.pop(lease_id)):
            del self.owned[resource]
        self.ended[lease_id] = how


def read_log(path: Path, *, torn: bool = False) -> Replayed:
    """Check a log from its first byte. With `torn` the last batch may be unfinished, and is then left out."""
    data = path.read_bytes()
    whole, _, rest = data.rpartition(b"\n")
    assert torn or not rest, f"{path} does not end with a line's end: {rest[:80]!r}"
    state = Replayed()
    part: list[dict[str, Any]] = []
    for line in whole.split(b"\n") if whole else []:
        record = parse_line(line)
        assert record["batch"]["index"] == len(part), f"a batch with lines missing or out of order: {line[:200]!r}"
        part.append(record)
        if len(part) == record["batch"]["count"]:
            for one in part:
                _apply(state, one)
            part = []
    assert torn or not part, "the last batch is not finished"
    return state


def parse_line(line: bytes) -> dict[str, Any]:
    text, mark, check = line.rpartition(b',"crc":"')
    assert mark, f"no checksum: {line[:200]!r}"
    assert int(check[:8], 16) == zlib.crc32(text), f"damaged: {line[:200]!r}"
    record: dict[str, Any] = json.loads(line)
    return record


def resources_of(payload: dict[str, Any]) -> list[str]:
    return [f"issue:{payload['issue_id']}"] if "issue_id" in payload else list(payload["resources"])


def read_segment(path: Path) -> list[dict[str, Any]]:
    """The records of an archived segment."""
    return [parse_line(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def _apply(state: Replayed, record: dict[str, Any]) -> None:
    verb = record["event_type"].partition(".")[2]
    payload = record["payload"]
    if verb == "checkpoint":
        assert state.sequence == 0, "a checkpoint in the middle of a log"
        state.sequence, state.fence = record["sequence"], payload["fence"]
        return
    if verb == "carried":
        assert record["sequence"] == state.sequence, "a carried lease that is not at its checkpoint"
        state.begin(payload)
        return
    assert record["sequence"] == state.sequence + 1, f"{state.sequence} is followed by {record['sequence']}"
    state.sequence = record["sequence"]
    state.types.append(record["event_type"])
    state.records.append(record)
    if verb not in ANSWERED:
        _change(state, verb, payload)


def _change(state: Replayed, verb: str, payload: dict[str, Any]) -> None:
    lease_id = payload["lease_id"]
    if verb in ENDED:
        state.end(lease_id, payload.get("op", verb))
        return
    if verb in KEPT:
        assert lease_id in state.active, f"{lease_id} was kept, but nobody had it"
        state.active[lease_id] = payload
        return
    assert verb in GRANTED, verb
    if verb == "transferred":
        state.end(payload["previous"], "transfer")
    assert payload["fence"] > state.fence, f"fence {payload['fence']} after {state.fence}"
    state.fence = payload["fence"]
    state.begin(payload)
    state.granted.add(lease_id)
