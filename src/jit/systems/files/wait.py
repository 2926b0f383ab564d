"""What a wait remembers: until when, for whom, and what the file held when it was denied."""

from __future__ import annotations

from jit.kernel.instant import Instant
from jit.kernel.jsontext import dumps, loads
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from jit.kernel.lease import Lease

    Phase = Literal["waiting", "queued", "blocked", "deadlock"]


class Wait(Record):
    """`due` is the one moment at which the attempt may be made again; in a queue, until when its turn is kept."""

    phase: Phase
    due: Instant | None
    holder: str
    held_by: str
    held_since: Instant
    content: str


def wait_of(lease: Lease) -> Wait:
    body = loads(lease.note)
    if not isinstance(body, dict):
        raise TypeError(f"lease {lease.lease_id} is not a wait")
    due = body["due"]
    return Wait(
        body["phase"],
        None if due is None else Instant(*due),
        body["holder"],
        body["held_by"],
        Instant(*body["held_since"]),
        body["content"],
    )


def note_of(wait: Wait) -> str:
    def row(instant: Instant) -> list[object]:
        return [instant.wall_ms, instant.boot_ms, instant.boot_id]

    return dumps(
        {
            "phase": wait.phase,
            "due": None if wait.due is None else row(wait.due),
            "holder": wait.holder,
            "held_by": wait.held_by,
            "held_since": row(wait.held_since),
            "content": wait.content,
        }
    )
