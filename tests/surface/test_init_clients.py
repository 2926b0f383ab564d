"""`jit init` in one go: the hooks of git and of the clients that are used here, and every byte back afterwards."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.install.ground import tree
from tests.surface.jitcli import Jit
from tests.world.ground import commit, git, make_repository

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.surface

HOOKS = ("pre-commit", "prepare-commit-msg", "post-commit", "pre-push")
FILES = {
    "claude": (".claude", "settings.json"),
    "codex": (".codex", "hooks.json"),
    "gemini": (".gemini", "settings.json"),
    "opencode": (".config/opencode", "plugin/jit.js"),
    "copilot": (".copilot", "hooks/jit.json"),
    "qwen": (".qwen", "settings.json"),
    "cursor": (".cursor", "hooks.json"),
    "cline": (".cline", "hooks"),
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home in which no client was ever started."""
    home = tmp_path / "Zoë's home"
    home.mkdir()
    return home


@pytest.fixture
def jit(tmp_path: Path, home: Path) -> Jit:
    return Jit(make_repository(tmp_path / "mein répo"), env=(("HOME", str(home)),))


def steps(answer: dict[str, Any]) -> dict[str, bool]:
    return {row["what"]: row["made"] for row in answer["initialised"]}


def outside_the_control_plane(jit: Jit) -> dict[str, tuple[object, ...]]:
    """The locks in it say who had them last, which differs each time."""
    return {name: what for name, what in tree(jit.cwd).items() if not name.startswith(".git/jit/")}


def test_init_installs_the_hooks_of_git(jit: Jit) -> None:
    answer = jit.ask("init")
    assert steps(answer)["git hooks"] is True
    assert {row["where"] for row in answer["initialised"]} >= {str(jit.cwd / ".git/hooks")}
    assert all(os.access(jit.cwd / ".git/hooks" / name, os.X_OK) for name in HOOKS)
    commit(jit.cwd, "the hooks let it pass")
    assert "the hooks let it pass" in git(jit.cwd, "log", "--format=%s")


@pytest.mark.parametrize("name", FILES)
def test_init_sets_up_a_client_that_has_a_folder_and_no_other(jit: Jit, home: Path, name: str) -> None:
    folder, file = FILES[name]
    (home / folder).mkdir(parents=True)
    answer = jit.ask("init")
    assert [what for what in steps(answer) if what.startswith("hooks of ")] == [f"hooks of {name}"]
    assert steps(answer)[f"hooks of {name}"] is True
    assert (home / folder / file).exists()
    assert sorted(path.name for path in home.iterdir()) == sorted([folder.partition("/")[0], ".local"])


def test_a_folder_that_a_variable_names_counts_in_place_of_the_usual_one(jit: Jit, home: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (home / ".claude").mkdir()
    jit.where(CLAUDE_CONFIG_DIR=str(elsewhere)).ask("init")
    assert list((home / ".claude").iterdir()) == []
    assert "PreToolUse" in json.loads((elsewhere / "settings.json").read_text())["hooks"]


def test_a_second_init_keeps_everything(jit: Jit, home: Path) -> None:
    for folder, _ in FILES.values():
        (home / folder).mkdir(parents=True)
    first = jit.ask("init")
    assert set(steps(first).values()) == {True}
    before = tree(home), outside_the_control_plane(jit)
    again = jit.ask("init")
    assert set(steps(again).values()) == {False}
    assert set(steps(again)) == set(steps(first))
    assert (tree(home), outside_the_control_plane(jit)) == before


def test_each_step_can_be_left_out(jit: Jit, home: Path) -> None:
    (home / ".claude").mkdir()
    answer = jit.ask("init", "--no-git-hooks", "--no-clients")
    assert set(steps(answer)) == {"control plane", "settings", "merge rules", "worktree identity"}
    assert list((home / ".claude").iterdir()) == []
    assert not (jit.cwd / ".git/hooks/pre-commit").exists()


def test_settings_that_are_not_valid_are_a_warning_and_stay_as_they_are(jit: Jit, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".gemini").mkdir()
    broken = home / ".claude/settings.json"
    broken.write_bytes(b'{"hooks": [}')
    plain = jit("init")
    assert plain.code == 0
    assert f"warning: claude was not set up: {broken}" in plain.err
    assert plain.err.count("warning:") == 1
    answer = jit.ask("init")
    assert len(answer["warnings"]) == 1
    assert answer["warnings"][0].endswith("then: jit setup claude")
    assert "hooks of claude" not in steps(answer)
    assert steps(answer)["hooks of gemini"] is False
    assert broken.read_bytes() == b'{"hooks": [}'


def test_people_are_told_that_codex_wants_to_be_asked_for_trust(jit: Jit, home: Path) -> None:
    (home / ".codex").mkdir()
    result = jit("init")
    assert "jit setup codex --trust" in result.err
    assert not (home / ".codex/config.toml").exists()


def test_a_hook_that_was_there_goes_on_running(jit: Jit) -> None:
    mine = jit.cwd / ".git/hooks/pre-commit"
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("#!/bin/sh\necho ran >> .git/ran\n")
    mine.chmod(0o755)
    jit.ask("init")
    commit(jit.cwd, "second")
    assert (jit.cwd / ".git/ran").read_text() == "ran\n"


@pytest.mark.parametrize("attributes", [None, b"", b"*.png binary\n*.txt text", b"*.png binary\r\n\xff\xfe x\n"])
@pytest.mark.parametrize("exclude", [None, b"*.log", b"*.log\n"])
def test_uninstall_gives_back_every_byte_that_init_changed(
    jit: Jit, home: Path, attributes: bytes | None, exclude: bytes | None
) -> None:
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_bytes(b'{\n  // mine\n  "model": "opus",\n}\n')
    if attributes is not None:
        (jit.cwd / ".gitattributes").write_bytes(attributes)
    info = jit.cwd / ".git/info/exclude"
    if exclude is None:
        info.unlink(missing_ok=True)
        info.parent.rmdir()
    else:
        info.write_bytes(exclude)
    before = tree(jit.cwd), tree(home)
    jit.ask("init")
    jit.ask("init")
    assert tree(jit.cwd) != before[0]
    jit.ask("uninstall", "--repository", "--yes")
    assert (tree(jit.cwd), tree(home)) == before


def test_lines_that_people_added_to_the_merge_rules_survive_the_uninstallation(jit: Jit) -> None:
    rules = jit.cwd / ".gitattributes"
    rules.write_bytes(b"*.png binary\n")
    jit.ask("init")
    rules.write_bytes(rules.read_bytes() + b"*.svg text\n")
    jit.ask("uninstall", "--repository", "--yes")
    assert rules.read_bytes() == b"*.png binary\n*.svg text\n"
