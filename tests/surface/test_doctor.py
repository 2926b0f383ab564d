"""`jit doctor`: every check is one line with the next command, and `--fix` mends what can be mended."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from tests.surface.keeping import Ground
from tests.traceability import covers

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path / "repository")


def examine(
    ground: Ground, *words: str, code: int = 0, **settings: str
) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """The first finding of each name that is not ok, or its only one; and the whole answer."""
    done = ground.run("doctor", *words, "--json", **settings)
    assert done.returncode == code, done.stdout + done.stderr
    answer = json.loads(done.stdout)
    assert answer["healthy"] == (code == 0)
    return {check["name"]: check for check in reversed(answer["checks"])}, answer


def plane(ground: Ground) -> Path:
    return ground.root / ".git/jit"


def dead_pid() -> int:
    process = subprocess.Popen(("true",))
    process.wait()
    return process.pid


def test_a_repository_in_order_is_healthy_and_every_check_is_ok(ground: Ground) -> None:
    ground.ok("claim", "acquire", ground.issue())
    found, answer = examine(ground)
    assert {check["state"] for check in answer["checks"]} == {"ok"}
    assert {"git", "repository", "config", "agent", "worktree", "control plane", "modes"} <= set(found)
    assert {"file system", "disk", "log", "table", "index", "lock", "heartbeat", "worktrees", "leftovers"} <= set(found)
    assert answer["fixed"] == []


def test_before_init_the_next_command_is_init_and_nothing_is_created(ground: Ground) -> None:
    shutil.rmtree(plane(ground))
    found, _ = examine(ground)
    assert (found["control plane"]["state"], found["control plane"]["next"]) == ("warn", "jit init")
    assert not plane(ground).exists()


@covers("002:path.outside")
def test_outside_a_repository_it_says_so(ground: Ground, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    found, _ = examine(ground, "--repo", str(tmp_path / "elsewhere"), "--fix", code=4)
    assert found["git"]["state"] == "ok"
    assert "not inside a git repository" in found["repository"]["what"]


def test_the_agent_and_where_its_name_came_from_are_told(ground: Ground) -> None:
    found, _ = examine(ground)
    assert found["agent"]["what"] == "you are agent:one (from JIT_AGENT_ID)"


@covers("002:perm.control")
def test_wrong_modes_are_reported_and_mended(ground: Ground) -> None:
    ground.ok("claim", "acquire", ground.issue())
    plane(ground).chmod(0o755)
    ground.log_file.chmod(0o644)
    found, _ = examine(ground)
    assert (found["modes"]["state"], found["modes"]["next"]) == ("warn", "jit doctor --fix")
    found, answer = examine(ground, "--fix")
    assert found["modes"]["state"] == "ok"
    assert len(answer["fixed"]) == 2
    assert (plane(ground).stat().st_mode & 0o7777, ground.log_file.stat().st_mode & 0o7777) == (0o700, 0o600)


@covers("002:T10", "002:recovery.index")
def test_a_damaged_log_is_mended_with_a_copy_and_without_losing_what_is_readable(ground: Ground) -> None:
    one, two = ground.issue("one"), ground.issue("two")
    kept = ground.ok("claim", "acquire", one)["lease_id"]
    ground.ok("claim", "renew", kept)
    ground.ok("claim", "acquire", two, agent="agent:two")
    spoilt = ground.log_file.read_bytes().replace(b"agent:one", b"agent:0ne", 1)
    ground.log_file.write_bytes(spoilt)
    (plane(ground) / "claims.index.json").unlink()
    found, _ = examine(ground, code=21)
    assert "line 1 (byte 0)" in found["log"]["what"]
    assert found["log"]["next"] == "jit doctor --fix"
    found, answer = examine(ground, "--fix")
    details = answer["fixed"][0]["details"]
    with open(details["copy"], "rb") as file:
        assert file.read() == spoilt
    assert (details["kept"], details["leases"], details["missing"]) == (2, 2, [[1, 1]])
    assert [(lost["line"], lost["offset"]) for lost in details["lost"]] == [(1, 0)]
    assert kept in {lease["lease_id"] for lease in ground.ok("claim", "status")["leases"]}
    assert ground.ok("validate", "all")["valid"]
    ground.ok("claim", "release", kept)
    assert ground.ok("validate", "all")["valid"]


def test_a_second_fix_finds_nothing_to_do(ground: Ground) -> None:
    ground.ok("claim", "acquire", ground.issue())
    ground.log_file.write_bytes(b"rubbish\n" + ground.log_file.read_bytes())
    assert examine(ground, "--fix")[1]["fixed"] != []
    assert examine(ground, "--fix")[1]["fixed"] == []


@covers("002:T13")
def test_an_edited_index_is_reported_and_made_anew(ground: Ground) -> None:
    ground.ok("claim", "acquire", ground.issue())
    index = plane(ground) / "claims.index.json"
    good = json.loads(index.read_text())["active"]
    index.write_text(index.read_text().replace("agent:one", "agent:two"))
    assert examine(ground, code=4)[0]["index"]["state"] == "bad"
    assert examine(ground, "--fix")[0]["index"]["state"] == "ok"
    assert json.loads(index.read_text())["active"] == good


def test_a_directory_in_place_of_the_log_is_named_and_left_alone(ground: Ground) -> None:
    ground.log_file.unlink()
    ground.log_file.mkdir()
    for words in ((), ("--fix",)):
        found, _ = examine(ground, *words, code=4)
        assert "there is a directory in place of the file" in found["log"]["what"]
        assert found["log"]["next"] == "move the directory away, then run: jit doctor"
    assert ground.log_file.is_dir()


@covers("002:lock.old", "002:config.locks.max_age_secs")
def test_a_lock_that_is_held_is_told_with_its_holder_and_an_old_one_is_a_warning(ground: Ground) -> None:
    ground.ok("claim", "acquire", ground.issue())
    with (plane(ground) / "locks/claims.lock").open("r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.pwrite(lock.fileno(), b"pid 4711 agent:slow since 2020-01-03T12:00:00.000Z".ljust(255), 0)
        found, _ = examine(ground)
        assert found["lock"]["state"] == "warn"
        assert "pid 4711 agent:slow" in found["lock"]["what"]
        assert found["lock"]["next"].endswith("ps -p 4711")
        os.pwrite(lock.fileno(), f"pid 4711 agent:slow since {datetime.now(UTC).isoformat()}".encode().ljust(255), 0)
        assert examine(ground)[0]["lock"]["state"] == "ok"
    assert examine(ground)[0]["lock"]["what"] == "the writers' lock is free"


def test_temporary_files_of_dead_processes_are_removed_and_others_are_not(ground: Ground) -> None:
    gone = plane(ground) / f"claims.index.json.{dead_pid()}.tmp"
    mine = plane(ground) / f"claims.index.json.{os.getpid()}.tmp"
    gone.write_text("")
    mine.write_text("")
    found, _ = examine(ground)
    assert str(gone) in found["leftovers"]["what"]
    examine(ground, "--fix")
    assert (gone.exists(), mine.exists()) == (False, True)


def test_an_agent_that_fell_silent_is_noted(ground: Ground) -> None:
    beat = {
        "agent_id": "agent:old",
        "worktree_id": "wt:00000000",
        "branch": "main",
        "pid": 1,
        "last_beat": "2020-01-03T12:00:00.000Z",
        "interval_secs": 30,
        "wall_ms": 1_578_052_800_000,
        "boot_ms": 1,
        "boot_id": "another boot",
    }
    (plane(ground) / "heartbeat/agent:old.json").write_text(json.dumps(beat))
    found, _ = examine(ground)
    assert (found["heartbeat"]["state"], found["heartbeat"]["next"]) == ("note", "jit claim status --agent agent:old")


def test_a_setting_that_cannot_be_used_is_bad(ground: Ground) -> None:
    (ground.root / ".jit/config.toml").write_text('[worktree]\nenforce_leases = "sometimes"\n')
    found, _ = examine(ground, code=4)
    assert (found["config"]["state"], found["config"]["next"]) == ("bad", "jit config reset worktree.enforce_leases")


def test_an_identity_that_git_would_commit_is_reported_and_mended(ground: Ground) -> None:
    exclude = ground.root / ".git/info/exclude"
    exclude.write_text("")
    assert examine(ground)[0]["worktree"]["state"] == "warn"
    assert examine(ground, "--fix")[0]["worktree"]["state"] == "ok"
    assert ".jit/worktree.json" in exclude.read_text().splitlines()


def test_a_claim_of_a_worktree_that_is_gone_is_reported_with_the_command_that_ends_it(
    ground: Ground, tmp_path: Path
) -> None:
    issue = ground.issue()
    for words in (
        ("commit", "--quiet", "--allow-empty", "-m", "first"),
        ("worktree", "add", "-q", str(tmp_path / "second")),
    ):
        subprocess.run(("git", *words), cwd=ground.root, check=True, capture_output=True)
    lease = ground.ok("claim", "acquire", issue, "--repo", str(tmp_path / "second"))["lease_id"]
    shutil.rmtree(tmp_path / "second")
    found, _ = examine(ground)
    assert found["worktrees"]["next"] == f'jit claim force-evict {lease} --reason "worktree removed"'


def test_people_see_a_line_for_each_check_and_the_next_command_below_it(ground: Ground) -> None:
    shutil.rmtree(plane(ground))
    lines = ground.run("doctor").stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("warn  control plane:"))
    assert lines[at + 1].strip() == "next: jit init"
