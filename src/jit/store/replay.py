"""The history, decided anew: the proof that log, decisions and caches agree.

Every batch is decided again from the state before it and from the evidence that was stored beside it; the result must
be the batch. The state that all of them fold to must be the one that readers see, and the one that the readable index
had at its sequence. Where a repair has records on its list of losses, the decisions between the loss and the repair
stood on facts that are gone: they are counted, not judged, and the repair's own list of leases is the state to go on
from.
"""

from __future__ import annotations

import os

from jit.kernel.events import recorded
from jit.kernel.instant import rfc3339
from jit.kernel.jsontext import loads
from jit.kernel.lease import expires_wall_ms
from jit.kernel.ledger import Ledger, fold
from jit.kernel.record import Record
from jit.store.agreement import crc_before
from jit.store.checkpoint import read_index
from jit.store.history import batch_of, entries, restored
from jit.store.leases import decode_lease
from jit.store.reader import take_snapshot
from jit.store.scan import Scan
from jit.store.view import lease_at
from jit.systems.decide import decide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.instant import Instant
    from jit.store.api import Snapshot
    from jit.store.history import Entry
    from jit.store.plane import Plane
    from jit.store.scan import Progress

    Facts = dict[str, tuple[object, object]]

STEP = 2_000
LOOKS = 10
MOST = 20


class Mismatch(Record):
    sequence: int
    what: str


class ReplayReport(Record):
    """How many batches were decided again, how many could not be, and where the results differ."""

    batches: int
    unjudged: int
    mismatches: tuple[Mismatch, ...]
    index: str
    """What came of comparing with the readable index, in words."""


def replay(plane: Plane, snapshot: Snapshot, progress: Progress | None = None) -> ReplayReport:
    """Decide everything again up to the snapshot's sequence, and compare."""
    run = Replay(load_index(plane))
    for entry in entries(plane):
        if entry.kind == "decision" and entry.first > snapshot.sequence:
            break
        run.take(entry)
        if progress and run.batches % STEP == 0:
            progress(run.sequence, max(snapshot.sequence, 1))
    run.end_head()
    if run.ledger != snapshot.ledger:
        run.differ(run.sequence, f"the leases that readers see are not those of the log: {_difference(run, snapshot)}")
    return ReplayReport(run.batches, run.unjudged, tuple(run.mismatches), run.index_words())


class Replay:
    """The state so far, and what has been found."""

    def __init__(self, index: object) -> None:
        self.ledger = Ledger()
        self.sequence = 0
        self.batches = self.unjudged = 0
        self.mismatches: list[Mismatch] = []
        self._index = index if isinstance(index, dict) else None
        self._compared = False
        self._lossy = False
        self._head: Ledger | None = None

    def take(self, entry: Entry) -> None:
        if entry.kind == "checkpoint":
            self._head = Ledger()
            self._head.fence = _payload(entry)["fence"]  # type: ignore[assignment]
            return
        if entry.kind == "carried":
            if self._head is not None:
                self._head.put(decode_lease(_payload(entry)))
            return
        self.end_head()
        if entry.kind == "repaired":
            self.ledger, self._lossy = restored(entry), False
        else:
            self._decide(entry)
        self.sequence = entry.last
        self._compare_index()

    def end_head(self) -> None:
        """The head of a log must say what the segments before it come to."""
        if self._head is not None and self._head != self.ledger:
            self.differ(self.sequence, "the leases that the archive carried over are not those of its segments")
        self._head = None

    def differ(self, sequence: int, what: str) -> None:
        if len(self.mismatches) < MOST:
            self.mismatches.append(Mismatch(sequence, what))

    def index_words(self) -> str:
        if self._index is None:
            return "there is no readable index to compare with; the next change of a claim writes one"
        if not self._compared:
            return "the readable index was written meanwhile and was not compared"
        return f"compared with the readable index at sequence {self._index.get('sequence')}"

    def _decide(self, entry: Entry) -> None:
        batch = batch_of(entry)
        self._lossy = self._lossy or entry.first != self.sequence + 1
        if self._lossy:
            self.unjudged += 1
        else:
            self.batches += 1
            again = recorded(decide(self.ledger, batch.command, batch.evidence))
            if again != batch.events:
                said, now = _names(batch.events), _names(again)
                self.differ(entry.first, f"batch {batch.batch_id} says {said}; decided anew: {now}")
        fold(batch.events, self.ledger)

    def _compare_index(self) -> None:
        if self._index is None or self._index.get("sequence") != self.sequence:
            return
        self._compared = True
        words = index_fault(self._index, self.ledger)
        if words:
            self.differ(self.sequence, words)


