"""Files that a session had, and no longer has by the time it commits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jit.kernel.commands import Evict
from jit.kernel.lease import Owner
from tests.git.ground import ANN, BOB, SINCE, Agent, grow_stale, own_command, submit, worktree_id

if TYPE_CHECKING:
    from pathlib import Path


def lose(ann: Agent, bob: Agent) -> None:
    """Ann stops and is idle; bob gets her file."""
    idle = {"JIT_FILES_STOP_IDLE_SECS": "0"}
    ann.where(**idle).edit("f.txt", "ann\n")
    ann.hook("Stop")
    assert bob.hook("PreToolUse", str(bob.cwd / "f.txt")) == ""


def test_a_file_that_another_had_since_and_changed_is_not_committed_as_ones_own(ann: Agent, bob: Agent) -> None:
    lose(ann, bob)
    (bob.cwd / "f.txt").write_text("ann and bob\n", "utf-8")
    bob.hook("SessionEnd")
    (ann.cwd / "mine.txt").write_text("mine\n", "utf-8")
    ann.ask("add", "--all")
    done = ann.git("commit", "-m", "whose?")
    assert done.code == 1
    assert re.search(rf"f\.txt: lost to {BOB} {SINCE}", done.err)
    assert "1 of 2 staged files" not in done.err
    assert "1 of 2 staged file is no longer yours" in done.err
    assert own_command(done.err) == ["commit", "--", "mine.txt"]
    # The printed way out: the edit is refused once, to make her read again, and then takes the file anew.
    assert "changed since you read it" in ann.hook("PreToolUse", str(ann.cwd / "f.txt"))
    ann.edit("f.txt", "ann, bob, and ann again\n")
    ann.ask("add", "--all")
    ann.ask("commit", "-m", "ours")


def test_a_file_that_another_had_and_left_alone_is_still_ones_own(ann: Agent, bob: Agent) -> None:
    lose(ann, bob)
    bob.hook("SessionEnd")
    ann.ask("add", "--all")
    ann.ask("commit", "-m", "mine")


def test_a_lease_that_ran_out_with_nobody_after_it_stops_nothing(ann: Agent) -> None:
    ann.where(JIT_FILES_STOP_IDLE_SECS="0").edit("f.txt")
    ann.hook("Stop")
    ann.ask("add", "--all")
    ann.ask("commit", "-m", "a turn later")


def test_a_file_that_was_taken_away_and_given_to_another_is_lost(repo: Path, ann: Agent, bob: Agent) -> None:
    ann.edit('quo"te].txt', "ann\n")
    lines = (repo / ".git/jit/claims.jsonl").read_text("utf-8").splitlines()
    lease_id = lines[-1].split('"lease_id":"')[1][:26]
    submit(repo, Evict(lease_id, Owner("human:zoe", worktree_id(repo)), "needed elsewhere"))
    bob.edit('quo"te].txt', "bob\n")
    bob.hook("SessionEnd")
    ann.ask("add", "--all")
    done = ann.git("commit", "-m", "mine?")
    assert done.code == 1
    assert f"lost to {BOB}" in done.err


def test_what_was_given_back_by_a_commit_is_not_lost(ann: Agent, bob: Agent) -> None:
    ann.edit("f.txt", "ann\n")
    ann.ask("add", "--all")
    ann.ask("commit", "-m", "mine")
    bob.edit("f.txt", "bob\n")
    bob.hook("SessionEnd")
    ann.ask("commit", "--all", "-m", "what bob left")


def test_a_stale_lease_of_ones_own_stops_the_commit(repo: Path, ann: Agent) -> None:
    grow_stale(repo, f"file:{worktree_id(repo)}/f.txt", Owner(ANN, "", f"{ann.session}/"))
    (repo / "f.txt").write_text("x", "utf-8")
    ann.ask("add", "--all")
    done = ann.git("commit", "-m", "late")
    assert done.code == 1
    assert "f.txt: your lease is stale: no sign of life since" in done.err
