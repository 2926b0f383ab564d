"""A push to elsewhere brings no issue that changed without a claim that still stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jit.hooks.git_push import is_local
from jit.kernel.lease import Owner
from tests.git.ground import Agent, grow_stale, worktree_id
from tests.surface.jitcli import Jit
from tests.traceability import covers

if TYPE_CHECKING:
    from pathlib import Path

# Stands for ssh: whatever would run on the other machine runs here.
SSH = '#!/bin/sh\nwhile [ "$1" != elsewhere ]; do shift; done\nshift\nexec sh -c "$*"\n'


@pytest.fixture
def jit(repo: Path) -> Jit:
    return Jit(repo, "human:zoe")


@pytest.fixture
def pusher(repo: Path, tmp_path: Path, zoe: Agent) -> Agent:
    """Somebody with a remote on another machine that has all of main."""
    ssh = tmp_path / "ssh"
    ssh.write_text(SSH, "utf-8")
    ssh.chmod(0o755)
    zoe.ask("init", "--quiet", "--bare", str(tmp_path / "far.git"))
    agent = zoe.where(GIT_SSH_COMMAND=str(ssh), GIT_SSH_VARIANT="ssh")
    agent.ask("remote", "add", "origin", f"ssh://elsewhere{tmp_path}/far.git")
    agent.ask("push", "--quiet", "origin", "main")
    return agent


@pytest.fixture
def issue(jit: Jit, pusher: Agent) -> str:
    """An issue that the remote has, too."""
    made = jit.issue()
    pusher.ask("add", ".jit")
    pusher.ask("commit", "-m", "an issue")
    pusher.ask("push", "--quiet", "origin", "main")
    return made


def change(agent: Agent, jit: Jit, issue: str, title: str = "changed") -> None:
    """Change and commit an issue under a claim that is given back at once."""
    lease = str(jit.ask("claim", "acquire", issue)["lease_id"])
    jit.ask("issue", "update", issue, "--title", title)
    agent.ask("add", ".jit")
    agent.ask("commit", "-m", title)
    jit.ask("claim", "release", lease)


@covers("002:hook.pre-push")
@pytest.mark.parametrize("branch", ["main", "new"], ids=["an existing branch", "a new branch"])
def test_a_changed_issue_without_an_active_claim_stops_the_push(
    pusher: Agent, jit: Jit, issue: str, branch: str
) -> None:
    change(pusher, jit, issue)
    refused = pusher.git("push", "origin", f"HEAD:refs/heads/{branch}")
    assert refused.code == 1
    assert f"issue {issue} is changed by what you push (.jit/issues/{issue}/issue.json)" in refused.err
    assert f"hint: jit claim acquire {issue}" in refused.err
    assert "git push --no-verify" in refused.err
    jit.ask("claim", "acquire", issue)
    pusher.ask("push", "--quiet", "origin", f"HEAD:refs/heads/{branch}")


@covers("002:hook.pre-push")
def test_the_named_override_works(pusher: Agent, jit: Jit, issue: str) -> None:
    change(pusher, jit, issue)
    pusher.ask("push", "--quiet", "--no-verify", "origin", "main")


@covers("002:ttl0.8")
def test_a_stale_claim_stops_the_push(repo: Path, pusher: Agent, jit: Jit, issue: str) -> None:
    change(pusher, jit, issue)
    grow_stale(repo, f"issue:{issue}", Owner("human:zoe", worktree_id(repo)))
    refused = pusher.git("push", "origin", "main")
    assert refused.code == 1
    assert "the claim of human:zoe on it is stale: no heartbeat since" in refused.err


def test_an_issue_that_is_only_brought_into_being_needs_no_claim(pusher: Agent, jit: Jit) -> None:
    jit.issue()
    pusher.ask("add", ".jit")
    pusher.ask("commit", "-m", "new")
    pusher.ask("push", "--quiet", "origin", "HEAD:refs/heads/new")


def test_commits_that_a_remote_has_already_are_not_judged_again(pusher: Agent, jit: Jit, issue: str) -> None:
    change(pusher, jit, issue)
    pusher.ask("push", "--quiet", "--no-verify", "origin", "main")
    pusher.ask("push", "--quiet", "origin", "main:refs/heads/copy")
    pusher.ask("switch", "--quiet", "-c", "feature", "main~1")
    pusher.ask("commit", "--allow-empty", "-m", "work")
    pusher.ask("merge", "--quiet", "--no-ff", "-m", "merged", "main")
    pusher.ask("push", "--quiet", "origin", "feature")


def test_a_remote_that_moved_on_without_us_is_compared_with_what_is_known(pusher: Agent, jit: Jit, issue: str) -> None:
    change(pusher, jit, issue)
    head, strange = pusher.ask("rev-parse", "HEAD"), "1" * 40
    done = pusher.call(
        "pre-push", "origin", "ssh://elsewhere/x", feed=f"refs/heads/main {head} refs/heads/main {strange}\n"
    )
    assert done.code == 1
    assert f"issue {issue} is changed" in done.err


@covers("002:hook.pre-push.local")
def test_local_remotes_and_deletions_pass(pusher: Agent, jit: Jit, issue: str, tmp_path: Path) -> None:
    pusher.ask("push", "--quiet", "origin", "main:refs/heads/old")
    change(pusher, jit, issue)
    pusher.ask("push", "--quiet", "origin", "--delete", "old")
    pusher.ask("init", "--quiet", "--bare", str(tmp_path / "near.git"))
    for number, url in enumerate([str(tmp_path / "near.git"), f"file://{tmp_path}/near.git", "../near.git"]):
        pusher.ask("push", "--quiet", url, f"HEAD:refs/heads/b{number}")


@pytest.mark.parametrize(("mode", "code", "told"), [("strict", 1, True), ("warn", 0, True), ("off", 0, False)])
def test_the_settings_say_how_strictly(
    pusher: Agent, jit: Jit, issue: str, mode: str, code: int, *, told: bool
) -> None:
    change(pusher, jit, issue)
    done = pusher.where(JIT_WORKTREE_ENFORCE_LEASES=mode).git("push", "origin", "main")
    assert done.code == code
    assert ("nobody has an active claim" in done.err) is told
    assert ("--no-verify" in done.err) is (mode == "strict")


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("/srv/repo.git", True),
        ("file:///srv/repo.git", True),
        ("../repo.git", True),
        ("repo.git", True),
        ("./with:colon", True),
        ("https://example.org/repo.git", False),
        ("ssh://example.org/repo.git", False),
        ("git@example.org:repo.git", False),
        ("example.org:repo", False),
        ("ext::helper", False),
    ],
)
def test_an_address_is_local_when_git_would_read_it_as_a_path(url: str, *, local: bool) -> None:
    assert is_local(url) is local
