"""A tolerant look at the log: everything that is readable, and everything that is wrong with it.

The ordinary readers stop at the first damage. This one goes on behind it. A line that fails its checksum is searched
for whole records inside it, because a single lost line end joins two records that are both readable. Gaps that a later
repair has on record are known and are no faults.
"""

from __future__ import annotations

from jit.kernel.record import Record
from jit.store import durable
from jit.store.archive import begin_of, segments
from jit.store.codec import decode_batch, decode_line, is_whole
from jit.store.history import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jit.store.codec import Line
    from jit.store.plane import Plane
    from jit.store.scan import Progress

MARK = b'{"schema_version":'
STEP = 10_000


class Piece(Record):
    """A readable record: its line number, the offset where it begins, its bytes without their end."""

    number: int
    offset: int
    text: bytes
    line: Line


class Fault(Record):
    """Something wrong: where, and what."""

    path: str
    number: int
    offset: int
    what: str


class Tail(Record):
    """Bytes at the end that were never finished: a write that did not return."""

    number: int
    offset: int
    size: int


class LogReport(Record):
    records: int
    segments: int
    faults: tuple[Fault, ...]
    repairs: tuple[Line, ...]
    unfinished: int
    """Bytes of an unfinished tail."""


def inspect(path: str, lines: Iterable[bytes]) -> Iterator[Piece | Fault | Tail]:
    """Every line of a file, as what it turns out to be."""
    offset = 0
    for number, text in enumerate(lines, 1):
        if not text.endswith(b"\n"):
            yield Tail(number, offset, len(text))
        elif is_whole(text[:-1]):
            yield _readable(path, text[:-1], number, offset)
        else:
            yield Fault(path, number, offset, "the record does not match its checksum")
            yield from _inside(path, text, number, offset)
        offset += len(text)


def _readable(path: str, text: bytes, number: int, offset: int) -> Piece | Fault:
    try:
        return Piece(number, offset, text, decode_line(text))
    except (ValueError, KeyError, TypeError) as error:
        return Fault(path, number, offset, f"the record cannot be read: {error!r}")


def _inside(path: str, text: bytes, number: int, offset: int) -> Iterator[Piece]:
    """Whole records within a damaged line."""
    start = text.find(MARK)
    while start >= 0:
        follower = text.find(MARK, start + 1)
        part = text[start : follower if follower >= 0 else len(text)]
        part = part[: part.rfind(b'"}') + 2]
        found = _readable(path, part, number, offset + start) if is_whole(part) else None
        if isinstance(found, Piece):
            yield found
        start = follower


def check_log(plane: Plane, progress: Progress | None = None) -> LogReport:
    """Every record of segments and log: whole, readable, in one unbroken order, in complete batches."""
    order = Order()
    try:
        file = open(plane.log, "rb")  # noqa: SIM115  closed two lines below
    except FileNotFoundError:
        return LogReport(0, 0, (), (), 0)
    except OSError as error:
        raise durable.fault(plane.log, error) from error
    with file:
        closed = segments(plane, begin_of(plane, file))
        for segment in closed:
            order.read(segment.path, segment.lines(), segment.last, progress)
            order.end_segment(segment.path)
        file.seek(0)
        order.read(plane.log, file, 0, progress)
    return order.report(len(closed))


class Order:
    """Follows sequences and batches across files and notes where they break."""

    def __init__(self) -> None:
        self.sequence = 0
        self.records = 0
        self.faults: list[Fault] = []
        self.repairs: list[Line] = []
        self.unfinished = 0
        self._gaps: list[Fault] = []
        self._open: list[Piece] = []

    def read(self, path: str, lines: Iterable[bytes], total: int, progress: Progress | None) -> None:
        for found in inspect(path, lines):
            if isinstance(found, Fault):
                self.faults.append(found)
            elif isinstance(found, Tail):
                self.unfinished += found.size
            else:
                self._take(path, found)
            if progress and self.records % STEP == 0:
                progress(self.records, max(total, self.records))

    def end_segment(self, path: str) -> None:
        """A segment is closed: what is unfinished there is damage."""
        for piece in self._open[:1]:
            self._note(path, piece, f"batch {piece.line.batch_id} is not complete")
        self._open = []

    def report(self, closed: int) -> LogReport:
        self.unfinished += sum(len(piece.text) + 1 for piece in self._open)
        return LogReport(self.records, closed, (*self.faults, *self._gaps), tuple(self.repairs), self.unfinished)

    def _take(self, path: str, piece: Piece) -> None:
        kind = kind_of(piece.line)
        if kind in ("checkpoint", "carried"):
            self._head(path, piece)
            return
        self.records += 1
        if kind == "repaired":  # it stands behind all that it speaks of
            self._gaps, self.repairs = [], [*self.repairs, piece.line]
        elif piece.line.sequence != self.sequence + 1:
            what = f"the sequence jumps from {self.sequence} to {piece.line.sequence}"
            self._gaps.append(Fault(path, piece.number, piece.offset, what))
        self.sequence = piece.line.sequence
        if kind == "decision":
            self._place(path, piece)

    def _head(self, path: str, piece: Piece) -> None:
        if piece.line.sequence != self.sequence:
            what = f"the log goes on from {piece.line.sequence}, but the segments before it end at {self.sequence}"
            self._note(path, piece, what)
            self.sequence = piece.line.sequence

    def _place(self, path: str, piece: Piece) -> None:
        """Put a line into its batch."""
        line = piece.line
        if line.index != len(self._open) or (self._open and line.batch_id != self._open[0].line.batch_id):
            self._note(path, piece, f"batch {line.batch_id} has lines missing or out of order")
            self._open = []
        if line.index == len(self._open):
            self._open.append(piece)
        if len(self._open) == line.count:
            why = unreadable(self._open)
            if why:
                self._note(path, piece, why)
            self._open = []

    def _note(self, path: str, piece: Piece, what: str) -> None:
        self.faults.append(Fault(path, piece.number, piece.offset, what))


def unreadable(pieces: list[Piece]) -> str:
    """Why a complete batch cannot be understood, or nothing if it can."""
    try:
        decode_batch([piece.line for piece in pieces])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return f"batch {pieces[0].line.batch_id} cannot be read: {error!r}"
    return ""
