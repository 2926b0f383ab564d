"""Undoing `jit init`: the repository is as it was, and nobody's work is gone."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

import pytest

from jit.cli import setup
from jit.cli.call import Call
from jit.cli.output import Out
from jit.cli.parse import Parsed, parse
from jit.cli.tables.setup import COMMANDS
from jit.errors import NotFound, UsageError
from jit.install.repository import without_block
from tests.install.ground import Person, tree
from tests.world.ground import git

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.git


def init(person: Person, folder: Path) -> None:
    parsed: Parsed = parse(COMMANDS[0], ["--repo", str(folder)])
    environ = os.environ | {"HOME": str(person.home)}
    call = Call(parsed, Out(stdout=io.StringIO(), stderr=io.StringIO(), environ=environ), environ)
    setup.init(call)
    call.close()


def test_everything_that_init_wrote_goes(person: Person, repository: Path) -> None:
    person.folder = repository
    before = tree(repository)
    init(person, repository)
    assert tree(repository) != before
    person.run("uninstall", "--repository", "--yes")
    assert tree(repository) == before


@pytest.mark.parametrize("text", ["*.png binary\n", "*.png binary", "# mine\r\n*.png binary\r\n"])
def test_merge_rules_of_others_come_back_byte_for_byte(person: Person, repository: Path, text: str) -> None:
    person.folder = repository
    (repository / ".gitattributes").write_bytes(text.encode())
    git(repository, "-c", "core.autocrlf=false", "add", ".gitattributes")
    git(repository, "commit", "--quiet", "-m", "attributes")
    init(person, repository)
    person.run("uninstall", "--repository", "--yes")
    assert (repository / ".gitattributes").read_bytes() == text.encode()
    assert git(repository, "status", "--porcelain") == ""


def test_issues_and_edited_settings_stay(person: Person, repository: Path) -> None:
    person.folder = repository
    init(person, repository)
    issue = repository / ".jit/issues/1/issue.json"
    issue.parent.mkdir(parents=True)
    issue.write_text("{}", "utf-8")
    settings = repository / ".jit/config.toml"
    settings.write_text(settings.read_text("utf-8") + "# ours\n", "utf-8")
    answer = person.run("uninstall", "--repository", "--yes")
    assert {"path": str(settings), "state": "kept", "aside": None} in answer["files"]  # type: ignore[operator]
    assert issue.exists()
    assert settings.exists()
    assert not (repository / ".git/jit").exists()


def test_every_worktree_loses_its_identity(person: Person, repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "--quiet", str(tmp_path / "second"))
    init(person, repository)
    init(person, tmp_path / "second")
    person.folder = tmp_path / "second"
    person.run("uninstall", "--repository", "--yes")
    assert not (repository / ".jit").exists()
    assert not (tmp_path / "second/.jit").exists()


def test_without_consent_it_says_what_would_go_and_does_nothing(person: Person, repository: Path) -> None:
    person.folder = repository
    init(person, repository)
    before = tree(repository)
    with pytest.raises(UsageError, match="0 active leases") as caught:
        person.run("uninstall", "--repository")
    assert caught.value.hint == "jit uninstall --repository --yes"
    assert tree(repository) == before


def test_it_needs_a_repository_and_speaks_of_no_single_client(person: Person, repository: Path) -> None:
    with pytest.raises(NotFound, match="there is no repository"):
        person.run("uninstall", "--repository", "--yes")
    person.folder = repository
    with pytest.raises(UsageError, match="do not go together"):
        person.run("uninstall", "--repository", "--yes", "--client", "claude")


def test_only_our_lines_below_our_mark_are_taken_out() -> None:
    text = "a\nours 1\n# mark\nours 1\nours 2\nb\nours 2\n"
    assert without_block(text, "# mark", ("ours 1", "ours 2")) == "a\nours 1\nb\nours 2\n"