def index_fault(index: dict[str, object], ledger: Ledger) -> str:
    """How the rows of the index differ from these leases, or nothing if they agree."""
    rows = index.get("active")
    if not isinstance(rows, list):
        return "claims.index.json has no list of active leases"
    said: Facts = {str(row.get("lease_id")): (row.get("fence"), row.get("expires_at")) for row in rows}
    if said == facts_of(ledger) and len(said) == len(rows):
        return ""
    names = sorted({*said, *facts_of(ledger)}, key=str)
    wrong = [name for name in names if said.get(name) != facts_of(ledger).get(name)]
    return f"claims.index.json differs from the log in {', '.join(wrong[:3]) or 'a lease that stands in it twice'}"


def facts_of(ledger: Ledger) -> Facts:
    out: Facts = {}
    for lease in ledger:
        expires = expires_wall_ms(lease)
        out[lease.lease_id] = (lease.fence, None if expires is None else rfc3339(expires))
    return out


def load_index(plane: Plane) -> object:
    """The readable index as JSON, whatever it says; nothing if it is missing or no JSON."""
    try:
        with open(plane.index, "rb") as file:
            return loads(file.read().decode())
    except (OSError, ValueError):
        return None


def check_index(plane: Plane) -> tuple[str, str]:
    """(state, words) of the readable index: compared with a scan of the log up to the place where it stands."""
    index = load_index(plane)
    if not os.path.exists(plane.index):
        return "note", "there is no readable index; the next change of a claim writes one"
    if not isinstance(index, dict):
        return "bad", f"{plane.index} is not JSON"
    fd = os.open(plane.log, os.O_RDONLY | os.O_CLOEXEC)
    try:
        trusted = read_index(plane, fd)
        if trusted is None:
            return _untrusted(plane, index, fd)
        scan = Scan(plane.log).run(fd, trusted.place.offset)
        words = index_fault(index, _leases(fd, scan))
    finally:
        os.close(fd)
    return ("bad", words) if words else ("ok", f"the index agrees with the log at sequence {scan.sequence}")


def check_table(plane: Plane, now: Instant) -> tuple[str, str]:
    """(state, words) of what readers see, which the table answers, compared with a scan of the whole log."""
    for _ in range(LOOKS):
        snapshot = take_snapshot(plane, now)
        fd = os.open(plane.log, os.O_RDONLY | os.O_CLOEXEC)
        try:
            scan = Scan(plane.log).run(fd, os.fstat(fd).st_size)
            ledger = _leases(fd, scan)
        finally:
            os.close(fd)
        if scan.sequence == snapshot.sequence:
            ledger.fence = scan.fence
            if ledger == snapshot.ledger:
                return "ok", f"{len(ledger)} leases as in the log"
            return "bad", f"{plane.table} differs from the log"
    return "note", "writers were too busy to compare the table with the log"


def _untrusted(plane: Plane, index: dict[str, object], fd: int) -> tuple[str, str]:
    log = index.get("log")
    offset = log.get("offset") if isinstance(log, dict) else None
    if isinstance(offset, int) and isinstance(log, dict) and crc_before(fd, offset) != log.get("crc"):
        return "note", f"{plane.index} is not of this log; the next change of a claim writes another"
    return "bad", f"{plane.index} does not match its checksum: it was edited or damaged"


def _leases(fd: int, scan: Scan) -> Ledger:
    ledger = Ledger()
    for offset in scan.at.values():
        lease = lease_at(fd, offset)
        if lease is not None:
            ledger.put(lease)
    return ledger


def _payload(entry: Entry) -> dict[str, object]:
    payload = entry.lines[0].body["payload"]
    return payload if isinstance(payload, dict) else {}


def _difference(run: Replay, snapshot: Snapshot) -> str:
    ours, theirs = run.ledger, snapshot.ledger
    wrong = sorted(name for name in {*ours.active, *theirs.active} if ours.lease(name) != theirs.lease(name))
    return ", ".join(wrong[:3]) or f"fence {theirs.fence} instead of {ours.fence}"


def _names(events: tuple[object, ...]) -> str:
    return " and ".join(type(event).__name__.lower() for event in events) or "nothing"
