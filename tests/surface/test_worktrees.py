"""Worktrees and every other place that a command can be typed in."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.surface.jitcli import Jit, log_of, make_site
from tests.traceability import covers
from tests.world.ground import git

pytestmark = pytest.mark.surface


def worktree_id(jit: Jit) -> str:
    found: str = jit.ask("worktree", "info")["worktree_id"]
    return found


@covers(
    "L:14", "002:worktree.id", "002:worktree.immutable", "002:cmd.worktree.info", "002:T7", "002:worktree.first-use"
)
def test_a_worktree_has_one_id_that_stays_and_another_has_another(jit: Jit) -> None:
    git(jit.cwd, "worktree", "add", "--quiet", "-b", "other", "../other")
    other = jit.at(jit.cwd.parent / "other")
    ids = [worktree_id(jit), worktree_id(jit), worktree_id(other), worktree_id(other)]
    assert ids[0] == ids[1] != ids[2] == ids[3]
    assert all(re.fullmatch(r"wt:[0-9a-f]{8}", one) for one in ids)
    assert (other.cwd / ".jit/worktree.json").is_file()


@covers("L:14", "002:worktree.relocation", "002:atomic.worktree")
def test_a_moved_worktree_keeps_its_id_and_its_claims_and_warns_once(jit: Jit) -> None:
    jit.ask("worktree", "create", "../before")
    before = jit.at(jit.cwd.parent / "before")
    lease = before.ask("claim", "acquire", jit.issue())
    inode = (before.cwd / ".jit/worktree.json").stat().st_ino
    git(jit.cwd, "worktree", "move", "../before", "../after")
    after = jit.at(jit.cwd.parent / "after")
    warned = after("worktree", "info", "--json")
    assert warned.json["worktree_id"] == lease["worktree_id"]
    assert "warning:" in warned.err
    again = after("worktree", "info", "--json")
    assert (again.json["relocated_at"] is not None, again.err) == (True, "")
    assert after.ask("claim", "renew", lease["lease_id"])["fence"] == lease["fence"]
    assert [path.name for path in (after.cwd / ".jit").iterdir()] == ["worktree.json"]
    assert (after.cwd / ".jit/worktree.json").stat().st_ino != inode


@covers("L:14", "002:cmd.worktree.list")
def test_unusual_worktrees_are_listed(jit: Jit) -> None:
    for name in ("locked", "gone", "detached"):
        git(jit.cwd, "worktree", "add", "--quiet", "--detach", f"../{name}")
    git(jit.cwd, "worktree", "lock", "../locked")
    shutil.rmtree(jit.cwd.parent / "gone")
    listed = jit.ask("worktree", "list")
    rows = {Path(row["path"]).name: row for row in listed["worktrees"]}
    assert (listed["count"], set(rows)) == (4, {"repo", "locked", "gone", "detached"})
    assert rows["locked"]["locked"]
    assert rows["gone"]["prunable"]
    assert rows["detached"]["detached"]
    assert rows["detached"]["branch"].startswith("detached:")
    plain = jit("worktree", "list")
    assert (plain.code, "prunable" in plain.out, "locked" in plain.out) == (0, True, True)


@covers("002:cmd.worktree.init", "002:T8")
def test_a_worktree_gets_its_identity_when_asked(jit: Jit) -> None:
    git(jit.cwd, "worktree", "add", "--quiet", "--detach", "../fresh")
    fresh = jit.at(jit.cwd.parent / "fresh")
    assert not (fresh.cwd / ".jit/worktree.json").exists()
    made = fresh.ask("worktree", "init")["worktree_id"]
    assert fresh.ask("worktree", "init")["worktree_id"] == made == worktree_id(fresh)


def test_a_new_worktree_is_made_with_branch_and_identity(jit: Jit) -> None:
    made = jit.ask("worktree", "create", "../näw tree", "--branch", "agents/x")
    away = jit.at(jit.cwd.parent / "näw tree")
    assert (made["branch"], made["worktree_id"]) == ("agents/x", worktree_id(away))
    assert jit.refuse(6, "worktree", "create", "../näw tree")["code"] == "already-exists"


@covers("002:path.common-dir", "002:path.kind", "002:T6", "002:layout.control")
def test_all_worktrees_and_subdirectories_share_one_control_plane(jit: Jit) -> None:
    issue = jit.issue()
    jit.ask("worktree", "create", "../away")
    away = jit.at(jit.cwd.parent / "away")
    deep = away.cwd / "a/b c/d"
    deep.mkdir(parents=True)
    info = away.at(deep).ask("worktree", "info")
    assert (info["kind"], info["root"]) == ("linked", str(away.cwd))
    assert info["control_plane"] == jit.ask("worktree", "info")["control_plane"] == str(jit.cwd / ".git/jit")
    lease = away.at(deep).ask("claim", "acquire", issue)
    assert jit.by("agent:bob").refuse(10, "claim", "acquire", issue)["details"]["lease_id"] == lease["lease_id"]
    assert not (deep / ".jit").exists()


def test_git_variables_lead_to_the_repository_that_they_name(jit: Jit, tmp_path: Path) -> None:
    issue = jit.issue()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    pointed = jit.at(elsewhere).where(GIT_DIR=str(jit.cwd / ".git"), GIT_WORK_TREE=str(jit.cwd))
    assert pointed.ask("claim", "acquire", issue)["worktree_id"] == worktree_id(jit)
    assert os.listdir(elsewhere) == []
    assert set(log_of(jit).holders()) == {f"issue:{issue}"}


def test_a_repository_is_named_by_an_option(jit: Jit, tmp_path: Path) -> None:
    found = Jit(tmp_path).ask("worktree", "info", "--repo", str(jit.cwd))
    assert found["root"] == str(jit.cwd)


def test_a_bare_repository_with_worktrees_shares_its_control_plane(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", "bare.git")
    bare = tmp_path / "bare.git"
    tree = git(bare, "hash-object", "-t", "tree", "/dev/null", "-w")
    commit = git(bare, "commit-tree", tree, "-m", "first")
    git(bare, "update-ref", "refs/heads/main", commit)
    for name in ("one", "two"):
        git(bare, "worktree", "add", "--quiet", "-b", name, str(tmp_path / name))
    one, two = Jit(tmp_path / "one"), Jit(tmp_path / "two", "agent:bob")
    assert one("init").code == 0
    issue = one.issue()
    lease = one.ask("claim", "acquire", issue)
    assert two.refuse(10, "claim", "acquire", issue)["details"]["lease_id"] == lease["lease_id"]
    assert Jit(bare).ask("claim", "list")["count"] == 1
    assert (bare / "jit/claims.jsonl").is_file()


@covers("002:path.outside")
def test_outside_git_the_answer_is_a_clear_error(tmp_path: Path) -> None:
    outside = Jit(tmp_path).where(GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    for words in (
        ("init",),
        ("claim", "list"),
        ("claim", "next"),
        ("issue", "create", "--title", "x"),
        ("worktree", "info"),
    ):
        error = outside.refuse(20, *words)
        assert error["code"] == "unavailable"
        assert "not inside a git repository" in error["message"]
        assert "git init" in error["hint"]
    assert os.listdir(tmp_path) == []


@covers("002:mig.1")
def test_a_detached_head_and_a_path_with_odd_letters_work(tmp_path: Path) -> None:
    jit = make_site(tmp_path / "ünïcode ' \" $x\ttab")
    git(jit.cwd, "checkout", "--quiet", "--detach")
    lease = jit.ask("claim", "acquire", jit.issue())
    assert lease["branch"].startswith("detached:")
    assert jit.ask("claim", "list")["count"] == 1


@covers("002:AC1", "002:example.session", "002:config.flags", "002:agent.stable")
def test_the_worked_example_runs(jit: Jit) -> None:
    ann = Jit(jit.cwd, "")
    ann.ask("config", "set", "--global", "agent.id", "agent:copilot-1")
    issue = ann.issue("work")
    ann.ask("worktree", "create", "../auth", "--branch", "agents/auth")
    there = ann.at(ann.cwd.parent / "auth")
    lease = there.ask("claim", "acquire", issue, "--ttl", "600")
    assert (lease["agent_id"], lease["branch"], lease["ttl_secs"]) == ("agent:copilot-1", "agents/auth", 600)
    assert there.refuse(5, "claim", "renew", lease["lease_id"], "--agent-id", "agent:other")["code"] == "not-permitted"
    assert there.ask("claim", "renew", lease["lease_id"])["lease_id"] == lease["lease_id"]
    assert there.ask("claim", "release", lease["lease_id"])["released"]["issue_id"] == issue
    ann.ask("config", "reset", "--global", "agent.id")
