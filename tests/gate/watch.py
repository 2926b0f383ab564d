"""An observer that reads nothing but the log, with a parser of its own: who held which file, one after the other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

BEGINS, KEEPS, ENDS = ("acquired",), ("renewed", "heartbeat"), ("released", "evicted", "expired", "lapsed")


def records(repository: Path) -> list[dict[str, Any]]:
    """All whole records of a repository's log."""
    lines = (repository / ".git/jit/claims.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def holders(repository: Path) -> dict[str, dict[str, Any]]:
    """The lease on each file after the last record. Two at a time, or the end of one that never began, is a fault."""
    held: dict[str, dict[str, Any]] = {}
    fence = 0
    for record in records(repository):
        kind, _, verb = record["event_type"].partition(".")
        payload = record["payload"]
        if verb in BEGINS:
            assert payload["fence"] > fence, f"fence {payload['fence']} after {fence}"
            fence = payload["fence"]
        if kind == "file" and verb != "denied":
            _change(held, verb, payload)
    return held


def _change(held: dict[str, dict[str, Any]], verb: str, payload: dict[str, Any]) -> None:
    name = next((name for name, lease in held.items() if lease["lease_id"] == payload["lease_id"]), "")
    if verb in BEGINS:
        (name,) = payload["resources"]
        assert name not in held, f"{name} is held by {held[name]['session_id']} and by {payload['session_id']}"
        held[name] = payload
    elif verb in ENDS:
        assert name, f"{payload['lease_id']} ended, and nobody had it"
        del held[name]
    else:
        assert verb in KEEPS, verb
        assert name, f"{payload['lease_id']} was kept, and nobody had it"


def holder_of(repository: Path, path: str) -> str:
    """The session that has a file, or nothing."""
    found = [lease["session_id"] for name, lease in holders(repository).items() if name.partition("/")[2] == path]
    return found[0] if found else ""


def names(repository: Path) -> set[str]:
    """The files that are held, in whichever worktree."""
    return {name.partition("/")[2] for name in holders(repository)}


def waits(repository: Path) -> list[dict[str, Any]]:
    """The notes of all waits that were begun or changed, in the order in which it happened."""
    found = [x for x in records(repository) if x["event_type"].startswith("wait.") and "note" in x["payload"]]
    return [json.loads(record["payload"]["note"]) for record in found]
