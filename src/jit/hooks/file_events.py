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
    from jit.kernel.instant import Instant

OF_FILES = b'"event_type":"file.'
HEAD_BYTES = 80  # the event's type stands within the first bytes of a line
KEY = b'"resources":['
MOMENT = b'"evidence":{"now":['


def events_about(log: str, resources: Collection[str], since: Instant | None = None) -> Iterator[tuple[str, Event]]:
    """What happened to these files, each event with the file it is about; with `since`, from that moment on."""
    wanted = {dumps(resource).encode() for resource in resources}
    try:
        file = open(log, "rb")  # noqa: SIM115  closed below, once the file was found
    except FileNotFoundError:
        return
    with file:
        for line in file if since is None else _lines_since(file, since):
            if not _may_tell(line, wanted) or not is_whole(line[:-1]):
                continue
            told = decode_line(line[:-1])
            payload = told.body["payload"]
            if isinstance(payload, dict) and payload.get("resources", [""])[0] in resources:
                yield payload["resources"][0], decode_event(told.event_type, payload)


def _lines_since(file: BinaryIO, since: Instant) -> Iterator[bytes]:
    """The lines that are not older, found by halving: they are in the order of their moments."""
    low, high = 0, file.seek(0, 2)
    while high - low > 1:
        middle = (low + high) // 2
        file.seek(middle)
        file.readline()
        if next((older for line in file if (older := _is_older(line, since)) is not None), False):
            low = middle
        else:
            high = middle
    file.seek(low)
    if low:
        file.readline()
    older = True
    for line in file:
        older = older and _is_older(line, since) is not False
        if not older:
            yield line


def _is_older(line: bytes, since: Instant) -> bool | None:
    """By the clock that nobody can set; another boot was before. Nothing if the line does not tell its moment."""
    start = line.find(MOMENT)
    told = line[start + len(MOMENT) : line.find(b"]", start)].split(b",") if start >= 0 else []
    if len(told) != 3 or not told[1].isdigit():
        return None
    return told[2] != f'"{since.boot_id}"'.encode() or int(told[1]) < since.boot_ms


def _may_tell(line: bytes, wanted: set[bytes]) -> bool:
    """A look that needs no parsing, for a log of many records; names with escapes in them are looked at closely."""
    if OF_FILES not in line[:HEAD_BYTES]:
        return False
    start = line.find(KEY) + len(KEY)
    name = line[start : line.find(b"]", start)]
    return name in wanted or b"\\" in name or b"]" in b"".join(wanted)
