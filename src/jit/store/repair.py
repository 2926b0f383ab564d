"""Mending a damaged log so that nothing readable is lost.

A damaged log is closed like an archived one. First its bytes are copied to `claims.jsonl.damaged-<time>`. Then every
batch that is whole goes, byte for byte and with its own sequences, into an archive segment whose last record is
`log.repaired`: it lists what could not be read, which sequences are missing, and the leases that were found to be
active. Then a new log begins with a checkpoint at that record's sequence and with those leases. So sequences only grow,
later appends and scans know nothing of it, and validation takes the recorded gap for what it is. A crash between the
steps leaves the damaged log in place, and the repair can be run again.

Fences go on above every one that the lost records could have given out. What makes a lease survive is in `salvage`.
"""

from __future__ import annotations

import os

from jit.kernel.ids import ULID_LENGTH
from jit.kernel.instant import rfc3339
from jit.kernel.jsontext import dumps
from jit.kernel.record import Record
from jit.store import durable
from jit.store.agreement import crc_before
from jit.store.archive import begin_anew, write_segment
from jit.store.checkpoint import Place as IndexPlace
from jit.store.checkpoint import write_index
from jit.store.codec import Place, seal
from jit.store.history import REPAIRED
from jit.store.leases import lease_fields
from jit.store.plane import open_lock
from jit.store.salvage import Findings
from jit.store.scan import Scan
from jit.store.table import open_table
from jit.store.view import lease_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.instant import Instant
    from jit.kernel.ledger import Ledger
    from jit.store.audit import Fault
    from jit.store.jsonl import JsonlStore
    from jit.store.plane import Plane


class Repair(Record):
    """What a repair did: the copy it kept, how many records it kept, what it left out, which leases are active."""

    copy: str
    kept: int
    lost: tuple[Fault, ...]
    missing: tuple[tuple[int, int], ...]
    leases: int
    sequence: int


def repair(plane: Plane, now: Instant, *, wait_ms: int) -> Repair | None:
    """Mend the live log under the writers' lock; nothing if it is not damaged."""
    try:
        lock = open_lock(plane, "claims", wait_ms)
    except OSError as error:
        raise durable.fault(error.filename or plane.root, error) from error
    try:
        with lock:
            return _mend(plane, now)
    except OSError as error:
        raise durable.fault(error.filename or plane.log, error) from error
    finally:
        lock.close()


def rebuild_caches(store: JsonlStore) -> None:
    """Make the table and the readable index anew from the log alone."""
    plane = store.plane
    with store.exclusive():
        table = open_table(plane.table, writable=True)
        if table is not None:
            table.retire()  # processes that have it open must not go on with it
            table.close()
        forget(plane.index)
    with store.exclusive():
        _write_index(plane, store.clock.now(), store.options.stale_threshold_secs)


def forget(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def _mend(plane: Plane, now: Instant) -> Repair | None:
    with open(plane.log, "rb") as file:
        data = file.read()
    found = Findings(plane, data)
    if not found.faults:
        return None
    copy = _keep_copy(plane, data, now)
    ledger = found.leases()
    sequence = found.top + 1
    ledger.fence += sum(last - first + 1 for first, last in found.missing())
    note = _note(found, ledger, sequence, copy, now)
    kept = [piece.text + b"\n" for piece in found.kept()]
    write_segment(plane, [*kept, note], found.begin + 1, sequence)
    begin_anew(plane, sequence, ledger.fence, list(ledger), now)
    return Repair(copy, len(kept), tuple(found.faults), found.missing(), len(ledger), sequence)


def _keep_copy(plane: Plane, data: bytes, now: Instant) -> str:
    stamp = rfc3339(now.wall_ms)[:19].replace("-", "").replace(":", "")
    path = f"{plane.log}.damaged-{stamp}Z"
    number = 1
    while os.path.exists(path):
        number += 1
        path = f"{plane.log}.damaged-{stamp}Z-{number}"
    durable.replace_file(path, data, mode=plane.file_mode)
    return path


def _note(found: Findings, ledger: Ledger, sequence: int, copy: str, now: Instant) -> bytes:
    """The record that says what was lost and what was found."""
    lost = [{"line": fault.number, "offset": fault.offset, "what": fault.what} for fault in found.faults]
    leases = ",".join(f"{{{lease_fields(lease)}}}" for lease in ledger)
    facts = {"copy": os.path.basename(copy), "lost": lost, "missing": [list(pair) for pair in found.missing()]}
    payload = f'{dumps(facts)[1:-1]},"fence":{ledger.fence},"leases":[{leases}]'
    return seal(Place(sequence, REPAIRED, now.wall_ms, "0" * ULID_LENGTH, 0, 1), payload)


def _write_index(plane: Plane, now: Instant, stale_threshold_secs: int) -> None:
    fd = os.open(plane.log, os.O_RDONLY | os.O_CLOEXEC)
    try:
        scan = Scan(plane.log).run(fd, os.fstat(fd).st_size)
        offsets = sorted(scan.at.values())
        leases = [(lease, offset) for offset in offsets if (lease := lease_at(fd, offset)) is not None]
        place = IndexPlace(scan.end, scan.sequence, scan.fence, crc_before(fd, scan.end))
    finally:
        os.close(fd)
    write_index(plane, place, leases, now=now, stale_threshold_secs=stale_threshold_secs)
