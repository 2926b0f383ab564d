"""Staged changes of `.jit` itself: settings need common history with main, changed issues need a fresh claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jit.kernel.lease import Owner
from tests.git.ground import Agent, grow_stale, worktree_id
from tests.surface.jitcli import Jit
from tests.traceability import covers

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def jit(repo: Path) -> Jit:
    return Jit(repo, "human:zoe")


@pytest.fixture
def issue(jit: Jit, zoe: Agent) -> str:
    """An issue that is committed."""
    made = jit.issue()
    zoe.ask("add", ".jit")
    zoe.ask("commit", "-m", "an issue")
    return made


def change(repo: Path, issue: str, title: str = "changed by hand") -> Path:
    """Stage a change of an issue's file that no command of jit made."""
    path = repo / f".jit/issues/{issue}/issue.json"
    path.write_text(path.read_text("utf-8").replace('"title": "work"', f'"title": "{title}"'), "utf-8")
    Agent(repo).ask("add", ".jit/issues")
    return path


def diverge(repo: Path, *, branch: str) -> None:
    """Leave the repository on a branch that lacks a commit of main."""
    person = Agent(repo)
    person.ask("branch", branch)
    person.ask("commit", "--allow-empty", "-m", "main goes on")
    person.ask("switch", "--quiet", branch)


@covers("002:hook.pre-commit.lease", "002:AC5")
def test_a_changed_issue_needs_an_active_claim_of_the_committer(repo: Path, jit: Jit, zoe: Agent, issue: str) -> None:
    change(repo, issue)
    refused = zoe.git("commit", "-m", "without")
    assert refused.code == 1
    assert f"issue {issue} needs an active claim of human:zoe in {worktree_id(repo)}" in refused.err
    assert f"hint: jit claim acquire {issue}" in refused.err
    jit.ask("claim", "acquire", issue)
    zoe.ask("commit", "-m", "with")


@covers("002:hook.pre-commit.lease")
def test_a_claim_of_another_is_named_and_does_not_help(repo: Path, jit: Jit, zoe: Agent, issue: str) -> None:
    jit.by("agent:other").ask("claim", "acquire", issue)
    change(repo, issue)
    refused = zoe.git("commit", "-m", "without")
    assert refused.code == 1
    assert f"it is held by agent:other in {worktree_id(repo)}" in refused.err


@covers("002:hook.pre-commit.lease", "002:ttl0.8")
def test_a_stale_claim_does_not_help_until_a_heartbeat(repo: Path, zoe: Agent, issue: str) -> None:
    grow_stale(repo, f"issue:{issue}", Owner("human:zoe", worktree_id(repo)))
    change(repo, issue)
    refused = zoe.git("commit", "-m", "stale")
    assert refused.code == 1
    assert f"your claim on issue {issue} is stale" in refused.err
    assert "hint: jit claim heartbeat " in refused.err


@covers("002:hook.pre-commit.identity")
def test_the_claim_must_be_of_this_very_agent_and_worktree(repo: Path, jit: Jit, zoe: Agent, issue: str) -> None:
    jit.ask("claim", "acquire", issue)
    change(repo, issue)
    assert zoe.where(JIT_AGENT_ID="agent:other").git("commit", "-m", "x").code == 1
    assert zoe.where(JIT_AGENT_ID="nobody").git("commit", "-m", "x").code == 1
    zoe.ask("stash", "--quiet")
    zoe.ask("worktree", "add", "--quiet", "../linked")
    linked = repo.parent / "linked"
    change(linked, issue)
    assert zoe.at(linked).git("commit", "-m", "x").code == 1


def test_a_deleted_issue_needs_a_claim(repo: Path, zoe: Agent, issue: str) -> None:
    zoe.ask("rm", "-r", "--quiet", f".jit/issues/{issue}")
    assert zoe.git("commit", "-m", "gone").code == 1


