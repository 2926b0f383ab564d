"""Which file is meant: one name for every way to write it, and none for what is not of this repository."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest

from jit.world.git import find
from jit.world.paths import Spot, locate
from tests.traceability import covers
from tests.world.ground import git, make_repository

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.git


@pytest.fixture
def tree(repository: Path) -> Path:
    (repository / "src/deep").mkdir(parents=True)
    (repository / "src/a.txt").write_text("text")
    (repository / "file-link").symlink_to("src/a.txt")
    (repository / "folder-link").symlink_to("src")
    (repository / "loop").symlink_to("loop")
    (repository / "dangling").symlink_to("src/not-yet.txt")
    return repository


def named(tree: Path, text: str, cwd: Path | None = None) -> str | None:
    spot = locate(text, str(cwd or tree), find(str(cwd or tree), {}))
    return spot.path if spot else None


@covers("000:FR1.3")
@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("src/a.txt", "src/a.txt"),
        ("./src//./a.txt", "src/a.txt"),
        ("src/deep/../a.txt", "src/a.txt"),
        ("nowhere/../src/a.txt", "src/a.txt"),
        ("file-link", "src/a.txt"),
        ("folder-link/a.txt", "src/a.txt"),
        ("folder-link/deep/../a.txt", "src/a.txt"),
        ("dangling", "src/not-yet.txt"),
        ("new.txt", "new.txt"),
        ("new/deep/er.txt", "new/deep/er.txt"),
        ("folder-link/new/er.txt", "src/new/er.txt"),
        ("loop", "loop"),
        (".gitignore", ".gitignore"),
        (".github/x.yml", ".github/x.yml"),
        ("src/.gitkeep", "src/.gitkeep"),
        (" spaces and\ttabs ", " spaces and\ttabs "),
        ("new\nline", "new\nline"),
        (".git/config", None),
        (".git", None),
        ("src/../.git/HEAD", None),
        ("../outside.txt", None),
        ("/etc/hosts", None),
        ("", None),
        (".", None),
    ],
)
def test_a_path_is_named_from_the_root_of_its_worktree(tree: Path, written: str, name: str | None) -> None:
    assert named(tree, written) == name
    if written and not written.startswith("/"):
        assert named(tree, f"{tree}/{written}") == name


def test_a_spot_says_where_the_file_is(tree: Path) -> None:
    spot = locate("folder-link/a.txt", str(tree), find(str(tree), {}))
    assert spot == Spot(str(tree), "src/a.txt", str(tree / "src/a.txt"))


def test_a_relative_path_begins_where_the_call_runs(tree: Path) -> None:
    assert named(tree, "a.txt", tree / "src") == "src/a.txt"
    assert named(tree, "../x.txt", tree / "src/deep") == "src/x.txt"


def test_a_path_from_home_is_understood(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tree))
    assert named(tree, "~/src/a.txt") == "src/a.txt"


def test_a_repository_behind_a_link_has_the_same_names(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "door").symlink_to(tree)
    assert named(tree, str(tmp_path / "door/src/a.txt")) == "src/a.txt"
    assert named(tree, "src/a.txt", tmp_path / "door") == "src/a.txt"


def test_letters_are_composed(tree: Path) -> None:
    composed = unicodedata.normalize("NFC", "Öl/é.txt")
    assert named(tree, unicodedata.normalize("NFD", composed)) == composed
    assert named(tree, composed) == composed


def test_a_file_of_another_worktree_is_named_there(tree: Path, tmp_path: Path) -> None:
    git(tree, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "other"))
    spot = locate(str(tmp_path / "other/new/x.txt"), str(tree), find(str(tree), {}))
    assert spot == Spot(str(tmp_path / "other"), "new/x.txt", str(tmp_path / "other/new/x.txt"))
    back = locate(str(tree / "src/a.txt"), str(tmp_path / "other"), find(str(tmp_path / "other"), {}))
    assert back == Spot(str(tree), "src/a.txt", str(tree / "src/a.txt"))


def test_a_worktree_inside_the_repository_is_a_worktree_of_its_own(tree: Path) -> None:
    git(tree, "worktree", "add", "--quiet", "-b", "inner", str(tree / "trees/inner"))
    spot = locate("trees/inner/x.txt", str(tree), find(str(tree), {}))
    assert spot == Spot(str(tree / "trees/inner"), "x.txt", str(tree / "trees/inner/x.txt"))


def test_another_repository_inside_or_beside_this_one_has_no_names_here(tree: Path, tmp_path: Path) -> None:
    make_repository(tree / "vendor/inner")
    make_repository(tmp_path / "beside")
    for text in ("vendor/inner/x.txt", "vendor/inner/.git/config", "../beside/x.txt", f"{tmp_path}/beside/x.txt"):
        assert named(tree, text) is None, text
    assert named(tree, "vendor/x.txt") == "vendor/x.txt"


def test_a_folder_whose_name_only_begins_like_the_repositorys_is_outside(tree: Path) -> None:
    assert named(tree, f"{tree}-copy/x.txt") is None


def test_where_capitals_do_not_count_one_file_has_one_name(tree: Path) -> None:
    assert named(tree, "src/A.txt") == "src/A.txt"
    (tree / ".GIT").write_text("what a file system that does not tell letters apart would answer")
    assert named(tree, "src/A.txt") == named(tree, "SRC/a.TXT") == "src/a.txt"
