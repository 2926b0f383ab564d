"""Real ground for the tests of the world: git repositories, and files written the way the store writes them."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from jit.kernel.instant import Instant
from jit.world.files import Files

LONG_AGO = 1_000_000_000_000_000_000
NOON = Instant(wall_ms=1_767_441_600_000, boot_ms=5_000, boot_id="boot-1")

SETTINGS = """
[worktree]
mode = "auto"
enforce_leases = "strict"
[coordination]
default_ttl_secs = 600
heartbeat_interval_secs = 30
lease_renewal_threshold_pct = 10
stale_threshold_secs = 3600
max_indefinite_leases_per_agent = 2
max_indefinite_leases_per_repo = 10
auto_renew_leases = false
[global_operations]
require_main_history = true
allowed_branches = ["main", "develop"]
[locks]
max_age_secs = 3600
enable_metadata = true
[events]
enable_sequences = true
use_unified_envelope = true
"""


def git(place: Path, *args: str) -> str:
    """Run git as a stranger without settings of its own."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    clean |= {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.invalid",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.invalid",
    }
    command = ["git", "-c", "protocol.file.allow=always", *args]
    done = subprocess.run(command, cwd=place, env=clean, check=True, capture_output=True, timeout=60)
    return os.fsdecode(done.stdout).strip("\n")


def make_repository(place: Path) -> Path:
    """A repository with one commit on main."""
    place.mkdir(parents=True)
    git(place, "init", "--quiet", "--initial-branch=main")
    commit(place, "first")
    return place


def commit(place: Path, words: str) -> str:
    git(place, "commit", "--quiet", "--allow-empty", "-m", words)
    return git(place, "rev-parse", "HEAD")


def write_whole(path: str, data: bytes) -> None:
    spare = _spare(path, data)
    os.replace(spare, path)


def create_once(path: str, data: bytes) -> bool:
    spare = _spare(path, data)
    try:
        os.link(spare, path)
    except FileExistsError:
        return False
    else:
        return True
    finally:
        os.unlink(spare)


def _spare(path: str, data: bytes) -> str:
    handle, spare = tempfile.mkstemp(dir=os.path.dirname(path))
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    return spare


def put(path: str, text: str) -> None:
    """Write a settings file that looks old enough to be cached."""
    Path(path).write_text(text, "utf-8")
    os.utime(path, ns=(LONG_AGO, LONG_AGO))


FILES = Files(write_whole, create_once)
