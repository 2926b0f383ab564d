"""`jit validate`: what is in order is said to be, and every disorder is found, named and given a next command."""

from __future__ import annotations

import json
import shutil
import subprocess
from binascii import crc32
from typing import TYPE_CHECKING, Any

import pytest

from tests.surface.keeping import Ground, until
from tests.traceability import covers

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path / "repository")


def problems(ground: Ground, what: str, code: int, **settings: str) -> list[dict[str, Any]]:
    done = ground.run("validate", what, "--json", **settings)
    assert done.returncode == code, done.stdout + done.stderr
    answer = json.loads(done.stdout)
    assert answer["valid"] == (code == 0)
    return [problem for check in answer["checks"] for problem in check["problems"]]


def notes(ground: Ground, what: str, **settings: str) -> str:
    return " ".join(ground.ok("validate", what, **settings)["checks"][0]["notes"])


def git(ground: Ground, *words: str) -> None:
    subprocess.run(("git", *words), cwd=ground.root, check=True, capture_output=True)


@covers("002:cmd.validate.all")
def test_a_repository_in_use_passes_every_check(ground: Ground) -> None:
    lease = ground.ok("claim", "acquire", ground.issue("one"))["lease_id"]
    ground.ok("claim", "acquire", ground.issue("two"), agent="agent:two")
    ground.ok("claim", "release", lease)
    answer = ground.ok("validate", "all")
    assert [check["name"] for check in answer["checks"]] == ["config", "divergence", "log", "replay", "leases"]
    assert all(check["valid"] and check["problems"] == [] for check in answer["checks"])


def test_a_repository_that_was_never_set_up_passes_too(ground: Ground) -> None:
    shutil.rmtree(ground.root / ".git/jit")
    assert problems(ground, "all", 0) == []
    assert not (ground.root / ".git/jit").exists()


@covers("002:cmd.validate.leases")
def test_a_lease_on_an_issue_that_nobody_has_is_a_problem(ground: Ground) -> None:
    issue = ground.issue()
    lease = ground.ok("claim", "acquire", issue)["lease_id"]
    shutil.rmtree(ground.root / ".jit/issues" / issue)
    found = problems(ground, "leases", 4)
    assert found[0]["details"] == {"lease_id": lease, "issue_id": issue}
    assert found[0]["hint"].startswith(f"jit claim force-evict {lease}")


@covers("002:config.worktree.enforce_leases")
def test_enforcement_says_whether_problems_with_leases_fail(ground: Ground) -> None:
    issue = ground.issue()
    ground.ok("claim", "acquire", issue)
    shutil.rmtree(ground.root / ".jit/issues" / issue)
    assert len(problems(ground, "leases", 4, worktree_enforce_leases="strict")) == 1
    assert issue in notes(ground, "leases", worktree_enforce_leases="warn")
    assert "skipped" in notes(ground, "leases", worktree_enforce_leases="off")


def test_a_lease_on_an_issue_of_another_worktree_is_in_order(ground: Ground, tmp_path: Path) -> None:
    git(ground, "commit", "--quiet", "--allow-empty", "-m", "first")
    git(ground, "worktree", "add", "--quiet", str(tmp_path / "second"))
    there = ["--repo", str(tmp_path / "second")]
    issue = ground.ok("issue", "create", "--title", "there", *there)["id"]
    ground.ok("claim", "acquire", issue, *there)
    assert problems(ground, "leases", 0) == []


def test_a_lease_of_a_worktree_that_is_gone_is_noted_with_the_command_that_ends_it(
    ground: Ground, tmp_path: Path
) -> None:
    issue = ground.issue()
    git(ground, "commit", "--quiet", "--allow-empty", "-m", "first")
    git(ground, "worktree", "add", "--quiet", str(tmp_path / "second"))
    lease = ground.ok("claim", "acquire", issue, "--repo", str(tmp_path / "second"))["lease_id"]
    shutil.rmtree(tmp_path / "second")
    assert f"jit claim force-evict {lease}" in notes(ground, "leases")


@covers("002:expiry.stale")
def test_stale_and_expired_leases_are_noted_and_fail_nothing(ground: Ground) -> None:
    stale = ground.ok(
        "claim", "acquire", ground.issue("one"), "--ttl", "0", "--reason", "long", coordination_stale_threshold_secs="1"
    )
    expired = ground.ok("claim", "acquire", ground.issue("two"), "--ttl", "1")
    until(lambda: notes(ground, "leases").count("agent:one") == 2, "one lease is stale and one has run out")
    said = ground.ok("validate", "leases")["checks"][0]["notes"]
    assert any(stale["lease_id"] in note and "is stale" in note for note in said)
    assert any(expired["lease_id"] in note and "has run out" in note for note in said)


