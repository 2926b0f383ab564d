"""The point index: from a name to the place in the log where its latest record stands.

An open-addressing hash table in a file, `claims.table`, read and written a few slots at a time: looking up one issue
among a million leases reads one block. It is a cache and nothing else. It is never synced; a table of another boot,
of another log, that ends elsewhere than the log or has a wrong checksum is thrown away and made again from the log.

Slots are four words of eight bytes, as the machine has them: hash of the name, place (offset and flags), hash of the
agent, and when the lease is due by the boot-time clock. A lease stands under its own id and under each of its
resources. A name may stand in several slots. `memoryview` takes words apart, which needs no module.
"""

from __future__ import annotations

import posix
import sys
from binascii import crc32

from jit.kernel.instant import elapsed_ms
from jit.kernel.policy import Indefinite, Ttl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jit.kernel.instant import Instant
    from jit.kernel.lease import Lease

    Slot = tuple[int, int, int, int]

ACTIVE, OF_LEASE, ENDLESS = 1, 2, 4
SLOTS_AT = 512
FIRST_SLOTS = 1024
NEVER = (1 << 64) - 1
_MAGIC = 0x32_54_49_4A_42_41_54_31
_HEADER = 12 * 8
_SLOT = 4 * 8
_WINDOW = 8
_BLOCK = 64 * 1024
_SYNCED_AT = 256
_CHECKPOINT_AT = 264


def name_hash(name: str) -> int:
    """64 bits of a name, never nought. Clashes are harmless: whoever follows a slot compares the record it leads to."""
    data = name.encode()
    return crc32(data) << 32 | crc32(data[::-1]) | 1


class Full(OSError):
    """There is no empty slot. The table is made anew, with more of them."""


class Table:
    """One open table file, or none (fd -1). Only the holder of the writers' lock changes it."""

    def __init__(self, fd: int, path: str) -> None:
        self.fd = fd
        self.path = path
        self.boot = self.inode = self.slots = self.used = self.applied = self.sequence = 0
        self.fence = self.active = self.endless = self.line_crc = 0
        self._slot = bytearray(_SLOT)  # one slot on its way to the file, and the words in it
        self._words = memoryview(self._slot).cast("Q")

    def load(self) -> bool:
        """Read the header anew. False if this table cannot be used."""
        data = posix.pread(self.fd, _HEADER, 0) if self.fd >= 0 else b""
        if len(data) < _HEADER:
            return False
        words = memoryview(data).cast("Q").tolist()
        if words[0] != _MAGIC or words[11] != crc32(data[:-8]):
            return False
        _, self.boot, self.inode, self.slots, self.used, self.applied, self.sequence, self.fence = words[:8]
        self.active, self.endless, self.line_crc = words[8:11]
        return True

    def commit(self) -> None:
        words = (_MAGIC, self.boot, self.inode, self.slots, self.used, self.applied, self.sequence, self.fence)
        data = packed((*words, self.active, self.endless, self.line_crc))
        posix.pwrite(self.fd, data + crc32(data).to_bytes(8, sys.byteorder), 0)

    def retire(self) -> None:
        """Tell every process that has this file open to open its successor."""
        if self.fd >= 0:
            posix.pwrite(self.fd, b"\0" * 8, 0)

    def find(self, name: str) -> list[int]:
        """The places of the active records that may belong to `name`."""
        wanted = name_hash(name)
        return [slot[1] >> 3 for _, slot in self._chain(wanted) if slot[0] == wanted and slot[1] & ACTIVE]

    def put(self, lease: Lease, offset: int, now: Instant, is_of: Callable[[int, str], bool]) -> None:
        """Let every name of the lease lead to `offset`."""
        own, *others = slots_of(lease, offset, now)
        before = self._put(own, lease.lease_id, is_of)
        for slot in others:
            self._put(slot, lease.lease_id, is_of)
        self.active += not before
        self.endless += (own[1] & ENDLESS != 0) - (before & ENDLESS != 0)  # a renewal may have changed the policy

    def fill(self, slots: bytes | bytearray) -> None:
        """Put all these slots into a table that has none yet."""
        words, content = memoryview(slots).cast("Q"), bytearray(self.slots * _SLOT)
        view, mask = memoryview(content).cast("Q"), self.slots - 1
        for at in range(0, len(words), 4):
            index = words[at] & mask
            while view[4 * index]:
                index = (index + 1) & mask
            view[4 * index : 4 * index + 4] = words[at : at + 4]
        posix.pwrite(self.fd, content, SLOTS_AT)
        self.used = len(words) // 4
        flags = words[1::4].tolist()
        self.active = sum(1 for place in flags if place & OF_LEASE)
        self.endless = sum(1 for place in flags if place & OF_LEASE and place & ENDLESS)

    def drop(self, lease: Lease, is_of: Callable[[int, str], bool]) -> None:
        """Take every name of the lease away."""
        for name in (lease.lease_id, *lease.resources):
            wanted = name_hash(name)
            own = [
                (index, slot)
                for index, slot in self._chain(wanted)
                if slot[0] == wanted and slot[1] & ACTIVE and is_of(slot[1] >> 3, lease.lease_id)
            ]
            for index, slot in own[:1]:
                self._write(index, (wanted, slot[1] & ~ACTIVE, 0, 0))
                if slot[1] & OF_LEASE:
                    self.active -= 1
                    self.endless -= slot[1] & ENDLESS != 0

    def crowded(self) -> bool:
        return self.used * 10 > self.slots * 7

    def end(self) -> int:
        """How long the file must be to have all its slots."""
        return SLOTS_AT + self.slots * _SLOT

    def content(self) -> bytes:
        """All slots, in one read."""
        return posix.pread(self.fd, self.slots * _SLOT, SLOTS_AT)

    def of_agent(self, agent: str) -> Iterator[Slot]:
        """The slots of one agent's leases."""
        wanted = name_hash(agent).to_bytes(8, sys.byteorder)
        for start in range(SLOTS_AT, self.end(), _BLOCK):
            data = posix.pread(self.fd, min(_BLOCK, self.end() - start), start)
            yield from _leases_with(wanted, data)

    def reached(self) -> int:
        """How far the log goes, by the last writer that finished."""
        return self._word(5 * 8)

    def synced(self) -> int:
        """How much of the log is known to be on the device."""
        return self._word(_SYNCED_AT)

    def set_synced(self, position: int) -> None:
        posix.pwrite(self.fd, position.to_bytes(8, sys.byteorder), _SYNCED_AT)

    def checkpointed(self) -> int:
        """The sequence that the readable index was last written at."""
        return self._word(_CHECKPOINT_AT)

    def set_checkpointed(self, sequence: int) -> None:
        posix.pwrite(self.fd, sequence.to_bytes(8, sys.byteorder), _CHECKPOINT_AT)

    def close(self) -> None:
        if self.fd >= 0:
            posix.close(self.fd)
            self.fd = -1

    def _word(self, at: int) -> int:
        data = posix.pread(self.fd, 8, at)
        return int.from_bytes(data, sys.byteorder) if len(data) == 8 else 0

    def _chain(self, wanted: int) -> list[tuple[int, Slot]]:
        """The slots from the name's first place to the first empty one, which is the last of them; all if none is."""
        mask = self.slots - 1
        index = wanted & mask
        found: list[tuple[int, Slot]] = []
        while len(found) < self.slots:
            count = min(_WINDOW, self.slots - index)
            data = posix.pread(self.fd, count * 32, SLOTS_AT + index * 32)
            for slot in _slots(data):
                found.append((index, slot))
                if not slot[0]:
                    return found
                index += 1
            index &= mask
        return found

    def _put(self, entry: Slot, lease_id: str, is_of: Callable[[int, str], bool]) -> int:
        """Write an entry over the lease's old one, a dead one or an empty one. The old one's place, or nought."""
        chain = self._chain(entry[0])
        dead = -1
        for index, slot in chain:
            if slot[0] == entry[0] and slot[1] & ACTIVE and is_of(slot[1] >> 3, lease_id):
                self._write(index, entry)
                return slot[1]
            if dead < 0 and slot[0] and not slot[1] & ACTIVE:
                dead = index
        if dead < 0 and chain[-1][1][0]:
            raise Full(f"{self.path} is full")
        self.used += dead < 0
        self._write(chain[-1][0] if dead < 0 else dead, entry)
        return 0

    def _write(self, index: int, slot: Slot) -> None:
        words = self._words
        words[0], words[1], words[2], words[3] = slot
        posix.pwrite(self.fd, self._slot, SLOTS_AT + index * 32)


