"""One pass over the log that finds each active lease's latest record.

Most records are never parsed: a pattern takes the sequence, the type and the lease id from the fixed head of the
line, the checksum proves that the rest is whole, and only the last record of a lease that is still active is worth
reading. That is what makes rebuilding a long log fast.

A tail that is not finished (no end of line, or a batch with lines missing) is a write that never returned: it is left
out, and `end` says where it begins. Anything else that is wrong is damage and is reported with file, line and byte
offset.
"""

from __future__ import annotations

import posix
from binascii import crc32

from jit.errors import LogCorrupt
from jit.store.codec import CRC_BYTES, decode_line, is_whole
from jit.store.events import ENDED, GRANTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from typing import BinaryIO

    Progress = Callable[[int, int], None]
    Head = tuple[int, str, str, int, int, str]

CHUNK = 4 << 20
SHORT = 64 << 10  # below this, compiling the pattern costs more than it saves
CHECKPOINT = "log.checkpoint"
_HEAD = (
    rb'\{"schema_version":1,"sequence":(\d+),"event_type":"[a-z]+\.([a-z]+)","timestamp":"[^"]+",'
    rb'"batch":\{"id":"[0-9A-Z]+","index":0,"count":1\},"payload":\{"lease_id":"([0-9A-Z]*)"'
)
_OVER = (b"released", b"evicted")
_PLAIN = (b"acquired", b"renewed", b"heartbeat", *_OVER)


class Scan:
    """What one pass has found so far. `at` maps each active lease to the offset of its latest record."""

    def __init__(self, path: str, *, end: int = 0, sequence: int = 0, fence: int = 0) -> None:
        self.path = path
        self.end = end
        self.sequence = sequence
        self.fence = fence
        self.at: dict[str, int] = {}
        self._open: list[tuple[int, Head, bytes]] = []

    def run(self, fd: int, size: int, progress: Progress | None = None) -> Scan:
        """Read from `end` to `size`."""
        position = self.end
        take = self._many if size - position > SHORT else self._lines
        rest = b""
        while position < size:
            chunk = posix.pread(fd, min(CHUNK, size - position), position)
            if not chunk:
                break
            lines = (rest + chunk).split(b"\n")
            start = position - len(rest)
            rest = lines.pop()
            position += len(chunk)
            take(lines, start)
            if progress:
                progress(position, size)
        return self

    def _many(self, lines: list[bytes], offset: int) -> None:
        """The same as `_lines` for a long log: plain records without a function call each, all others handed on."""
        match_head, at, checksum, pending = _pattern(), self.at, crc32, self._open
        sequence, fence = self.sequence, self.fence
        for line in lines:
            match = match_head(line)
            if (
                match is not None
                and (verb := match[2]) in _PLAIN
                and int(match[1]) == sequence + 1
                and not pending
                and line[-CRC_BYTES:] == b',"crc":"%08x"}' % checksum(line[:-CRC_BYTES])
            ):
                sequence += 1
                if verb in _OVER:
                    at.pop(match[3].decode(), None)
                else:
                    at[match[3].decode()] = offset
                    fence += verb == b"acquired"
            else:
                self.sequence, self.fence = sequence, fence
                self.end = self.end if pending else offset
                self._lines([line], offset)
                sequence, fence = self.sequence, self.fence
            offset += len(line) + 1
        self.sequence, self.fence = sequence, fence
        self.end = self.end if pending else offset

    def _lines(self, lines: list[bytes], offset: int) -> None:
        for line in lines:
            head = _head(line) if is_whole(line) else None
            if head is None:
                self._odd(line, offset)
            elif head[4] != 1 or self._open:
                self._part(line, offset, head)
            else:
                self._apply(line, offset, head)
                self.end = offset + len(line) + 1
            offset += len(line) + 1

    def _apply(self, line: bytes, offset: int, head: Head) -> None:
        number, verb, _, _, _, lease_id = head
        if number != self.sequence + 1:
            self._out_of_step(offset, number, verb)
        self.sequence = number
        if verb in ENDED:
            self.at.pop(lease_id, None)
        elif verb not in ("denied", "refused"):
            self.at[lease_id] = offset
            if verb in GRANTS:
                self.fence += 1
                if verb == "transferred":
                    self.at.pop(_previous(line), None)

    def _out_of_step(self, offset: int, number: int, verb: str) -> None:
        # Leases that an archive carried over stand at the sequence of its checkpoint.
        if verb != "carried" or number != self.sequence:
            raise damage(self.path, offset, f"the sequence jumps from {self.sequence} to {number}")

    def _part(self, line: bytes, offset: int, head: Head) -> None:
        """A line of a longer batch: held back until the batch is whole."""
        _, _, batch, index, count, _ = head
        if index != len(self._open) or (self._open and batch != self._open[0][1][2]):
            raise damage(self.path, offset, f"batch {batch} has lines missing or out of order")
        self._open.append((offset, head, line))
        if len(self._open) == count:
            for at, part, text in self._open:
                self._apply(text, at, part)
            self._open.clear()
            self.end = offset + len(line) + 1

    def _odd(self, line: bytes, offset: int) -> None:
        """The first line of a log whose older part was archived, or damage."""
        if not is_whole(line):
            raise damage(self.path, offset, "the record does not match its checksum")
        try:
            found = decode_line(line)
            payload = found.body["payload"]
            fence = payload["fence"]  # type: ignore[index]
        except (ValueError, KeyError, TypeError) as error:
            raise damage(self.path, offset, f"the record cannot be read: {error!r}") from None
        if found.event_type != CHECKPOINT or offset != 0 or not isinstance(fence, int):
            raise damage(self.path, offset, f"a record of unknown form: {found.event_type}")
        self.sequence, self.fence = found.sequence, fence
        self.end = offset + len(line) + 1


def damage(path: str, offset: int, what: str) -> LogCorrupt:
    """The fault of a damaged log, with the line number counted only now that it is needed."""
    with _opened(path) as file:
        line = file.read(offset).count(b"\n") + 1
    return LogCorrupt(
        f"{path}, line {line} (byte {offset}): {what}",
        hint="run: jit doctor --fix (it keeps a copy of the damaged file and every readable record)",
        details={"file": path, "line": line, "offset": offset},
    )


def _opened(path: str) -> BinaryIO:
    if not path.endswith(".gz"):
        return open(path, "rb")
    import gzip

    return gzip.open(path, "rb")  # type: ignore[return-value]


def _previous(line: bytes) -> str:
    payload = decode_line(line).body["payload"]
    return str(payload["previous"]) if isinstance(payload, dict) else ""


def _head(line: bytes) -> Head | None:
    try:
        found = decode_line(line)
        lease_id = found.body["payload"]["lease_id"]  # type: ignore[index]
    except (ValueError, KeyError, TypeError):
        return None
    verb = found.event_type.partition(".")[2]
    return found.sequence, verb, found.batch_id, found.index, found.count, lease_id


def _pattern() -> Callable[[bytes], re.Match[bytes] | None]:
    import re

    return re.compile(_HEAD).match
