"""Processes that take and give back leases, as fast as they can, for a fixed time.

Each worker is a forked process with its own connection. Workers warm up, say that they are ready, and wait on one pipe;
closing its other end starts them all at once. Keys are distinct, so no worker ever waits for another's lease: what is
measured is the store. Each worker reports how long every acquire took; a pair is an acquire and its release.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import struct
import sys
import time
import traceback
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from harness import Failed, Sample

if TYPE_CHECKING:
    from collections.abc import Sequence

PATIENCE_SECONDS = 60.0
_READY = b"r"


class Session(Protocol):
    """One worker's connection to the store it drives."""

    def acquire(self, key: str) -> object: ...
    def release(self, key: str, token: object) -> None: ...
    def close(self) -> None: ...


class Contender(Protocol):
    name: str
    warmup_pairs: int

    def prepare(self) -> None: ...
    def connect(self, worker: int) -> Session: ...


@dataclass(frozen=True, slots=True)
class _Worker:
    pid: int
    output: int


@dataclass(frozen=True, slots=True)
class _Result:
    elapsed: float
    latencies: array[float]


def race(contender: Contender, *, processes: int, seconds: float) -> Sample:
    """Run the workers, and sum up what they report."""
    start, release = os.pipe()
    crew = [_fork(contender, worker, seconds, (start, release)) for worker in range(processes)]
    os.close(start)
    deadline = time.monotonic() + seconds + PATIENCE_SECONDS
    try:
        for worker in crew:
            if _read(worker, 1, deadline) != _READY:
                raise Failed(f"{contender.name}: a worker could not start")
        os.close(release)
        release = -1
        results = [_receive(contender, worker, deadline) for worker in crew]
    finally:
        if release >= 0:
            os.close(release)
        _dismiss(crew)
    return _summary(results)


def percentile(ordered: Sequence[float], fraction: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * fraction))]


def _summary(results: Sequence[_Result]) -> Sample:
    ordered = sorted(took for result in results for took in result.latencies)
    counts = [len(result.latencies) for result in results]
    return Sample(
        p50=percentile(ordered, 0.5),
        p99=percentile(ordered, 0.99),
        rate=sum(len(result.latencies) / result.elapsed for result in results),
        worst=ordered[-1],
        fairness=max(counts) / min(counts),
    )


def _fork(contender: Contender, worker: int, seconds: float, gate: tuple[int, int]) -> _Worker:
    output, report = os.pipe()
    pid = os.fork()
    if pid:
        os.close(report)
        return _Worker(pid, output)
    code = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt reaches the parent too, and it ends its workers
        os.close(output)
        os.close(gate[1])
        _work(contender, worker, seconds, (gate[0], report))
        code = 0
    except BaseException:  # noqa: BLE001  the end of a forked process: nothing may escape into the parent's stack
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _work(contender: Contender, worker: int, seconds: float, pipes: tuple[int, int]) -> None:
    start, report = pipes
    session = contender.connect(worker)
    for pair in range(contender.warmup_pairs):
        key = f"warm-{worker}-{os.getpid()}-{pair}"
        session.release(key, session.acquire(key))
    gc.collect()
    gc.freeze()
    os.write(report, _READY)
    os.read(start, 1)
    elapsed, latencies = _drive(session, worker, seconds)
    session.close()
    with open(report, "wb") as stream:
        stream.write(struct.pack("d", elapsed) + latencies.tobytes())


def _drive(session: Session, worker: int, seconds: float) -> tuple[float, array[float]]:
    clock = time.perf_counter
    acquire, release = session.acquire, session.release
    latencies = array("d")
    prefix = f"key-{worker}-{os.getpid()}-"
    begun = now = clock()
    while now < begun + seconds or not latencies:
        key = prefix + str(len(latencies))
        asked = clock()
        token = acquire(key)
        latencies.append(clock() - asked)
        release(key, token)
        now = clock()
    return now - begun, latencies


def _receive(contender: Contender, worker: _Worker, deadline: float) -> _Result:
    data = _read(worker, 1 << 30, deadline)
    if len(data) < 16:
        raise Failed(f"{contender.name}: a worker broke off; its traceback is on stderr")
    latencies = array("d")
    latencies.frombytes(data[8:])
    return _Result(struct.unpack("d", data[:8])[0], latencies)


def _read(worker: _Worker, size: int, deadline: float) -> bytes:
    """Up to `size` bytes of a worker's output, until its end or the deadline."""
    data = b""
    while len(data) < size:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([worker.output], [], [], left)[0]:
            raise Failed(f"worker {worker.pid} did not answer in time")
        chunk = os.read(worker.output, min(size - len(data), 1 << 16))
        if not chunk:
            break
        data += chunk
    return data


def _dismiss(crew: Sequence[_Worker]) -> None:
    """Workers that are done have sent everything; any other is stopped."""
    for worker in crew:
        os.close(worker.output)
        try:
            os.kill(worker.pid, signal.SIGKILL)
        finally:
            os.waitpid(worker.pid, 0)
