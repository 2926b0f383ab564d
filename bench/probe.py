"""What is measured inside a fresh interpreter: `python probe.py ACTION CONTROL_DIR` prints one JSON object.

    sizes    how many bytes of log one acquire and one release write
    list     resident memory after opening the store and listing its leases
    rebuild  how long a writer takes to be ready when only the log is there
    parse    how long `json.loads` of every line of the log takes, the reference of `rebuild`

It imports as little as it can: what it imports is measured too.
"""

from __future__ import annotations

import sys
import time

_PARSED_LINES = 20_000


def main(action: str, control_dir: str) -> None:
    answer = {"sizes": sizes, "list": listing, "rebuild": rebuild, "parse": parse}[action](control_dir)
    sys.stdout.write("{" + ", ".join(f'"{name}": {value}' for name, value in answer.items()) + "}\n")


def sizes(control_dir: str) -> dict[str, float]:
    import subjects

    store = subjects.open_store(control_dir)
    before = _log_bytes(control_dir)
    lease = subjects.acquire(store, "probe-sizes", "agent:bench-0")
    between = _log_bytes(control_dir)
    subjects.release(store, lease)
    return {"acquire": between - before, "release": _log_bytes(control_dir) - between}


def listing(control_dir: str) -> dict[str, float]:
    import subjects

    store = subjects.open_store(control_dir)
    subjects.catch_up(store)
    leases = subjects.list_leases(store)
    return {**memory(), "count": len(leases)}


def rebuild(control_dir: str) -> dict[str, float]:
    import subjects

    subjects.drop_caches(control_dir)
    begun = time.perf_counter()
    store = subjects.open_store(control_dir)
    subjects.catch_up(store)
    seconds = time.perf_counter() - begun
    return {"seconds": seconds, "records": _log_records(control_dir), "count": len(subjects.list_leases(store))}


def parse(control_dir: str) -> dict[str, float]:
    from itertools import islice
    from json import loads

    with open(_log(control_dir), "rb") as log:
        lines = list(islice(log, _PARSED_LINES))
    begun = time.perf_counter()
    for line in lines:
        loads(line)
    return {"seconds": time.perf_counter() - begun, "records": len(lines)}


def memory() -> dict[str, float]:
    """Resident memory of this process now and at its highest, in bytes."""
    with open("/proc/self/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    return {name: int(fields[key].split()[0]) * 1024 for name, key in (("now", "VmRSS"), ("peak", "VmHWM"))}


def _log_bytes(control_dir: str) -> int:
    """Without the zeros of space that was reserved but not yet written."""
    with open(_log(control_dir), "rb") as log:
        return len(log.read().rstrip(b"\0"))


def _log_records(control_dir: str) -> int:
    with open(_log(control_dir), "rb") as log:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: log.read(1 << 20), b""))


def _log(control_dir: str) -> str:
    return f"{control_dir}/claims.jsonl"


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
