"""The claims registry in its simplest form: under one lock, read the whole index, append, rewrite the whole index.

Log, index and directory are each synced before the lock is given up, so it is durable, and it is what one would write
first. Every operation costs as much as there are leases.
"""

from __future__ import annotations

import fcntl
import json
import os
import uuid
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_TTL_SECONDS = 600
_FILL_TTL_SECONDS = 10_000_000


class Naive:
    warmup_pairs = 0

    def __init__(self, directory: Path, leases: int) -> None:
        self.name = f"naive-{leases}"
        self.leases = leases
        self.directory = directory / self.name

    def prepare(self) -> None:
        if self.directory.exists():
            return
        self.directory.mkdir(parents=True)
        active = [new_lease(f"filled-{n}", f"agent:{n % 50}", _FILL_TTL_SECONDS) for n in range(self.leases)]
        NaiveSession(self.directory, "agent:fill").write_index({"sequence": self.leases, "active": active})

    def connect(self, worker: int) -> NaiveSession:
        return NaiveSession(self.directory, f"agent:{worker}")


class NaiveSession:
    def __init__(self, directory: Path, agent: str) -> None:
        self.directory = directory
        self.agent = agent
        self.log = directory / "claims.jsonl"
        self.index = directory / "claims.index.json"

    def acquire(self, key: str) -> object:
        with self.locked():
            index = self.read_index()
            if any(lease["issue_id"] == key for lease in index["active"]):
                raise RuntimeError(f"{key} is held")
            lease = new_lease(key, self.agent, _TTL_SECONDS)
            index["active"].append(lease)
            self.record(index, {"op": "acquire", **lease})
        return lease["lease_id"]

    def release(self, _key: str, token: object) -> None:
        with self.locked():
            index = self.read_index()
            index["active"] = [lease for lease in index["active"] if lease["lease_id"] != token]
            self.record(index, {"op": "release", "lease_id": token, "released_by": self.agent})

    def close(self) -> None:
        pass

    @contextmanager
    def locked(self) -> Iterator[None]:
        with (self.directory / "claims.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def read_index(self) -> dict[str, Any]:
        """The index without the leases that have run out."""
        index: dict[str, Any] = json.loads(self.index.read_text())
        now = datetime.now(UTC)
        index["active"] = [one for one in index["active"] if datetime.fromisoformat(one["expires_at"]) > now]
        return index

    def record(self, index: dict[str, Any], operation: dict[str, object]) -> None:
        index["sequence"] += 1
        line = json.dumps({"schema_version": 1, "sequence": index["sequence"], **operation})
        with self.log.open("a") as log:
            log.write(line + "\n")
            log.flush()
            os.fsync(log.fileno())
        self.write_index(index)

    def write_index(self, index: dict[str, Any]) -> None:
        temporary = self.index.with_suffix(".tmp")
        with temporary.open("w") as file:
            file.write(json.dumps({"schema_version": 1, "generated_at": timestamp(), **index}, indent=2))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self.index)
        directory = os.open(self.directory, os.O_RDONLY)
        os.fsync(directory)
        os.close(directory)


def new_lease(issue: str, agent: str, ttl_seconds: int) -> dict[str, object]:
    return {
        "lease_id": str(uuid.uuid4()),
        "issue_id": issue,
        "agent_id": agent,
        "worktree_id": "wt:0badcafe",
        "branch": "main",
        "ttl_secs": ttl_seconds,
        "acquired_at": timestamp(),
        "expires_at": timestamp(ttl_seconds),
        "last_beat": timestamp(),
        "stale": False,
    }


def timestamp(ahead_seconds: int = 0) -> str:
    return (datetime.now(UTC) + timedelta(seconds=ahead_seconds)).isoformat()
