"""One file has one lease, however an agent writes its name; what is not of the repository is nobody's."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest

from tests.gate.watch import holders, records
from tests.surface.jitcli import make_site
from tests.traceability import covers
from tests.world.ground import git, make_repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.gate.agent import Agent

pytestmark = pytest.mark.crash


@pytest.fixture
def tree(site: Path) -> Path:
    """A repository with a file in a folder, and links to both."""
    (site / "src").mkdir()
    (site / "src/a.txt").write_text("text\n")
    (site / "link.txt").symlink_to("src/a.txt")
    (site / "linked").symlink_to(site / "src")
    return site


def names(tree: Path) -> list[str]:
    return [name.partition("/")[2] for name in holders(tree)]


@covers("000:FR1.3")
@pytest.mark.parametrize(
    "written",
    [
        "{tree}/src/a.txt",
        "{tree}/src/../src/./a.txt",
        "{tree}//src//a.txt",
        "{tree}/link.txt",
        "{tree}/linked/a.txt",
        "src/a.txt",
        "./src/a.txt",
        "linked/../src/a.txt",
        "{tree}/../{name}/src/a.txt",
    ],
)
def test_every_way_to_write_a_path_leads_to_the_same_lease(
    tree: Path, agent: Callable[..., Agent], written: str
) -> None:
    ann, bob = agent("ann"), agent("bob")
    assert ann.ask(tree / "src/a.txt").denied == ""
    assert bob.ask(written.format(tree=tree, name=tree.name)).denied
    assert ann.ask(written.format(tree=tree, name=tree.name)).denied == ""
    assert names(tree) == ["src/a.txt"]


def test_a_path_is_taken_from_the_folder_in_which_the_call_runs(tree: Path, agent: Callable[..., Agent]) -> None:
    ann, bob = agent("ann", tree / "src"), agent("bob")
    assert ann.ask("a.txt").denied == ""
    assert bob.ask("src/a.txt").denied


def test_a_repository_that_is_reached_by_a_link_is_the_same(
    tree: Path, agent: Callable[..., Agent], tmp_path: Path
) -> None:
    (tmp_path / "door").symlink_to(tree)
    ann, bob = agent("ann", tmp_path / "door"), agent("bob")
    assert ann.ask(tmp_path / "door/src/a.txt").denied == ""
    assert bob.ask("src/a.txt").denied
    assert names(tree) == ["src/a.txt"]


def test_composed_and_decomposed_letters_are_the_same_name(tree: Path, agent: Callable[..., Agent]) -> None:
    ann, bob = agent("ann"), agent("bob")
    assert ann.ask(unicodedata.normalize("NFD", "Größe é.txt")).denied == ""
    assert bob.ask(unicodedata.normalize("NFC", "Größe é.txt")).denied
    assert names(tree) == [unicodedata.normalize("NFC", "Größe é.txt")]


@pytest.mark.parametrize("written", ["new.txt", "src/new/deep/new.txt", "linked/new/deep/new.txt"])
def test_a_file_that_does_not_exist_yet_has_its_name_already(
    tree: Path, agent: Callable[..., Agent], written: str
) -> None:
    ann, bob = agent("ann"), agent("bob")
    assert ann.ask(tree / written).denied == ""
    assert bob.ask(written.replace("linked", "src")).denied
    assert names(tree) == [written.replace("linked", "src")]


def test_the_same_path_in_another_worktree_is_another_file(
    tree: Path, agent: Callable[..., Agent], tmp_path: Path
) -> None:
    git(tree, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "other"))
    ann, bob, cat = agent("ann"), agent("bob", tmp_path / "other"), agent("cat", tmp_path / "other")
    assert ann.ask("x.txt").denied == ""
    assert bob.ask("x.txt").denied == ""
    assert cat.ask(tree / "x.txt").denied
    assert cat.ask(tmp_path / "other/x.txt").denied
    assert ann.ask(tmp_path / "other/x.txt").denied
    scopes = {name.removeprefix("file:").partition("/")[0] for name in holders(tree)}
    assert len(scopes) == 2


def test_what_lies_outside_the_repository_is_free(tree: Path, agent: Callable[..., Agent], tmp_path: Path) -> None:
    ann, bob = agent("ann"), agent("bob")
    for one in (ann, bob):
        for place in (tmp_path / "outside.txt", tmp_path / "repository/x.txt", "../outside.txt"):
            assert one.ask(place).denied == ""
    assert records(tree) == []


def test_gits_own_files_are_free(tree: Path, agent: Callable[..., Agent]) -> None:
    ann, bob = agent("ann"), agent("bob")
    for one in (ann, bob):
        for place in (".git/config", ".git/COMMIT_EDITMSG"):
            assert one.ask(tree / place).denied == ""
    assert records(tree) == []


def test_another_repository_inside_this_one_is_its_own_business(tree: Path, agent: Callable[..., Agent]) -> None:
    make_repository(tree / "vendor/inner")
    ann, bob = agent("ann"), agent("bob")
    for one in (ann, bob):
        assert one.ask(tree / "vendor/inner/x.txt").denied == ""
    assert records(tree) == []
    assert ann.ask(tree / "vendor/x.txt").denied == ""
    assert names(tree) == ["vendor/x.txt"]


def test_files_that_git_ignores_are_free(tree: Path, agent: Callable[..., Agent]) -> None:
    (tree / ".gitignore").write_text("*.log\n")
    ann, bob = agent("ann"), agent("bob")
    assert ann.ask("build.log").denied == ""
    assert bob.ask("build.log").denied == ""
    strict = agent("cat", JIT_FILES_LEASE_IGNORED="true")
    assert strict.ask("build.log").denied


def test_a_repository_without_jit_is_answered_and_left_as_it_is(agent: Callable[..., Agent], tmp_path: Path) -> None:
    bare = make_repository(tmp_path / "bare")
    before = sorted(str(path) for path in bare.rglob("*"))
    ann = agent("ann", bare)
    answers = [
        ann.ask("x.txt"),
        ann.tell("PreToolUse", tool_name="Bash", tool_input={"command": "echo > x"}),
        ann.tell("PostToolUse", tool_name="Bash", tool_input={"command": "echo > x"}),
        *[ann.tell(event) for event in ("SessionStart", "UserPromptSubmit", "Stop", "SubagentStop", "SessionEnd")],
    ]
    assert {(answer.code, answer.out, answer.err) for answer in answers} == {(0, "", "")}
    assert sorted(str(path) for path in bare.rglob("*")) == before


def test_a_folder_without_git_is_answered_and_left_as_it_is(agent: Callable[..., Agent], tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    ann = agent("ann", tmp_path / "plain")
    answers = [ann.ask("x.txt"), ann.tell("Stop"), ann.tell("SessionEnd")]
    assert {(answer.code, answer.out, answer.err) for answer in answers} == {(0, "", "")}
    assert list((tmp_path / "plain").iterdir()) == []


@covers("000:FR1.1")
def test_an_agent_that_runs_elsewhere_is_gated_by_the_repository_of_the_file(
    tree: Path, agent: Callable[..., Agent], tmp_path: Path
) -> None:
    other = make_repository(tmp_path / "without-jit")
    ann = agent("ann")
    ann.ask("src/a.txt")
    for session, place in (("bob", tmp_path), ("cat", other)):
        assert agent(session, place).ask(tree / "src/a.txt").denied, place


def test_a_file_of_another_repository_that_has_jit_is_gated_there(
    tree: Path, agent: Callable[..., Agent], tmp_path: Path
) -> None:
    other = make_site(tmp_path / "second").cwd
    ann, bob = agent("ann"), agent("bob", other)
    ann.ask("src/a.txt")
    assert bob.ask(tree / "src/a.txt").denied
    assert records(other) == []