def places(content: bytes) -> list[int]:
    """Where the records of all active leases stand, oldest first."""
    wanted = ACTIVE | OF_LEASE
    return sorted([place >> 3 for place in memoryview(content).cast("Q")[1::4].tolist() if place & wanted == wanted])


def open_table(path: str, *, writable: bool) -> Table | None:
    try:
        return Table(posix.open(path, (posix.O_RDWR if writable else posix.O_RDONLY) | posix.O_CLOEXEC), path)
    except OSError:
        return None


def slots_of(lease: Lease, offset: int, now: Instant) -> Iterator[Slot]:
    """One slot for each name of a lease, the one of its own id first."""
    place = offset << 3 | ACTIVE | (ENDLESS if isinstance(lease.policy, Indefinite) else 0)
    owner, due = name_hash(lease.owner.agent), _due(lease, now)
    yield name_hash(lease.lease_id), place | OF_LEASE, owner, due
    for resource in lease.resources:
        yield name_hash(resource), place, owner, due


def new_table(path: str, names: int, mode: int) -> Table:
    """An empty table with room for that many names, under a name of its own until it is put in place."""
    table = Table(posix.open(path, posix.O_RDWR | posix.O_CREAT | posix.O_TRUNC | posix.O_CLOEXEC, mode), path)
    posix.fchmod(table.fd, mode)
    table.slots = FIRST_SLOTS
    while table.slots < 3 * names:
        table.slots <<= 1
    posix.pwrite(table.fd, b"\0" * 32, SLOTS_AT + (table.slots - 1) * 32)
    return table


def _due(lease: Lease, now: Instant) -> int:
    if not isinstance(lease.policy, Ttl):
        return NEVER
    return now.boot_ms + max(0, lease.policy.ttl_ms - elapsed_ms(lease.renewed, now))


def _leases_with(agent: bytes, data: bytes) -> Iterator[Slot]:
    """The slots of leases that have the agent's hash as their third word, found by searching the raw bytes for it."""
    at = data.find(agent)
    while at >= 0:
        if at % 32 == 16:
            slot = next(_slots(data[at - 16 : at + 16]))
            if slot[1] & (ACTIVE | OF_LEASE) == ACTIVE | OF_LEASE:
                yield slot
        at = data.find(agent, at + 1)


def _slots(data: bytes) -> Iterator[Slot]:
    words = iter(memoryview(data).cast("Q"))
    return zip(words, words, words, words)  # noqa: B905  whole slots are read; the keyword costs more than a slot


def packed(words: tuple[int, ...]) -> bytes:
    return b"".join([word.to_bytes(8, sys.byteorder) for word in words])
