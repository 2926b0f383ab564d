"""What the live log tells about single files. Damaged lines tell nothing, and what was archived is not looked at."""

from __future__ import annotations

from jit.kernel.jsontext import dumps
from jit.store.codec import decode_line, is_whole
from jit.store.events import decode_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import BinaryIO

    from jit.kernel.events import Event

OF_FILES = b'"event_type":"file.'
HEAD_BYTES = 80  # the event's type stands within the first bytes of a line
KEY = b'"resources":['
TIME = b'"timestamp":"'
TIME_BYTES = 24


def events_about(log: str, resources: Collection[str], since: str = "") -> Iterator[tuple[str, Event]]:
    """What happened to these files, each event with the file it is about; with `since`, only from that time on."""
    wanted = {dumps(resource).encode() for resource in resources}
    try:
        file = open(log, "rb")  # noqa: SIM115  closed below, once the file was found
    except FileNotFoundError:
        return
    with file:
        if since:
            _go_to(file, since.encode())
        for line in file:
            if not _may_tell(line, wanted) or not is_whole(line[:-1]):
                continue
            told = decode_line(line[:-1])
            payload = told.body["payload"]
            if isinstance(payload, dict) and payload.get("resources", [""])[0] in resources:
                yield payload["resources"][0], decode_event(told.event_type, payload)


def _go_to(file: BinaryIO, since: bytes) -> None:
    """Move to the first line that is not older, by halving; lines are in the order of their times."""
    low, high = 0, file.seek(0, 2)
    while high - low > 1:
        middle = (low + high) // 2
        file.seek(middle)
        file.readline()
        if _time_of(file.readline()) < since:
            low = middle
        else:
            high = middle
    file.seek(low)
    start = low + (len(file.readline()) if low else 0)
    while _time_of(line := file.readline()) < since:
        start += len(line)
    file.seek(start)


def _time_of(line: bytes) -> bytes:
    """The text of a line's time, which sorts like the time; behind the last line comes the end of time."""
    start = line.find(TIME) + len(TIME)
    return line[start : start + TIME_BYTES] if line else b"~"


def _may_tell(line: bytes, wanted: set[bytes]) -> bool:
    """A look that needs no parsing, for a log of many records; names with escapes in them are looked at closely."""
    if OF_FILES not in line[:HEAD_BYTES]:
        return False
    start = line.find(KEY) + len(KEY)
    name = line[start : line.find(b"]", start)]
    return name in wanted or b"\\" in name or b"]" in b"".join(wanted)
