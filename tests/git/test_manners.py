"""What no hook does: touch git's state, speak where jit is not, or stand in the way by its own fault."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.git.ground import Agent, claude, git_state, install_hooks
from tests.traceability import covers
from tests.world.ground import make_repository

if TYPE_CHECKING:
    from pathlib import Path


@covers("000:FR8.1", "000:FR8.2", "000:V6", "001:DoD5")
@pytest.mark.parametrize("hook", ["pre-commit", "prepare-commit-msg", "post-commit", "pre-push"])
@pytest.mark.parametrize("place", ["main", "linked"])
def test_no_hook_touches_index_head_refs_or_objects(repo: Path, tmp_path: Path, hook: str, place: str) -> None:
    cwd = repo
    if place == "linked":
        cwd = tmp_path / "linked"
        claude(repo, "ann").ask("worktree", "add", "--quiet", str(cwd))
    ann, bob = claude(cwd, "ann"), claude(cwd, "bob")
    ann.edit("a.txt")
    bob.edit("b.txt")
    ann.ask("add", "a.txt", "b.txt")
    (cwd / "old.txt").write_text("not staged\n", "utf-8")
    (tmp_path / "message").write_text("words\n", "utf-8")
    before = git_state(cwd)
    head = ann.ask("rev-parse", "HEAD")
    feed = f"refs/heads/x {head} refs/heads/x {'0' * 40}\n"
    args = {"prepare-commit-msg": (str(tmp_path / "message"), "message"), "pre-push": ("origin", "ssh://elsewhere/x")}
    done = ann.where(JIT_COMMITS_TRAILERS="true").call(hook, *args.get(hook, ()), feed=feed)
    assert done.code == (1 if hook == "pre-commit" else 0), done
    assert git_state(cwd) == before


def test_without_a_control_plane_every_hook_is_silent(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "plain")
    install_hooks(folder)
    (folder / "a.txt").write_text("x", "utf-8")
    person = Agent(folder)
    person.ask("add", "--all")
    done = person.git("commit", "--quiet", "-m", "plain")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert not (folder / ".jit").exists()
    assert not (folder / ".git/jit").exists()


def test_outside_of_any_repository_a_hook_is_silent(tmp_path: Path) -> None:
    done = Agent(tmp_path).call("pre-commit")
    assert (done.code, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize("hook", ["pre-commit", "post-commit"])
def test_when_jit_fails_the_commit_goes_on_with_one_line(repo: Path, zoe: Agent, hook: str) -> None:
    log = repo / ".git/jit/claims.jsonl"
    log.unlink()
    log.mkdir()
    zoe.ask("commit", "--allow-empty", "-m", "nothing staged")
    (repo / "a.txt").write_text("x", "utf-8")
    zoe.ask("add", "a.txt")
    done = zoe.call("pre-commit") if hook == "pre-commit" else zoe.git("commit", "--no-verify", "-m", "x")
    assert done.code == 0
    told = [line for line in done.err.splitlines() if line.startswith("jit: ")]
    assert len(told) == 1
    assert re.match(rf"jit: {hook} failed, and git goes on without it: .*Run: jit doctor$", told[0])
    assert f'"tool":"{hook}"' in (repo / ".git/jit/mishaps.jsonl").read_text("utf-8")


def test_when_jit_fails_and_must_deny_the_commit_stops_and_the_way_out_works(repo: Path, zoe: Agent) -> None:
    log = repo / ".git/jit/claims.jsonl"
    log.unlink()
    log.mkdir()
    (repo / "a.txt").write_text("x", "utf-8")
    zoe.ask("add", "a.txt")
    strict = zoe.where(JIT_FILES_ON_FAILURE="deny")
    done = strict.git("commit", "-m", "x")
    assert done.code == 1
    assert "git commit --no-verify" in done.err
    assert strict.git("commit", "--no-verify", "-m", "x").code == 0
