"""The log's lines: an envelope around each event, and back.

One batch is one or more lines that are written together. Each line has `sequence`, `event_type`, `timestamp`,
`batch`, `payload`; the first line of a batch also has `actor`, `command` and `evidence`, so that the decision can be
made again. `crc` is the CRC-32 of everything before it: a line that was damaged anywhere is found without parsing it.

The order of the keys up to the lease id is fixed: `scan` relies on it.
"""

from __future__ import annotations

from binascii import crc32

from jit.kernel.instant import Instant, rfc3339
from jit.kernel.jsontext import dumps, loads
from jit.kernel.record import Record
from jit.store.api import Batch
from jit.store.commands import command_fields, decode_command, owner_of
from jit.store.events import decode_event, event_text
from jit.store.leases import decode_owner, instant_text, owner_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.lease import Evidence, ProcessRef
    from jit.kernel.policy import Liveness

SCHEMA_VERSION = 1
CRC_BYTES = 18  # ,"crc":"xxxxxxxx"}


class Line(Record):
    """One line of the log, taken apart as far as placing it needs."""

    sequence: int
    event_type: str
    batch_id: str
    index: int
    count: int
    body: dict[str, object]


def encode_batch(batch: Batch, sequence: int) -> list[bytes]:
    """The lines of a batch whose first event gets `sequence`."""
    count = len(batch.events)
    lines = []
    for index, event in enumerate(batch.events):
        event_type, payload = event_text(event)
        place = Place(sequence + index, event_type, batch.evidence.now.wall_ms, batch.batch_id, index, count)
        lines.append(seal(place, payload, _decision(batch) if index == 0 else ""))
    return lines


class Place(Record):
    """Where a line stands: the head of its envelope."""

    sequence: int
    event_type: str
    wall_ms: int
    batch_id: str
    index: int
    count: int


def seal(place: Place, payload: str, rest: str = "") -> bytes:
    """One whole line: head, payload, what else there is, checksum, end."""
    text = (
        f'{{"schema_version":{SCHEMA_VERSION},"sequence":{place.sequence},"event_type":"{place.event_type}",'
        f'"timestamp":"{rfc3339(place.wall_ms)}",'
        f'"batch":{{"id":"{place.batch_id}","index":{place.index},"count":{place.count}}},"payload":{{{payload}}}{rest}'
    ).encode()
    return text + b',"crc":"%08x"}\n' % crc32(text)


def is_whole(line: bytes) -> bool:
    """Is this line, without its end, just as it was written?"""
    return line[-CRC_BYTES:] == b',"crc":"%08x"}' % crc32(line[:-CRC_BYTES])


def decode_line(line: bytes) -> Line:
    """Take a line apart; `ValueError` if it is not a line of this log."""
    body = loads(line.decode())
    if not isinstance(body, dict) or body.get("schema_version") != SCHEMA_VERSION:
        raise ValueError("not a record of this log")
    batch = body["batch"]
    return Line(body["sequence"], body["event_type"], batch["id"], batch["index"], batch["count"], body)


def decode_batch(lines: list[Line]) -> Batch:
    """Put a batch together again from all of its lines."""
    head = lines[0].body
    owner = decode_owner(_section(head, "actor"))
    events = tuple(decode_event(line.event_type, _section(line.body, "payload")) for line in lines)
    command = decode_command(owner, _section(head, "command"))
    return Batch(lines[0].batch_id, command, _decode_evidence(_section(head, "evidence")), events)


def _section(body: dict[str, object], name: str) -> dict[str, object]:
    value = body.get(name)
    if not isinstance(value, dict):
        raise ValueError(f"a record without {name}")  # noqa: TRY004  damage is one kind of fault, whatever the type
    return value


def _decision(batch: Batch) -> str:
    """Who asked, for what, and what was known."""
    actor, command = owner_fields(owner_of(batch.command)), command_fields(batch.command)
    return f',"actor":{{{actor}}},"command":{{{command}}},"evidence":{{{_evidence_fields(batch.evidence)}}}'


def _evidence_fields(evidence: Evidence) -> str:
    text = f'"now":{instant_text(evidence.now)}'
    if evidence.liveness:
        rows = [[r.host, r.boot_id, r.pid, r.start, r.namespace, alive] for r, alive in evidence.liveness.items()]
        text += f',"liveness":{dumps(rows)}'
    if evidence.content is not None:
        text += f',"content":{dumps(dict(evidence.content))}'
    return text if evidence.revision is None else f'{text},"revision":{evidence.revision}'


def _decode_evidence(body: dict[str, object]) -> Evidence:
    from jit.kernel.lease import Evidence, ProcessRef

    now: list[object] = body["now"]  # type: ignore[assignment]
    rows: list[list[object]] = body.get("liveness", [])  # type: ignore[assignment]
    liveness: dict[ProcessRef, Liveness] = {ProcessRef(*row[:5]): row[5] for row in rows}  # type: ignore[arg-type,misc]
    return Evidence(Instant(*now), liveness, body.get("revision"), body.get("content"))  # type: ignore[arg-type]
