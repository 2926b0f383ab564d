"""What is on the device when an operation returns, and what may be missing without harm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crash.steps import OPERATIONS
from tests.traceability import covers

pytestmark = pytest.mark.crash
ROOT = Path(__file__).parents[2]
LOG, LOCK, INDEX = "claims.jsonl", "claims.lock", "claims.index.json"


def order_of(folder: Path, operation: str) -> list[tuple[str, str]]:
    command = [sys.executable, "-m", "tests.crash.order", str(folder), operation]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return [(name, place) for name, place in json.loads(done.stdout)]


@pytest.mark.parametrize("operation", OPERATIONS)
@covers("002:durable.append", "002:durable.order", "002:lock.exclusive")
def test_the_record_is_written_under_the_lock_and_synced_behind_it_before_success(
    tmp_path: Path, operation: str
) -> None:
    calls = order_of(tmp_path, operation)
    locked, unlocked = calls.index(("lock", LOCK)), calls.index(("unlock", LOCK))
    written, synced = calls.index(("write", LOG)), calls.index(("fdatasync", LOG))
    assert locked < written < unlocked < synced < calls.index(("returned", ""))
    assert calls.count(("write", LOG)) == 1
    assert [place for name, place in calls[locked:unlocked] if name in ("fsync", "fdatasync")] == []
    changed = [at for at, call in enumerate(calls) if call == ("replace", INDEX)]
    assert all(at > synced for at in changed)


@covers("002:atomic.directory", "002:durable.append")
def test_a_new_log_is_found_after_a_power_cut(tmp_path: Path) -> None:
    calls = order_of(tmp_path, "first")
    assert calls.index(("fsync", "jit")) < calls.index(("write", LOG))


@covers("002:atomic.rename", "002:atomic.directory")
def test_a_file_that_is_replaced_durably_is_synced_renamed_and_its_folder_synced(tmp_path: Path) -> None:
    code = (
        "import fcntl, json, posix, sys\n"
        "from tests.crash.order import _noted\n"
        "from jit.store import durable\n"
        "seen = []\n"
        "for name in ('write', 'fdatasync', 'fsync', 'replace'):\n"
        "    setattr(posix, name, _noted(name, getattr(posix, name), seen))\n"
        "durable.replace_file(sys.argv[1], b'new')\n"
        "print(json.dumps([name for name, _ in seen]))\n"
    )
    path = tmp_path / "file"
    path.write_bytes(b"old")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    command = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(done.stdout) == ["write", "fdatasync", "replace", "fsync"]
    assert path.read_bytes() == b"new"
