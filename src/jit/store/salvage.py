"""All that can be read from a damaged log, and the leases it tells of.

Which leases are active is learnt from every readable record, also from those whose batch lost other lines: a renewal, a
denial and a refusal each hold a copy of the lease they speak of, so a lease whose grant is lost survives in them. An
index that is whole and belongs to this log says more than damaged records do: its leases are taken for all that lies
before its sequence. A later grant of the same resource proves that the earlier one had ended.
"""

from __future__ import annotations

import io
from binascii import crc32

from jit.errors import LogCorrupt
from jit.kernel.events import Evicted, Lapsed, Released, Transferred
from jit.kernel.jsontext import loads
from jit.kernel.ledger import Ledger, fold
from jit.store.archive import chain_of
from jit.store.audit import Fault, Piece, inspect, unreadable
from jit.store.events import decode_event
from jit.store.history import batch_of, group, kind_of, restored
from jit.store.leases import decode_lease

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.events import Event
    from jit.kernel.lease import Lease
    from jit.store.archive import Segment
    from jit.store.plane import Plane

    Batches = dict[str, list[Piece]]


class Findings:
    """All that can be read from a damaged log, in the order of sequences."""

    def __init__(self, plane: Plane, data: bytes) -> None:
        self.plane = plane
        self.faults: list[Fault] = []
        self.head: list[Piece] = []
        self.pieces: dict[int, Piece] = {}
        self._highest = 0
        self._spoilt: list[Fault] = []
        self._sift(data)
        self._chain = chain_of(plane)
        self.begin = self.head[0].line.sequence if self.head else self._likely_begin()
        self.index = _trusted_index(plane, self.pieces)
        batches = self._batches()
        self._drop_unfinished(batches)
        self.whole = {name: pieces for name, pieces in batches.items() if self._is_whole(pieces)}
        self.top = self._top()
        self._note_gaps()

    def kept(self) -> list[Piece]:
        return [piece for pieces in self.whole.values() for piece in pieces]

    def leases(self) -> Ledger:
        """The leases that were active at the end, as far as anything readable tells."""
        ledger = self._start()
        index = self.index
        for sequence in sorted(self.pieces):
            if index is not None and sequence > index[0]:
                ledger, index = index[1], None
            event = _event(self.pieces[sequence])
            if event is not None:
                learn(ledger, event)
        return ledger if index is None else index[1]

    def missing(self) -> tuple[tuple[int, int], ...]:
        """Sequences that no readable record has, as pairs of first and last."""
        gaps, before = [], self.begin
        for sequence in [*sorted(self.pieces), self.top + 1]:
            if sequence > before + 1:
                gaps.append((before + 1, sequence - 1))
            before = sequence
        return tuple(gaps)

    def _sift(self, data: bytes) -> None:
        for found in inspect(self.plane.log, io.BytesIO(data)):
            if isinstance(found, Fault):
                self.faults.append(found)
                self._spoilt.append(found)
            elif isinstance(found, Piece):
                self._place(found)

    def _place(self, piece: Piece) -> None:
        if kind_of(piece.line) in ("checkpoint", "carried"):
            self.head.append(piece)
            return
        sequence = piece.line.sequence
        if sequence in self.pieces:
            self._fault(piece, f"sequence {sequence} is there twice; the first is kept")
            return
        if sequence < self._highest:
            self._fault(piece, f"sequence {sequence} was out of order; it is put back in its place")
        self._highest = max(self._highest, sequence)
        self.pieces[sequence] = piece

    def _fault(self, piece: Piece, what: str) -> None:
        self.faults.append(Fault(self.plane.log, piece.number, piece.offset, what))

    def _likely_begin(self) -> int:
        """Where the log began, if its head cannot tell: behind the last segment that lies before all of its records."""
        first = min(self.pieces, default=None)
        ends = [segment.last for segment in self._chain if first is None or segment.last < first]
        return ends[-1] if ends else 0

    def _batches(self) -> Batches:
        batches: Batches = {}
        for sequence in sorted(self.pieces):
            piece = self.pieces[sequence]
            batches.setdefault(piece.line.batch_id, []).append(piece)
        return batches

    def _drop_unfinished(self, batches: Batches) -> None:
        """A last batch that lacks only its end, with no damage behind it, is a write that never returned."""
        if not batches:
            return
        pieces = batches[list(batches)[-1]]
        complete = len(pieces) == pieces[-1].line.count
        is_beginning = [piece.line.index for piece in pieces] == list(range(len(pieces)))
        damaged = any(fault.offset > pieces[0].offset for fault in self.faults)
        if complete or not is_beginning or damaged:
            return
        for piece in batches.pop(pieces[0].line.batch_id):
            del self.pieces[piece.line.sequence]

    def _is_whole(self, pieces: list[Piece]) -> bool:
        first = pieces[0]
        places = [(piece.line.index, piece.line.sequence) for piece in pieces]
        due = [(at, first.line.sequence + at) for at in range(first.line.count)]
        why = unreadable(pieces) if places == due else f"batch {first.line.batch_id} has lines missing"
        if why:
            self._fault(first, why)
        return not why

    def _top(self) -> int:
        """The highest sequence that may have been given out."""
        last = max(self.pieces, default=self.begin)
        behind = self.pieces[last].offset if last in self.pieces else -1
        spoilt = sum(1 for fault in self._spoilt if fault.offset > behind)
        return max(last + spoilt, self.index[0] if self.index else 0)

    def _note_gaps(self) -> None:
        """Records that are gone without leaving a damaged line behind."""
        if not self.faults and self.missing():
            first = self.missing()[0][0]
            self.faults.append(Fault(self.plane.log, 0, 0, f"the sequence has a gap at {first}"))

    def _start(self) -> Ledger:
        """The leases that the log began with: from its head, or from the segments before it if that is damaged."""
        first = min((piece.offset for piece in self.pieces.values()), default=None)
        broken = self.begin and any(first is None or fault.offset < first for fault in self.faults)
        folded = fold_segments(self._chain, self.begin) if broken else None
        ledger = Ledger() if folded is None else folded
        for piece in self.head:
            payload = piece.line.body["payload"]
            if isinstance(payload, dict) and kind_of(piece.line) == "carried":
                ledger.put(decode_lease(payload))
            elif isinstance(payload, dict):
                ledger.fence = payload["fence"]
        return ledger


