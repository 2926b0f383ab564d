"""Signs of life: one small file per agent in the control plane, replaced with every beat.

The file says who beats, from where, and when: as text for people, and as the machine's boot-time reading, so that
silence can be measured without trusting the wall clock. A file that cannot be understood counts as no sign at all.
"""

from __future__ import annotations

import os
from os.path import join

from jit.kernel.instant import Instant, rfc3339
from jit.kernel.jsontext import dumps, loads
from jit.kernel.record import Record
from jit.world.files import Files

NAME_BYTES_LIMIT = 200


class Heartbeat(Record):
    agent_id: str
    worktree_id: str
    branch: str
    pid: int
    beat: Instant
    interval_secs: int


def write(control: str, heartbeat: Heartbeat, files: Files) -> None:
    path = path_of(control, heartbeat.agent_id)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    files.write(path, (dumps(as_json(heartbeat)) + "\n").encode("ascii"))


def read(control: str, agent_id: str) -> Heartbeat | None:
    """The last beat of an agent, or nothing if it never beat."""
    found = _read_file(path_of(control, agent_id))
    return found if found is not None and found.agent_id == agent_id else None


def read_all(control: str) -> list[Heartbeat]:
    """The last beat of every agent, by agent id."""
    folder = join(control, "heartbeat")
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".json")]
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = [_read_file(join(folder, name)) for name in names]
    return sorted((beat for beat in found if beat is not None), key=lambda beat: beat.agent_id)


def path_of(control: str, agent_id: str) -> str:
    """The file of an agent; a name too long for a file is shortened by a digest."""
    name = agent_id
    if len(os.fsencode(agent_id)) > NAME_BYTES_LIMIT:
        import hashlib

        name = f"{agent_id.partition(':')[0][:32]}:{hashlib.sha256(os.fsencode(agent_id)).hexdigest()[:32]}"
    return join(control, "heartbeat", f"{name}.json")


def as_json(heartbeat: Heartbeat) -> dict[str, object]:
    return {
        "agent_id": heartbeat.agent_id,
        "worktree_id": heartbeat.worktree_id,
        "branch": heartbeat.branch,
        "pid": heartbeat.pid,
        "last_beat": rfc3339(heartbeat.beat.wall_ms),
        "interval_secs": heartbeat.interval_secs,
        "wall_ms": heartbeat.beat.wall_ms,
        "boot_ms": heartbeat.beat.boot_ms,
        "boot_id": heartbeat.beat.boot_id,
    }


def _read_file(path: str) -> Heartbeat | None:
    try:
        with open(path, "rb") as file:
            found = loads(file.read(65_536).decode("utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(found, dict):
        return None
    texts = [found.get(name) for name in ("agent_id", "worktree_id", "branch", "boot_id")]
    numbers = [found.get(name) for name in ("pid", "interval_secs", "wall_ms", "boot_ms")]
    if not all(isinstance(text, str) for text in texts) or not all(type(number) is int for number in numbers):
        return None
    agent_id, worktree_id, branch, boot_id = map(str, texts)
    pid, interval_secs, wall_ms, boot_ms = (number for number in numbers if isinstance(number, int))
    return Heartbeat(agent_id, worktree_id, branch, pid, Instant(wall_ms, boot_ms, boot_id), interval_secs)
