"""The local store: an append-only log, a lock, and two caches.

Writing: take the lock, catch up with the log, decide, append, update the table, give the lock back, and only then
wait for the disk. It is one file, so the sync of a later record covers every earlier one; writers that wait at the
same time share one sync. Success is reported after the sync, so what was acknowledged is on the device. A refusal or
a listing may mention a record that a power cut then erases; nobody was told that it is theirs.

Reading takes no lock, creates nothing, and works in a read-only checkout.
"""

from __future__ import annotations

import posix
import time

from jit.kernel.instant import rfc3339
from jit.kernel.record import Record
from jit.store import durable
from jit.store.agreement import consistent, fits
from jit.store.api import Appended, AppendUnknown, Conflict, Snapshot, View
from jit.store.apply import apply_event
from jit.store.codec import encode_batch
from jit.store.plane import Plane, open_lock, open_log, prepare
from jit.store.table import Table, open_table, places
from jit.store.view import PointView, lease_at
from jit.systems.decide import is_of_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Protocol

    from jit.kernel.instant import Instant
    from jit.store.api import Batch, Recorded
    from jit.store.scan import Progress

    class Clock(Protocol):
        def now(self) -> Instant: ...


SMALL = 200  # up to so many leases the readable index follows every change of a claim
BEHIND = 64  # and is so many records behind at most where only files come and go, because a hook has no time for it
NOTE_MS = 1000  # how old the words in the lock file may be while one process goes on writing
BURST_MS = 100  # but not more often than this within one process


class Options(Record):
    wait_ms: int = 10_000
    stale_threshold_secs: int = 3600
    note: str = ""
    progress: Progress | None = None


class JsonlStore:
    """The store of one repository on this machine."""

    def __init__(self, plane: Plane, clock: Clock, options: Options | None = None) -> None:
        self.plane = plane
        self.clock = clock
        self.options = options or Options()
        self._session: _Session | None = None
        self._index_due = self._index_urgent = False
        self._index_written_ms = -BURST_MS
        self._exclusive = _Exclusive(self)
        self._doubtful: set[str] = set()

    def exclusive(self) -> _Exclusive:
        return self._exclusive

    def view(self) -> View:
        session = self._writing()
        return View(PointView(session.table, session.fd), session.table.sequence)

    def append(self, batch: Batch, expected: int) -> Appended | Conflict:
        session = self._writing()
        table = session.table
        if table.sequence != expected:
            return Conflict(expected, table.sequence)
        lines = encode_batch(batch, expected + 1)
        size = table.applied
        try:
            end = durable.append(session.fd, b"".join(lines), size)
        except OSError as error:
            raise durable.fault(self.plane.log, error) from error
        session.record(batch, lines, end)
        self._index_urgent = self._index_urgent or not is_of_files(batch.command)
        return Appended(expected + len(lines), end, batch.batch_id)

    def settle(self, appended: Appended) -> None:
        session = self._writing()
        try:
            session.sync(appended.position)
        except OSError as error:
            self._doubtful.add(appended.batch_id)
            raise AppendUnknown(appended.batch_id, str(error)) from error
        self._index_due = True
        self._refresh_index()

    def resolve(self, batch_id: str) -> bool:
        """Is that batch in the log, and durable?

        After a sync that failed nobody can say: a second one may succeed although the system has thrown the data away.
        """
        if batch_id in self._doubtful:
            return False
        found = any(recorded.batch.batch_id == batch_id for recorded in self.read())
        if found:
            durable.sync(self._writing().fd)
        return found

    def snapshot(self) -> Snapshot:
        from jit.store.reader import take_snapshot

        return take_snapshot(self.plane, self.clock.now(), self.options.progress)

    def read(self, after: int = 0) -> Iterator[Recorded]:
        from jit.store.reader import read_batches

        return read_batches(self.plane, after)

    def close(self) -> None:
        """Write what was put off, and let go of the files."""
        if self._session is not None:
            self._refresh_index(now_or_never=True)
            self._session.close()
            self._session = None

    def _writing(self) -> _Session:
        if self._session is None:
            try:
                self._session = _Session(self.plane, self.options)
            except OSError as error:
                raise durable.fault(error.filename or self.plane.root, error) from error
        return self._session

    def _refresh_index(self, *, now_or_never: bool = False) -> None:
        """Bring the readable index up to date: often while the set is small, rarely when it is large."""
        now_ms = time.monotonic_ns() // 1_000_000
        if not self._index_due or (now_ms - self._index_written_ms < BURST_MS and not now_or_never):
            return
        session = self._writing()
        table = session.table
        small = 1 if self._index_urgent else BEHIND
        if table.sequence - table.checkpointed() < (small if table.active <= SMALL else max(1000, 2 * table.active)):
            return
        self._index_due = self._index_urgent = False
        self._index_written_ms = now_ms
        try:
            index_lock = open_lock(self.plane, "index", self.options.wait_ms)
        except OSError:
            return  # it is a cache: a full disk must not turn a success into a failure
        try:
            with index_lock:
                snapshot_index(self.plane, session, self.clock.now(), self.options)
        finally:
            index_lock.close()


