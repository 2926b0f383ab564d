"""The hooks work wherever git runs them: worktrees, subdirectories, hook paths, detached, any name of a file."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.git.ground import BOB, Agent, claude, held, install_hooks
from tests.traceability import covers

if TYPE_CHECKING:
    from pathlib import Path

PLACES = ("main", "linked", "subdirectory", "hooks path", "hooks path in the worktree", "detached", "foreign hook")


def arrange(repo: Path, place: str) -> Path:
    """The folder in which git is then run."""
    person = Agent(repo)
    match place:
        case "linked":
            person.ask("worktree", "add", "--quiet", "../linked")
            return repo.parent / "linked"
        case "subdirectory":
            (repo / "deep" / "er").mkdir(parents=True)
            return repo / "deep" / "er"
        case "hooks path":
            person.ask("config", "core.hooksPath", str(repo.parent / "my hooks"))
        case "hooks path in the worktree":
            person.ask("config", "core.hooksPath", ".githooks")
        case "detached":
            person.ask("switch", "--quiet", "--detach")
        case "foreign hook":
            theirs = repo / ".git/hooks/pre-commit"
            theirs.parent.mkdir(exist_ok=True)
            theirs.write_text("#!/bin/sh\necho theirs ran >&2\n", "utf-8")
            theirs.chmod(0o755)
    return repo


@covers("L:17", "002:hook.install")
@pytest.mark.parametrize("place", PLACES)
def test_a_commit_is_guarded_and_releases(unhooked: Path, place: str) -> None:
    repo = unhooked
    folder = arrange(repo, place)
    install_hooks(repo)
    ann, bob = claude(folder, "ann"), claude(folder, "bob")
    ann.edit("a.txt")
    bob.edit("b.txt")
    ann.ask("add", "a.txt", "b.txt")
    refused = ann.git("commit", "-m", "all")
    assert refused.code == 1
    assert f"  b.txt: held by {BOB} since " in refused.err
    assert "git commit -- a.txt\n" in refused.err
    done = ann.git("commit", "-m", "mine", "--", "a.txt")
    assert done.code == 0
    assert ("theirs ran" in done.err) is (place == "foreign hook")
    assert list(held(repo).values()) == [BOB]


def test_from_a_subdirectory_paths_are_those_that_one_types_there(repo: Path) -> None:
    (repo / "sub").mkdir()
    ann, bob = claude(repo, "ann"), claude(repo, "bob")
    ann.edit("top.txt")
    ann.edit("sub/mine.txt")
    bob.edit("sub/theirs.txt")
    ann.ask("add", "--all")
    done = ann.at(repo / "sub").git("commit", "-m", "all")
    assert "  theirs.txt: held by" in done.err
    assert "git commit -- mine.txt ../top.txt\n" in done.err
    ann.at(repo / "sub").ask("commit", "-m", "mine", "--", "mine.txt", "../top.txt")


@covers("L:17")
def test_no_other_program_than_git_and_a_shell_is_needed(tmp_path: Path, ann: Agent, bob: Agent) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("git", "sh", "cat"):
        (tools / name).symlink_to(str(shutil.which(name)))
    bob.edit("b.txt")
    ann.ask("add", "b.txt")
    assert "held by" in ann.where(PATH=str(tools)).git("commit", "-m", "x").err
    assert bob.where(PATH=str(tools)).git("commit", "-m", "x").code == 0


def test_the_same_path_in_another_worktree_is_another_file(repo: Path) -> None:
    Agent(repo).ask("worktree", "add", "--quiet", "../linked")
    linked = repo.parent / "linked"
    claude(repo, "bob").edit("old.txt", "bob\n")
    ann = claude(linked, "ann")
    ann.edit("old.txt", "ann\n")
    ann.ask("commit", "-a", "-m", "mine")
    assert held(repo) == {"old.txt": BOB}


@covers("002:hook.install")
def test_a_file_that_must_never_diverge_is_guarded_in_every_worktree(repo: Path) -> None:
    rule = '\n[[path]]\npattern = "old.txt"\nscope = "repository"\n'
    config = repo / ".jit/config.toml"
    config.write_text(config.read_text("utf-8") + rule, "utf-8")
    Agent(repo).ask("commit", "-a", "-m", "rule")
    Agent(repo).ask("worktree", "add", "--quiet", "../linked")
    claude(repo, "bob").edit("old.txt", "bob\n")
    (repo.parent / "linked/old.txt").write_text("ann\n", "utf-8")
    done = claude(repo.parent / "linked", "ann").git("commit", "-a", "-m", "mine")
    assert done.code == 1
    assert f"old.txt: held by {BOB}" in done.err


@pytest.mark.parametrize(
    "name", ["Zoë's naïve file.txt", "e\u0301.txt", "-dash.txt", "日本語/ファイル", "new\nline.txt"], ids=ascii
)
def test_any_name_of_a_file_is_guarded_and_released(repo: Path, ann: Agent, bob: Agent, name: str) -> None:
    bob.edit(name)
    ann.ask("add", "--all")
    assert "held by" in ann.git("commit", "-m", "x").err
    bob.ask("commit", "-m", "x")
    assert held(repo) == {}
