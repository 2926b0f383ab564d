"""SQLite, write-ahead log, synchronous=FULL: a lease row and an audit row in one transaction."""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_TTL_SECONDS = 600
_TABLES = """
create table if not exists lease (key text primary key, owner text not null, expires_at real not null) without rowid;
create table if not exists audit (sequence integer primary key, what text, key text, owner text, at real);
"""


class Sqlite:
    name = "sqlite"
    warmup_pairs = 3

    def __init__(self, directory: Path) -> None:
        self.path = directory / "sqlite" / "leases.db"
        self.keeper: sqlite3.Connection | None = None

    def prepare(self) -> None:
        """One connection stays open, or the last worker of each round would delete the write-ahead log."""
        if self.keeper is None:
            self.path.parent.mkdir(parents=True)
            self.keeper = open_database(self.path)
            self.keeper.executescript(_TABLES)

    def connect(self, worker: int) -> SqliteSession:
        return SqliteSession(open_database(self.path), f"agent:{worker}")

    def stop(self) -> None:
        if self.keeper is not None:
            self.keeper.close()


class SqliteSession:
    def __init__(self, database: sqlite3.Connection, owner: str) -> None:
        self.database = database
        self.owner = owner

    def acquire(self, key: str) -> None:
        now = time.time()
        run = self.database.execute
        run("begin immediate")
        lease = (key, self.owner, now + _TTL_SECONDS)
        if run("insert into lease values (?, ?, ?) on conflict do nothing", lease).rowcount != 1:
            raise RuntimeError(f"{key} is held")
        run("insert into audit (what, key, owner, at) values ('acquired', ?, ?, ?)", (key, self.owner, now))
        run("commit")

    def release(self, key: str, _token: object) -> None:
        run = self.database.execute
        run("begin immediate")
        run("delete from lease where key = ? and owner = ?", (key, self.owner))
        run("insert into audit (what, key, owner, at) values ('released', ?, ?, ?)", (key, self.owner, time.time()))
        run("commit")

    def close(self) -> None:
        self.database.close()


def open_database(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, timeout=30)
    database.execute("pragma journal_mode = wal")
    database.execute("pragma synchronous = full")
    return database
