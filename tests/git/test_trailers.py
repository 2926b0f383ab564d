"""Trailers of a commit message, where the settings ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.git.ground import Agent, worktree_id
from tests.surface.jitcli import Jit
from tests.traceability import covers

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("JIT-Lease", "JIT-Issue", "JIT-Agent", "JIT-Worktree")


@pytest.fixture
def jit(repo: Path) -> Jit:
    return Jit(repo, "human:zoe")


@pytest.fixture
def writer(zoe: Agent) -> Agent:
    """Somebody who asked for trailers."""
    return zoe.where(JIT_COMMITS_TRAILERS="true")


def trailers(agent: Agent, name: str, commit: str = "HEAD") -> list[str]:
    """The values of a trailer, as git itself finds them."""
    return agent.ask("log", "-1", f"--format=%(trailers:key={name},valueonly)", commit).split()


def claim(jit: Jit) -> tuple[str, str]:
    issue = jit.issue()
    return issue, str(jit.ask("claim", "acquire", issue)["lease_id"])


@covers("002:trailer.commit")
def test_a_commit_names_the_claims_it_was_made_under(repo: Path, jit: Jit, writer: Agent) -> None:
    (issue, lease), (other, second) = claim(jit), claim(jit)
    jit.by("agent:else").ask("claim", "acquire", jit.issue())
    writer.ask("commit", "--allow-empty", "-m", "subject\n\nbody\n\nReviewed-by: Someone")
    assert trailers(writer, "JIT-Lease") == [lease, second]
    assert trailers(writer, "JIT-Issue") == [issue, other]
    assert trailers(writer, "JIT-Agent") == ["human:zoe"]
    assert trailers(writer, "JIT-Worktree") == [worktree_id(repo)]
    assert trailers(writer, "Reviewed-by") == ["Someone"]
    assert writer.ask("log", "-1", "--format=%s") == "subject"


@pytest.mark.parametrize("asked", [True, False])
def test_there_are_none_without_a_claim_or_without_the_setting(zoe: Agent, jit: Jit, *, asked: bool) -> None:
    agent = zoe.where(JIT_COMMITS_TRAILERS="true") if asked else zoe
    if not asked:
        claim(jit)
    agent.ask("commit", "--allow-empty", "-m", "subject")
    assert agent.ask("log", "-1", "--format=%B") == "subject"


def test_the_setting_can_be_kept_in_the_repository(jit: Jit, zoe: Agent) -> None:
    jit.ask("config", "set", "commits.trailers", "true")
    _, lease = claim(jit)
    zoe.ask("commit", "--allow-empty", "-m", "subject")
    assert trailers(zoe, "JIT-Lease") == [lease]


def test_amending_and_merging_and_squashing_give_each_trailer_once(repo: Path, jit: Jit, writer: Agent) -> None:
    claim(jit)
    writer.ask("switch", "--quiet", "-c", "side")
    (repo / "side.txt").write_text("side\n", "utf-8")
    writer.ask("add", "side.txt")
    writer.ask("commit", "-m", "side")
    writer.ask("commit", "--amend", "--no-edit")
    writer.ask("switch", "--quiet", "main")
    writer.ask("merge", "--no-ff", "-m", "merged", "side")
    assert [len(trailers(writer, name)) for name in NAMES] == [1, 1, 1, 1]
    assert [len(trailers(writer, name, "HEAD^2")) for name in NAMES] == [1, 1, 1, 1]
    writer.ask("reset", "--quiet", "--hard", "HEAD^1")
    writer.ask("merge", "--quiet", "--squash", "side")
    writer.ask("-c", "core.editor=true", "commit", "--no-edit")
    assert [len(trailers(writer, name)) for name in NAMES] == [1, 1, 1, 1]


def test_a_commit_that_is_given_up_in_the_editor_stays_given_up(jit: Jit, writer: Agent) -> None:
    claim(jit)
    before = writer.ask("rev-parse", "HEAD")
    done = writer.git("-c", "core.editor=true", "commit", "--allow-empty")
    assert done.code == 1
    assert "empty commit message" in done.err
    assert writer.ask("rev-parse", "HEAD") == before


def test_a_rebase_does_not_claim_the_work_of_others(repo: Path, jit: Jit, zoe: Agent, writer: Agent) -> None:
    zoe.ask("switch", "--quiet", "-c", "side")
    (repo / "side.txt").write_text("side\n", "utf-8")
    zoe.ask("add", "side.txt")
    zoe.ask("commit", "-m", "made without a claim")
    zoe.ask("switch", "--quiet", "main")
    zoe.ask("commit", "--allow-empty", "-m", "main goes on")
    zoe.ask("switch", "--quiet", "side")
    claim(jit)
    writer.ask("rebase", "--quiet", "main")
    assert writer.ask("log", "-1", "--format=%B") == "made without a claim"
