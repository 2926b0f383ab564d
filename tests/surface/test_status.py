"""`jit status`: one screen that says where you are, who holds what, what happened last, and what to do next."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.surface.keeping import Ground
from tests.traceability import covers

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path / "repository")


@covers("002:read.status")
def test_it_counts_issues_and_claims_without_needing_a_claim(ground: Ground) -> None:
    one = ground.issue("one")
    ground.issue("two")
    ground.ok("issue", "create", "--title", "three", "--state", "backlog")
    ground.ok("claim", "acquire", one, agent="agent:two")
    answer = ground.ok("status")
    files = {"held": 0, "waiting": 0, "blocked": 0}
    issues = {"backlog": 1, "ready": 2}
    assert answer["counts"] == {"issues": issues, "claims": 1, "stale": 0, "yours": 0, "files": files}
    assert answer["claims"] == []
    assert answer["next"] == "jit claim next"


def test_it_tells_who_and_where_you_are(ground: Ground) -> None:
    answer = ground.ok("status")
    assert answer["you"]["agent_id"] == "agent:one"
    assert answer["you"]["agent_source"] == "JIT_AGENT_ID"
    assert answer["you"]["branch"] == "main"
    assert answer["you"]["worktree_id"].startswith("wt:")
    assert answer["repository"]["worktree"] == str(ground.root)
    assert answer["repository"]["ready"] is True


def test_your_claims_are_listed_with_the_time_that_is_left(ground: Ground) -> None:
    taken = ground.ok("claim", "acquire", ground.issue("the title"))
    answer = ground.ok("status")
    assert answer["counts"]["yours"] == 1
    assert answer["claims"][0]["lease_id"] == taken["lease_id"]
    assert 0 < answer["claims"][0]["remaining_secs"] <= 600
    assert answer["next"] == f"jit claim renew {taken['lease_id']}"
    shown = ground.run("status").stdout
    assert "the title" in shown
    assert taken["lease_id"] in shown


def test_the_newest_five_events_are_shown_oldest_first(ground: Ground) -> None:
    lease = ground.ok("claim", "acquire", ground.issue())["lease_id"]
    for _ in range(6):
        ground.ok("claim", "renew", lease)
    events = ground.ok("status")["events"]
    assert [event["sequence"] for event in events] == [3, 4, 5, 6, 7]
    assert events[-1]["words"].startswith("agent:one renewed issue")


def test_without_free_issues_the_next_command_makes_one(ground: Ground) -> None:
    assert ground.ok("status")["next"].startswith("jit issue create")


def test_before_init_it_says_init_and_creates_nothing(tmp_path: Path) -> None:
    ground = Ground(tmp_path / "repository")
    shutil.rmtree(ground.root)
    subprocess.run(("git", "init", "--quiet", "--initial-branch=main", str(ground.root)), check=True)
    answer = ground.ok("status")
    assert (answer["repository"]["ready"], answer["next"]) == (False, "jit init")
    assert answer["you"]["worktree_id"] is None
    assert "next: jit init" in ground.run("status").stdout
    assert not (ground.root / ".git/jit").exists()
    assert not (ground.root / ".jit").exists()


def test_outside_a_repository_it_is_a_clear_error(ground: Ground, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    done = ground.run("status", "--repo", str(tmp_path / "elsewhere"))
    assert done.returncode == 20
    assert "not inside a git repository" in done.stderr