def learn(ledger: Ledger, event: Event) -> None:
    """What one readable event tells, whatever is missing before it."""
    lease = event.lease
    if lease is None:
        return
    ledger.fence = max(ledger.fence, lease.fence)
    if isinstance(event, (Released, Lapsed, Evicted)):
        ledger.drop(lease.lease_id)
        return
    if isinstance(event, Transferred):
        ledger.drop(event.previous)
    rivals = {rival.lease_id: rival for resource in lease.resources for rival in ledger.holders(resource)}
    if any(rival.fence > lease.fence for rival in rivals.values()):
        return
    for name in rivals:
        ledger.drop(name)
    ledger.put(lease)


def fold_segments(chain: list[Segment], end: int) -> Ledger | None:
    """The leases at the end of the segments; nothing if one of them is damaged too."""
    ledger = Ledger()
    try:
        for segment in chain:
            for entry in group(segment.path, segment.lines()) if segment.last <= end else ():
                ledger = restored(entry) if entry.kind == "repaired" else fold(batch_of(entry).events, ledger)
    except LogCorrupt:
        return None
    return ledger


def _event(piece: Piece) -> Event | None:
    payload = piece.line.body.get("payload")
    try:
        return decode_event(piece.line.event_type, payload) if isinstance(payload, dict) else None
    except (ValueError, KeyError, TypeError):
        return None


def _trusted_index(plane: Plane, pieces: dict[int, Piece]) -> tuple[int, Ledger] | None:
    """Sequence and leases of the readable index, if it is whole, of this log, and does not contradict itself."""
    try:
        with open(plane.index, "rb") as file:
            data = file.read()
        body, _, check = data.rpartition(b',\n"checksum":"')
        index = loads(data.decode())
        if int(check[:8], 16) != crc32(body) or not isinstance(index, dict):
            return None
        sequence, crc = index["sequence"], index["log"]["crc"]
        ledger = _distinct([decode_lease(row) for row in index["active"]])
        at = pieces.get(sequence)
        if ledger is None or (at is not None and at.text[-10:-2].decode() != crc):
            return None
        ledger.fence = index["fence"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return sequence, ledger


def _distinct(leases: list[Lease]) -> Ledger | None:
    ledger = Ledger()
    for lease in leases:
        if any(ledger.holders(resource) for resource in lease.resources):
            return None
        ledger.put(lease)
    return ledger
