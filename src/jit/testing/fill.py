"""Fill a repository's control plane with leases and history, for measurements.

    python -m jit.testing.fill --leases 10000 --records 100000

The records are those that the engine would have written: one of each kind is encoded by the store itself, and the
rest are the same text with other names and numbers. `jit validate replay` accepts the result.
"""

from __future__ import annotations

import os
import sys
from binascii import crc32

from jit.app import Workspace
from jit.kernel.commands import Acquire, Release
from jit.kernel.decide import decide
from jit.kernel.ids import ULID_DIGITS
from jit.kernel.lease import Evidence, Owner
from jit.kernel.ledger import Ledger, evolve
from jit.kernel.policy import Ttl
from jit.store import durable
from jit.store.api import Batch
from jit.store.codec import CRC_BYTES, encode_batch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jit.kernel.instant import Instant

OWNER = Owner("agent:fill", "wt:f1111111")
MONTH_MS = 30 * 86_400_000
CHUNK = 20_000
# Stand-ins that occur nowhere else in a record: replaced by the names and numbers of each record.
_SEQUENCE, _FENCE = 777_777_777_001, 777_777_777_002
_BATCH, _LEASE, _ISSUE = "Z" * 26, "Y" * 26, "X" * 26
_PAIRS = [(a + b).encode() for a in ULID_DIGITS for b in ULID_DIGITS]


def fill(space: Workspace, leases: int, records: int) -> int:
    """Append `records` records that leave `leases` more leases active; returns how many were written."""
    pairs = max(0, records - leases) // 2
    with space.store.exclusive():
        view = space.store.view()
        lines = _records(space.world.now(), view.sequence, view.leases.fence, pairs, leases)
        fd = os.open(space.plane.log, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        try:
            _write(fd, lines)
            durable.sync(fd)
        finally:
            os.close(fd)
    with space.store.exclusive():  # builds the index, so that whoever measures next does not pay for it
        return space.store.view().sequence - view.sequence


def _write(fd: int, lines: Iterator[bytes]) -> None:
    part: list[bytes] = []
    for line in lines:
        part.append(line)
        if len(part) >= CHUNK:
            durable.append(fd, b"".join(part), os.fstat(fd).st_size)
            part = []
    durable.append(fd, b"".join(part), os.fstat(fd).st_size)


def _records(now: Instant, sequence: int, fence: int, pairs: int, leases: int) -> Iterator[bytes]:
    """`pairs` claims that were given back, then `leases` claims that were not."""
    take, give = _templates(now)
    for number in range(pairs + leases):
        name = _digits(number + fence)
        for template in (take, give) if number < pairs else (take,):
            sequence += 1
            text = template % {b"sequence": sequence, b"fence": fence + number + 1, b"name": name}
            yield text + b',"crc":"%08x"}\n' % crc32(text)


def _digits(number: int) -> bytes:
    """24 digits, different for every number up to 2 to the 30, in the alphabet of ULIDs."""
    return b"0" * 18 + _PAIRS[number >> 20 & 1023] + _PAIRS[number >> 10 & 1023] + _PAIRS[number & 1023]


def _templates(now: Instant) -> tuple[bytes, bytes]:
    """A claim and its release as the store encodes them, with places to fill in."""
    ledger = Ledger()
    ledger.fence = _FENCE - 1
    evidence = Evidence(now, {})
    asked = Acquire(_LEASE, (f"issue:{_ISSUE}",), OWNER, Ttl(MONTH_MS), branch="main")
    out = []
    for letter, command in ((b"A", asked), (b"B", Release(_LEASE, OWNER))):
        events = decide(ledger, command, evidence)
        for event in events:
            evolve(ledger, event)
        line = encode_batch(Batch(_BATCH, command, evidence, events), _SEQUENCE)[0]
        out.append(_template(line[: -CRC_BYTES - 1], letter))
    return out[0], out[1]


def _template(text: bytes, letter: bytes) -> bytes:
    places = {
        str(_SEQUENCE): b"%(sequence)d",
        str(_FENCE): b"%(fence)d",
        _BATCH: b"0" + letter + b"%(name)s",
        _LEASE: b"0D%(name)s",
        _ISSUE: b"0C%(name)s",
    }
    text = text.replace(b"%", b"%%")
    for stand_in, place in places.items():
        text = text.replace(stand_in.encode(), place)
    return text


def _number(words: Sequence[str], name: str) -> int:
    value = words[words.index(name) + 1] if name in words[:-1] else ""
    if not value.isdigit():
        sys.exit(f"usage: python -m jit.testing.fill --leases N --records M  ({name} needs a number)")
    return int(value)


def main(words: Sequence[str]) -> int:
    leases, records = _number(words, "--leases"), _number(words, "--records")
    space = Workspace(os.getcwd(), os.environ)
    written = fill(space, leases, records)
    space.close()
    sys.stdout.write(f"{written} records, {leases} of them active leases, in {space.plane.log}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
