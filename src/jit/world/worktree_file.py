"""The file that keeps a worktree's identity, checked whenever it is read."""

from __future__ import annotations

import posix

from jit.disk import join
from jit.errors import Invalid, Unavailable
from jit.kernel.ids import is_worktree_id
from jit.kernel.jsontext import dumps, loads
from jit.kernel.record import Record

SCHEMA_VERSION = 1
IDENTITY_FILE = ".jit/worktree.json"


class WorktreeIdentity(Record):
    schema_version: int
    worktree_id: str
    branch: str
    root: str
    created_at: str
    relocated_at: str | None = None


def read(root: str) -> WorktreeIdentity | None:
    """The identity kept in a worktree, as it is; nothing if there is none yet."""
    found = load(root)
    return found[0] if found else None


def load(root: str) -> tuple[WorktreeIdentity, int] | None:
    """The identity of a worktree and the millisecond in which its file came into being."""
    path = join(root, IDENTITY_FILE)
    try:
        with open(path, "rb") as file:
            written_ms = posix.fstat(file.fileno()).st_ctime_ns // 1_000_000
            text = file.read(65_536)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as fault:
        raise Unavailable(f"cannot read {path}: {fault.strerror}", hint=f"ls -ld '{path}'") from fault
    return decode(text, path), written_ms


def encode(identity: WorktreeIdentity) -> bytes:
    fields = {
        "schema_version": identity.schema_version,
        "worktree_id": identity.worktree_id,
        "branch": identity.branch,
        "root": identity.root,
        "created_at": identity.created_at,
    }
    if identity.relocated_at is not None:
        fields["relocated_at"] = identity.relocated_at
    return (dumps(fields, indent=2) + "\n").encode("ascii")


def decode(raw: bytes, path: str) -> WorktreeIdentity:
    try:
        found = loads(raw.decode("utf-8"))
    except ValueError:
        raise _damaged(path, "it is not JSON") from None
    if not isinstance(found, dict):
        raise _damaged(path, "it is not a JSON object")
    texts = [found.get(name) for name in ("worktree_id", "branch", "root", "created_at")]
    schema, moved = found.get("schema_version"), found.get("relocated_at")
    if schema != SCHEMA_VERSION:
        raise _damaged(path, f"its schema_version is {schema!r}, this jit knows {SCHEMA_VERSION}")
    if not all(isinstance(text, str) for text in texts) or not is_worktree_id(str(texts[0])):
        raise _damaged(path, "worktree_id, branch, root or created_at is missing or wrong")
    name, at_branch, root, created_at = map(str, texts)
    relocated_at = moved if isinstance(moved, str) else None
    return WorktreeIdentity(SCHEMA_VERSION, name, at_branch, root, created_at, relocated_at)


def _damaged(path: str, why: str) -> Invalid:
    return Invalid(
        f"the worktree identity {path} cannot be used: {why}",
        hint=f"rm '{path}' (the next jit command makes a new identity; leases of the old one can be evicted)",
        details={"file": path},
    )