def test_an_index_that_was_edited_is_a_problem(ground: Ground) -> None:
    ground.ok("claim", "acquire", ground.issue())
    index = ground.root / ".git/jit/claims.index.json"
    index.write_text(index.read_text().replace('"fence":1,', '"fence":9,', 1))
    found = problems(ground, "leases", 4)
    assert "claims.index.json" in found[0]["what"]
    assert found[0]["hint"] == "jit doctor --fix"


@covers("002:cmd.validate.config")
def test_a_setting_that_cannot_be_used_is_a_problem_with_file_and_line(ground: Ground) -> None:
    path = ground.root / ".jit/config.toml"
    path.write_text('[worktree]\nenforce_leases = "sometimes"\n')
    found = problems(ground, "config", 4)
    assert found[0]["details"] == {"file": str(path), "line": 2, "key": "worktree.enforce_leases"}


@covers("002:cmd.validate.divergence", "002:divergence.detect")
def test_a_branch_that_lacks_commits_of_main_has_diverged(ground: Ground) -> None:
    git(ground, "commit", "--quiet", "--allow-empty", "-m", "first")
    git(ground, "switch", "--quiet", "--create", "side")
    assert problems(ground, "divergence", 0) == []
    git(ground, "switch", "--quiet", "main")
    git(ground, "commit", "--quiet", "--allow-empty", "-m", "second")
    git(ground, "switch", "--quiet", "side")
    found = problems(ground, "divergence", 4)
    assert found[0]["hint"] == "git rebase main"


def test_a_damaged_record_is_found_with_line_and_byte_offset(ground: Ground) -> None:
    for title in ("one", "two", "three"):
        ground.ok("claim", "acquire", ground.issue(title))
    lines = ground.log_file.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b"agent:one", b"agent:0ne", 1)
    ground.log_file.write_bytes(b"".join(lines))
    found = problems(ground, "log", 21)
    assert found[0]["details"] == {"file": str(ground.log_file), "line": 2, "offset": len(lines[0])}
    assert found[0]["hint"] == "jit doctor --fix"


@covers("002:seq.gap", "L:9")
def test_a_gap_in_the_sequences_is_found(ground: Ground) -> None:
    for title in ("one", "two", "three"):
        ground.ok("claim", "acquire", ground.issue(title))
    lines = ground.log_file.read_bytes().splitlines(keepends=True)
    ground.log_file.write_bytes(lines[0] + lines[2])
    found = problems(ground, "log", 21)
    assert "jumps from 1 to 3" in found[0]["what"]


def test_a_missing_segment_is_found(ground: Ground) -> None:
    ground.ok("claim", "acquire", ground.issue())
    segment = ground.ok("log", "archive")["segment"]
    subprocess.run(("rm", segment), check=True)
    found = problems(ground, "log", 21)
    assert "records 1 to 1 are missing" in found[0]["what"]


def test_an_unfinished_tail_is_noted_and_fails_nothing(ground: Ground) -> None:
    ground.ok("claim", "acquire", ground.issue())
    with ground.log_file.open("ab") as file:
        file.write(b'{"schema_version":1')
    assert "never finished" in notes(ground, "log")


def test_a_decision_that_its_evidence_does_not_support_is_found_by_replay(ground: Ground) -> None:
    """A forged record with a checksum that fits passes the check of the log, but not the replay."""
    issue = ground.issue()
    ground.ok("claim", "acquire", issue)
    ground.run("claim", "acquire", issue, agent="agent:two")
    line = ground.log_file.read_bytes().splitlines()[1]
    text = line[: line.rindex(b',"crc":"')].replace(b'"agent_id":"agent:two"', b'"agent_id":"agent:one"')
    forged = text + b',"crc":"%08x"}\n' % crc32(text)
    ground.log_file.write_bytes(ground.log_file.read_bytes().splitlines(keepends=True)[0] + forged)
    assert problems(ground, "log", 0) == []
    found = problems(ground, "replay", 4)
    assert found[0]["details"] == {"sequence": 2}


def test_replay_counts_what_it_decided_and_compares_with_the_index(ground: Ground) -> None:
    lease = ground.ok("claim", "acquire", ground.issue())["lease_id"]
    ground.ok("claim", "renew", lease)
    ground.ok("log", "archive")
    ground.ok("claim", "release", lease)
    check = ground.ok("validate", "replay")["checks"][0]
    assert check["checked"].startswith("3 decisions made anew")
    assert check["checked"].endswith("index at sequence 3")


def test_people_see_one_line_for_each_check(ground: Ground) -> None:
    done = ground.run("validate", "all")
    assert [line[:4] for line in done.stdout.splitlines()] == ["ok  "] * 5
