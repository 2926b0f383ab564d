"""Where files go: homes named by variables, repositories, the plugin of opencode, the executables of Cline."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from jit.errors import AlreadyExists, Unavailable, UsageError
from jit.install.clients import cline_shims
from jit.install.command import Program
from jit.install.installation import install_shims, remove_shims
from jit.install.originals import Originals
from tests.install.ground import Person, calls_of, order, tree
from tests.install.test_clients import PROJECT

pytestmark = pytest.mark.surface


@pytest.mark.parametrize(
    ("client", "variable", "path"),
    [
        ("claude", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "hooks.json"),
        ("copilot", "COPILOT_HOME", "hooks/jit.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/plugin/jit.js"),
    ],
)
def test_a_home_that_a_variable_names_is_used(person: Person, client: str, variable: str, path: str) -> None:
    person.environ[variable] = str(person.home / "other")
    person.run("setup", client)
    assert (person.home / "other" / path).is_file()
    person.run("uninstall")
    assert tree(person.home) == {}


def test_records_of_what_was_there_are_private_and_go_with_the_last_of_them(person: Person) -> None:
    person.environ["XDG_STATE_HOME"] = str(person.home / "state")
    settings = person.home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"env": {"TOKEN": "secret"}}', "utf-8")
    person.run("setup", "claude")
    records = list((person.home / "state/jit/installed").glob("*.json"))
    assert [oct(record.stat().st_mode & 0o777) for record in records] == ["0o600"]
    person.run("uninstall")
    assert not (person.home / "state/jit").exists()


@pytest.mark.parametrize("client", PROJECT)
def test_a_repository_gets_its_own_file_and_is_left_as_it_was(person: Person, client: str, repository: Path) -> None:
    person.folder = repository / "sub"
    person.folder.mkdir()
    before = tree(repository)
    answer = person.run("setup", client, "--project")
    assert (repository / PROJECT[client]).is_file()
    assert "this file holds paths of this machine: keep it out of commits" in answer["notes"]  # type: ignore[operator]
    assert not tree(person.home)
    person.run("uninstall")
    assert tree(repository) == before


def test_a_project_needs_a_repository(person: Person) -> None:
    with pytest.raises(Unavailable, match="not inside a git repository"):
        person.run("setup", "claude", "--project")


def test_uninstalling_one_client_leaves_the_others(person: Person) -> None:
    for client in ("claude", "gemini"):
        person.run("setup", client)
    person.run("uninstall", "--client", "claude")
    assert set(tree(person.home)) == {".gemini", ".gemini/settings.json"}


def test_trust_is_a_matter_of_codex_alone(person: Person) -> None:
    with pytest.raises(UsageError, match="--trust is for codex"):
        person.run("setup", "claude", "--trust")


def test_uninstalling_where_nothing_is_makes_nothing(person: Person, repository: Path) -> None:
    person.folder = repository
    before = tree(repository)
    assert person.run("uninstall") == {"files": [], "count": 0}
    assert (tree(person.home), tree(repository)) == ({}, before)
    assert not list(person.home.iterdir())


def test_a_file_that_somebody_deleted_is_not_made_again(person: Person) -> None:
    settings = person.home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text("{}", "utf-8")
    person.run("setup", "claude")
    settings.unlink()
    person.run("uninstall")
    assert not settings.exists()


# ------------------------------------------------------------------------------------------------------------ opencode


def test_the_plugin_is_a_program_that_runs_this_hook(person: Person) -> None:
    person.run("setup", "opencode")
    plugin = person.home / ".config/opencode/plugin/jit.js"
    (line,) = [line for line in plugin.read_text("utf-8").splitlines() if line.startswith("const COMMAND = ")]
    command = json.loads(line.removeprefix("const COMMAND = "))
    assert command[1:3] == ["-I", "-S"]
    assert command[3].endswith("jit/hooks/entry.py")
    assert command[4:] == ["--client", "opencode"]


def test_a_plugin_of_somebody_else_is_not_touched(person: Person) -> None:
    plugin = person.home / ".config/opencode/plugin/jit.js"
    plugin.parent.mkdir(parents=True)
    plugin.write_text("export const Mine = async () => ({})\n", "utf-8")
    before = tree(person.home)
    with pytest.raises(AlreadyExists, match="is not from jit, so nothing was changed"):
        person.run("setup", "opencode")
    person.run("uninstall")
    assert tree(person.home) == before


def test_an_edited_plugin_is_kept_beside_its_place(person: Person) -> None:
    person.run("setup", "opencode")
    plugin = person.home / ".config/opencode/plugin/jit.js"
    edited = plugin.read_text("utf-8") + "// mine\n"
    plugin.write_text(edited, "utf-8")
    answer = person.run("uninstall")
    aside = plugin.with_name("jit.js.edited")
    assert answer["files"] == [{"path": str(plugin), "state": "edited", "aside": str(aside)}]
    assert not plugin.exists()
    assert aside.read_text("utf-8") == edited


# --------------------------------------------------------------------------------------------------------------- Cline


def run_hook(path: Path, words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(path)], input=words, capture_output=True, text=True, check=False, timeout=60)


def test_cline_gets_executables_that_pass_the_payload_on(tmp_path: Path, recorder: Program) -> None:
    folder, records = tmp_path / "hooks of cline", Originals(str(tmp_path / "records"))
    install_shims(str(folder), "cline", cline_shims(str(folder), recorder), records)
    order(recorder, "print('{\"cancel\": true}')")
    done = run_hook(folder / "PreToolUse", '{"hookName": "tool_call"}')
    assert (done.returncode, done.stdout, done.stderr) == (0, '{"cancel": true}\n', "")
    assert calls_of(recorder) == [(["--client", "cline", "--event", "PreToolUse"], '{"hookName": "tool_call"}')]
    remove_shims(cline_shims(str(folder), recorder), records.find(str(folder)), records)
    assert not folder.exists()


@pytest.mark.parametrize(("ours", "heard"), [("", "theirs of PreToolUse\n"), ("print('ours')", "ours\n")])
def test_a_hook_that_cline_had_still_runs_and_comes_back(
    tmp_path: Path, recorder: Program, ours: str, heard: str
) -> None:
    folder, records = tmp_path / "hooks", Originals(str(tmp_path / "records"))
    folder.mkdir()
    theirs = folder / "PreToolUse"
    theirs.write_text('#!/bin/sh\ncat > "${0%/*}/seen"\necho "theirs of ${0##*/}"\n', "utf-8")
    theirs.chmod(0o750)
    before = tree(folder)
    order(recorder, ours)
    install_shims(str(folder), "cline", cline_shims(str(folder), recorder), records)
    assert run_hook(theirs, '{"a": "ü"}').stdout == heard
    assert (folder / "seen").read_text("utf-8") == '{"a": "ü"}\n'
    (folder / "seen").unlink()
    remove_shims(cline_shims(str(folder), recorder), records.find(str(folder)), records)
    assert tree(folder) == before


# --------------------------------------------------------------------------------------------------- a jit that is gone


@pytest.mark.parametrize("gone", ["entry", "python"])
def test_the_command_says_nothing_and_allows_everything_once_jit_is_gone(recorder: Program, gone: str) -> None:
    there = recorder.guarded_line("--client", "claude")
    lost = Program("/nowhere/python", recorder.entry) if gone == "python" else recorder
    if gone == "entry":
        os.unlink(recorder.entry)
    done = subprocess.run(
        ["/bin/sh", "-c", lost.guarded_line("--client", "claude")],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "--client claude" in there


def test_the_command_runs_the_hook_through_a_shell_whatever_its_path(recorder: Program) -> None:
    order(recorder, "sys.exit(7)")
    done = subprocess.run(["/bin/sh", "-c", recorder.guarded_line("--client", "qwen")], check=False, timeout=60)
    assert done.returncode == 7
    assert calls_of(recorder) == [(["--client", "qwen"], "")]