def test_a_new_issue_needs_no_claim(jit: Jit, zoe: Agent) -> None:
    made = jit.issue()
    zoe.ask("add", ".jit")
    zoe.ask("commit", "-m", "new")
    assert f".jit/issues/{made}/issue.json" in zoe.ask("show", "--name-only", "HEAD")


@covers("002:mig.3")
@pytest.mark.parametrize(("mode", "code", "told"), [("strict", 1, True), ("warn", 0, True), ("off", 0, False)])
def test_the_settings_say_how_strictly(repo: Path, zoe: Agent, issue: str, mode: str, code: int, *, told: bool) -> None:
    change(repo, issue)
    done = zoe.where(JIT_WORKTREE_ENFORCE_LEASES=mode).git("commit", "-m", "without")
    assert done.code == code
    assert ("needs an active claim" in done.err) is told
    assert ("allowed because worktree.enforce_leases is warn" in done.err) is (mode == "warn")


def test_a_misspelt_mode_does_not_turn_into_none(repo: Path, zoe: Agent, issue: str) -> None:
    change(repo, issue)
    done = zoe.where(JIT_WORKTREE_ENFORCE_LEASES="strickt").git("commit", "-m", "without")
    assert done.code == 1
    assert "worktree.enforce_leases cannot be used" in done.err


@covers("002:hook.pre-commit.global")
def test_settings_on_a_branch_that_lacks_commits_of_main_are_refused(repo: Path, zoe: Agent) -> None:
    diverge(repo, branch="develop")
    config = repo / ".jit/config.toml"
    config.write_text(config.read_text("utf-8") + "\n# changed\n", "utf-8")
    refused = zoe.git("commit", "-a", "-m", "settings")
    assert refused.code == 1
    assert "diverged from main: it lacks 1 commit of it" in refused.err
    assert "hint: git rebase main" in refused.err
    zoe.ask("stash", "--quiet")
    zoe.ask("rebase", "--quiet", "main")
    zoe.ask("stash", "pop", "--quiet")
    zoe.ask("commit", "-a", "-m", "settings")


@covers("002:hook.pre-commit.global")
def test_settings_on_another_branch_than_the_allowed_ones_are_refused(repo: Path, zoe: Agent) -> None:
    zoe.ask("switch", "--quiet", "-c", "feature")
    config = repo / ".jit/config.toml"
    config.write_text(config.read_text("utf-8") + "\n# changed\n", "utf-8")
    (repo / "work.txt").write_text("work\n", "utf-8")
    zoe.ask("add", "--all")
    refused = zoe.git("commit", "-m", "settings")
    assert refused.code == 1
    assert "settings of the repository change only on main or develop; this worktree is on feature" in refused.err
    zoe.ask("commit", "-m", "the rest", "--", "work.txt")


def test_what_a_merge_brings_was_changed_elsewhere_and_needs_nothing_here(
    repo: Path, jit: Jit, zoe: Agent, issue: str
) -> None:
    zoe.ask("switch", "--quiet", "-c", "feature")
    (repo / "old.txt").write_text("feature\n", "utf-8")
    zoe.ask("commit", "-a", "-m", "feature")
    zoe.ask("switch", "--quiet", "main")
    jit.ask("claim", "acquire", issue)
    change(repo, issue)
    (repo / ".jit/config.toml").write_text("# other settings\n", "utf-8")
    (repo / "old.txt").write_text("main\n", "utf-8")
    zoe.ask("commit", "-a", "-m", "main")
    jit.ask("claim", "release", issue)
    zoe.ask("switch", "--quiet", "feature")
    assert zoe.git("merge", "main").code == 1
    (repo / "old.txt").write_text("both\n", "utf-8")
    zoe.ask("add", "--all")
    zoe.ask("commit", "-m", "merged")
    assert len(zoe.ask("rev-list", "--parents", "--max-count=1", "HEAD").split()) == 3
