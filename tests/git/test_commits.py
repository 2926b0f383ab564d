"""A commit holds only what its session may commit, and ends the leases of what it brought."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.git.ground import ANN, BOB, SINCE, Agent, claude, committed, held, install_hooks, own_command
from tests.traceability import covers

if TYPE_CHECKING:
    from pathlib import Path


@covers("000:FR6.1", "001:P4.1")
def test_a_commit_of_a_file_ends_its_lease_and_no_other(repo: Path, ann: Agent, bob: Agent) -> None:
    ann.edit("a.txt")
    ann.edit("more.txt")
    bob.edit("b.txt")
    ann.ask("add", "a.txt")
    ann.ask("commit", "-m", "mine")
    assert held(repo) == {"more.txt": ANN, "b.txt": BOB}
    bob.edit("a.txt", "bob's turn\n")
    assert held(repo)["a.txt"] == BOB


def test_a_file_that_another_session_holds_stops_the_commit_with_who_and_since_when(ann: Agent, bob: Agent) -> None:
    bob.edit("b.txt")
    ann.ask("add", "b.txt")
    done = ann.git("commit", "-m", "too much")
    assert done.code == 1
    assert re.search(rf"b\.txt: held by {BOB} {SINCE}", done.err)
    assert "1 of 1 staged file is held by somebody else" in done.err
    assert "jit file why b.txt" in done.err


@covers("000:C1")
def test_on_a_dirty_main_with_a_shared_index_each_commits_its_own_with_the_printed_command(
    repo: Path, ann: Agent, bob: Agent
) -> None:
    ann.edit("a.txt")
    ann.edit("old.txt", "changed by ann\n")
    bob.edit("b.txt")
    bob.edit("with space [1].txt")
    ann.ask("add", "--all")
    refused = ann.git("commit", "-m", "all")
    assert refused.code == 1
    assert "2 of 4 staged files are held by somebody else" in refused.err
    assert own_command(refused.err) == ["commit", "--", "a.txt", "old.txt"]
    ann.ask("commit", "-m", "ann's", *own_command(refused.err)[1:])
    assert committed(ann) == {"a.txt", "old.txt"}
    bob.ask("commit", "-m", "bob's")
    assert committed(bob) == {"b.txt", "with space [1].txt"}
    assert held(repo) == {}


def test_names_that_git_would_take_for_patterns_are_printed_as_names(repo: Path, ann: Agent, bob: Agent) -> None:
    ann.edit("[ab].txt")
    bob.edit("a.txt")
    ann.ask("add", "--all")
    refused = ann.git("commit", "-m", "all")
    ann.ask("commit", "-m", "mine", *own_command(refused.err)[1:])
    assert committed(ann) == {"[ab].txt"}


@pytest.mark.parametrize(
    "words",
    [
        ["-m", "x"],
        ["-a", "-m", "x"],
        ["--amend", "-m", "x"],
        ["-m", "x", "--", "old.txt"],
        ["-i", "-m", "x", "old.txt"],
    ],
    ids=["staged", "all", "amend", "only", "include"],
)
def test_every_way_to_commit_is_guarded_and_releases(repo: Path, ann: Agent, bob: Agent, words: list[str]) -> None:
    bob.edit("old.txt", "changed by bob\n")
    bob.ask("add", "old.txt")
    assert ann.git("commit", *words).code == 1
    bob.ask("commit", *words)
    assert held(repo) == {}


def test_a_commit_of_other_paths_is_not_stopped_by_what_else_is_staged(repo: Path, ann: Agent, bob: Agent) -> None:
    bob.edit("b.txt")
    bob.ask("add", "b.txt")
    ann.edit("old.txt", "changed\n")
    ann.ask("commit", "-m", "mine alone", "--", "old.txt")
    assert ann.ask("diff", "--cached", "--name-only") == "b.txt"


def test_a_deleted_and_a_renamed_file_are_guarded_under_both_names(repo: Path, ann: Agent, bob: Agent) -> None:
    bob.edit("old.txt", "old\n")
    ann.ask("mv", "old.txt", "new.txt")
    done = ann.git("commit", "-m", "moved")
    assert done.code == 1
    assert f"old.txt: held by {BOB}" in done.err


def test_the_first_commit_of_all_is_guarded(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    ann, bob = claude(folder, "ann"), claude(folder, "bob")
    ann.ask("init", "--quiet", "--initial-branch=main")
    assert ann.jit()("init").code == 0
    install_hooks(folder)
    bob.edit("b.txt")
    ann.ask("add", "--all")
    refused = ann.git("commit", "-m", "first")
    assert refused.code == 1
    ann.ask("commit", "-m", "first", *own_command(refused.err)[1:])
    assert "b.txt" not in committed(ann)


def test_a_merge_is_guarded_whole_and_releases_what_it_brought(repo: Path, ann: Agent, bob: Agent) -> None:
    ann.ask("switch", "--quiet", "-c", "side")
    (repo / "old.txt").write_text("side\n", "utf-8")
    (repo / "new.txt").write_text("side\n", "utf-8")
    ann.ask("add", "--all")
    ann.ask("commit", "-m", "side")
    ann.ask("switch", "--quiet", "main")
    (repo / "old.txt").write_text("main\n", "utf-8")
    ann.ask("commit", "-a", "-m", "main")
    assert ann.git("merge", "side").code == 1
    ann.edit("old.txt", "both\n")
    ann.ask("add", "old.txt")
    assert bob.hook("PreToolUse", str(repo / "new.txt")) == ""
    refused = ann.git("commit", "-m", "merged")
    assert refused.code == 1
    assert "git commits all of a merge or none of it" in refused.err
    bob.hook("SessionEnd")
    ann.ask("commit", "-m", "merged")
    assert held(repo) == {}


def test_a_link_is_committed_whoever_holds_what_it_leads_to(repo: Path, ann: Agent, bob: Agent) -> None:
    bob.edit("old.txt", "bob\n")
    (repo / "link").symlink_to("old.txt")
    ann.ask("add", "link")
    ann.ask("commit", "-m", "link")


def test_a_long_list_is_shortened_but_the_command_is_whole(repo: Path, ann: Agent, bob: Agent) -> None:
    patch = "*** Begin Patch\n" + "".join(f"*** Add File: b{n}.txt\n+x\n" for n in range(30)) + "*** End Patch"
    call: dict[str, object] = {"hook_event_name": "PreToolUse", "tool_name": "apply_patch"}
    bob.tell("codex", call | {"session_id": "bob", "cwd": str(repo), "tool_input": {"command": patch}})
    for number in range(30):
        (repo / f"b{number}.txt").write_text("x", "utf-8")
        (repo / f"a{number}.txt").write_text("x", "utf-8")
    ann.ask("add", "--all")
    done = ann.git("commit", "-m", "all")
    assert "30 of 60 staged files are held" in done.err
    assert "and 10 more" in done.err
    assert len(own_command(done.err)) == 32