def snapshot_index(plane: Plane, session: _Session, now: Instant, options: Options) -> None:
    """Write the readable index from a consistent look at the table, or not at all if a writer is busy with it."""
    from jit.store.checkpoint import Place, write_index

    seen = consistent(session.table, session.fd, now)
    if seen is None or seen[0].sequence == seen[0].checkpointed():
        return
    table, content = seen
    leases = [(lease, place) for place in places(content) if (lease := lease_at(session.fd, place)) is not None]
    place = Place(table.applied, table.sequence, table.fence, f"{table.line_crc:08x}")
    try:
        write_index(plane, place, leases, now=now, stale_threshold_secs=options.stale_threshold_secs)
    except OSError:
        return  # it is a cache: a full disk must not turn a success into a failure
    table.set_checkpointed(table.sequence)


class _Session:
    """The open files of a writer."""

    def __init__(self, plane: Plane, options: Options) -> None:
        prepare(plane)
        self.plane = plane
        self.options = options
        self.lock = open_lock(plane, "claims", options.wait_ms)
        self.sync_lock = open_lock(plane, "sync", options.wait_ms)
        self.log = plane.log
        self.fd = open_log(plane)
        self.inode = posix.fstat(self.fd).st_ino
        self.note_due_ns = 0
        self.table = Table(-1, "")  # no file yet: the first `begin` opens or makes one

    def begin(self, clock: Clock) -> None:
        """Under the lock: make sure that log and table are those in place, and that they agree."""
        if self.options.note and time.monotonic_ns() > self.note_due_ns:
            self.note_due_ns = time.monotonic_ns() + NOTE_MS * 1_000_000
            self.lock.note(f"{self.options.note} {rfc3339(clock.now().wall_ms)}".encode())
        found = posix.stat(self.log)
        if found.st_ino != self.inode:  # an archive, or a repair, put another file in its place
            self._reopen()
            found = posix.fstat(self.fd)
        if not self.table.load() or self.table.applied != found.st_size:
            self.table = _fitting_table(self, clock.now(), self.options.progress)

    def record(self, batch: Batch, lines: list[bytes], end: int) -> None:
        """Bring the table to what was just appended.

        If that fails the log still stands: the table is made again later.
        """
        table, fd, now = self.table, self.fd, batch.evidence.now
        try:
            offset = table.applied
            for event, line in zip(batch.events, lines, strict=True):
                apply_event(table, fd, event, offset, now)
                offset += len(line)
            table.applied, table.sequence = end, table.sequence + len(lines)
            table.line_crc = int(lines[-1][-11:-3], 16)
            table.commit()
            if table.crowded():
                self.table = _fitting_table(self, now, None)
        except OSError:
            table.retire()

    def sync(self, position: int) -> None:
        """Wait until the log is on the device up to `position`. Whoever comes first syncs for all who are waiting."""
        with self.sync_lock:
            if self.table.synced() >= position:
                return
            end = self.table.reached()  # not the file's size: a write that fails now would be cut off again
            durable.sync(self.fd)
            self.table.set_synced(end)

    def close(self) -> None:
        for lock in (self.lock, self.sync_lock):
            lock.close()
        posix.close(self.fd)
        self.table.close()

    def _reopen(self) -> None:
        opened = open_log(self.plane)  # first: if this fails, the old descriptor is still there to be looked at again
        posix.close(self.fd)
        self.fd = opened
        self.inode = posix.fstat(opened).st_ino
        self.table.close()


def _fitting_table(session: _Session, now: Instant, progress: Progress | None) -> Table:
    """A table that fits the log: the one in place if it does, else a new one."""
    session.table.close()
    in_place = open_table(session.plane.table, writable=True)
    if in_place is not None and fits(in_place, session.fd, now) and not in_place.crowded():
        return in_place
    from jit.store.rebuild import rebuild  # rare: most writers find a table that agrees with the log

    return rebuild(session.plane, session.fd, in_place, now, progress)


class _Exclusive:
    """The writers' lock, with the store caught up behind it."""

    __slots__ = ("store",)

    def __init__(self, store: JsonlStore) -> None:
        self.store = store

    def __enter__(self) -> None:
        session = self.store._writing()  # noqa: SLF001  one mechanism in two classes
        session.lock.acquire()
        try:
            session.begin(self.store.clock)
        except OSError as error:
            session.lock.release()
            raise durable.fault(error.filename or self.store.plane.root, error) from error
        except BaseException:
            session.lock.release()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        session = self.store._session  # noqa: SLF001
        if session is not None:
            session.lock.release()
