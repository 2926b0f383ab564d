"""`jit doctor --coverage`: installed hooks are run, and what they do is told. Also what the doctor says of hooks."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.docs.contract import faults
from tests.install.ground import tree
from tests.surface.jitcli import Jit
from tests.world.ground import make_repository

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.surface

CLIENTS = ("claude", "codex", "gemini", "opencode", "copilot", "qwen", "cursor", "cline")
WAYS = (
    "write tool",
    "edit tool",
    "delete or move",
    "multi-file patch",
    "notebook",
    "MCP file tool",
    "shell redirection",
    "shell script",
    "background shell",
    "subagent",
    "git commit",
)
# What a script does cannot be read from the command that starts it, and these clients do not name their subagents.
UNSEEN = {"gemini": {"shell script", "subagent"}, "cursor": {"shell script", "subagent"}}
# What a client without a tool for it does in a shell, and what is done there anyway: it takes the shell parser.
IN_SHELL = {"delete or move", "multi-file patch", "shell redirection", "background shell"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    return home


@pytest.fixture
def jit(tmp_path: Path, home: Path) -> Jit:
    """A repository with jit but without any hook, in a home of its own; temporary files go below it too."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    site = Jit(make_repository(tmp_path / "repo"), env=(("HOME", str(home)), ("TMPDIR", str(scratch))))
    assert site("init", "--no-git-hooks", "--no-clients").code == 0
    return site


def cover(jit: Jit) -> dict[str, dict[str, Any]]:
    answer = jit.ask("doctor", "--coverage")
    assert faults("doctor --coverage", answer) == []
    assert answer["count"] == len(answer["coverage"])
    return {row["client"]: row for row in answer["coverage"]}


def states(row: dict[str, Any]) -> dict[str, str]:
    return {way["way"]: way["state"] for way in row["ways"]}


def settings_of(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def has_parser() -> bool:
    return shutil.which("shfmt") is not None


def test_without_hooks_every_client_and_git_are_told_with_the_next_command(jit: Jit) -> None:
    rows = cover(jit)
    assert tuple(rows) == (*CLIENTS, "git")
    assert {(row["installed"], len(row["ways"])) for row in rows.values()} == {(False, 0)}
    assert [rows[name]["next"] for name in CLIENTS] == [f"jit setup {name}" for name in CLIENTS]
    assert rows["git"]["next"] == "jit hooks install"


@pytest.mark.parametrize("name", CLIENTS)
def test_the_hook_of_each_client_denies_what_a_live_rival_holds(jit: Jit, name: str) -> None:
    jit.ask("setup", name, *(("--trust",) if name == "codex" else ()))
    jit.ask("hooks", "install")
    row = cover(jit)[name]
    assert row["installed"] is True
    assert tuple(states(row)) == WAYS
    unseen = UNSEEN.get(name, {"shell script"}) | (set() if has_parser() else IN_SHELL)
    assert {way for way, state in states(row).items() if state != "blocked"} <= unseen
    proofs = [way["proof"] for way in row["ways"] if way["state"] == "blocked"]
    assert [proof for proof in proofs if "held.txt" not in proof and "held.ipynb" not in proof] == []


def test_a_script_is_detected_after_the_call_where_the_client_names_what_changed(jit: Jit) -> None:
    jit.ask("setup", "claude")
    assert states(cover(jit)["claude"])["shell script"] == "detected"


def test_a_probe_leaves_nothing_behind_and_touches_neither_repository_nor_home(
    jit: Jit, home: Path, tmp_path: Path
) -> None:
    jit.ask("setup", "claude")
    jit.ask("hooks", "install")
    before = tree(home), tree(jit.cwd)
    cover(jit)
    assert (tree(home), tree(jit.cwd)) == before
    assert list((tmp_path / "scratch").iterdir()) == []


def test_the_hook_of_git_refuses_a_commit_of_a_file_that_is_held(jit: Jit) -> None:
    jit.ask("hooks", "install")
    row = cover(jit)["git"]
    assert (row["installed"], row["path"], states(row)) == (
        True,
        str(jit.cwd / ".git/hooks"),
        {"git commit": "blocked"},
    )


def test_a_foreign_hook_that_is_chained_does_not_run(jit: Jit, tmp_path: Path) -> None:
    mine = jit.cwd / ".git/hooks/pre-commit"
    mine.parent.mkdir(exist_ok=True)
    mine.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    mine.chmod(0o755)
    jit.ask("hooks", "install")
    assert states(cover(jit)["git"]) == {"git commit": "blocked"}
    assert not (tmp_path / "ran").exists()


def test_hooks_in_the_repository_are_found_as_well(jit: Jit) -> None:
    jit.ask("setup", "claude", "--project")
    row = cover(jit)["claude"]
    assert row["path"] == str(jit.cwd / ".claude/settings.json")
    assert states(row)["write tool"] == "blocked"


def test_a_hook_whose_program_is_gone_is_blind_whatever_the_settings_say(jit: Jit, home: Path) -> None:
    jit.ask("setup", "claude")
    settings = home / ".claude/settings.json"
    settings.write_text(settings.read_text().replace(sys.executable, "/nowhere/python"))
    row = cover(jit)["claude"]
    assert row["installed"] is True
    assert set(states(row).values()) == {"blind"}


def test_a_hook_that_fails_is_blind_and_its_words_are_the_proof(jit: Jit, home: Path) -> None:
    jit.ask("setup", "claude")
    path = home / ".claude/settings.json"
    settings = settings_of(path)
    group = settings["hooks"]["PreToolUse"][0]
    group["hooks"][0]["command"] = f"echo oh no >&2; exit 3; {group['hooks'][0]['command']}"
    path.write_text(json.dumps(settings))
    row = cover(jit)["claude"]
    assert {(way["state"], way["proof"]) for way in row["ways"][:-1]} == {("blind", "the hook ended with 3: oh no")}


def test_a_hook_that_denies_everything_guards_nothing(jit: Jit, home: Path) -> None:
    jit.ask("setup", "gemini")
    path = home / ".gemini/settings.json"
    settings = settings_of(path)
    for group in settings["hooks"]["BeforeTool"]:
        answer = json.dumps({"decision": "deny", "reason": "held.txt, says nobody"})
        group["hooks"][0]["command"] = f"echo '{answer}'; exit; {group['hooks'][0]['command']}"
    path.write_text(json.dumps(settings))
    row = cover(jit)["gemini"]
    assert states(row)["write tool"] == "blind"
    assert "nobody held" in row["ways"][0]["proof"]


def test_a_matcher_that_somebody_narrowed_shows(jit: Jit, home: Path) -> None:
    jit.ask("setup", "claude")
    path = home / ".claude/settings.json"
    settings = settings_of(path)
    settings["hooks"]["PreToolUse"][0]["matcher"] = "Write|NotebookEdit"
    path.write_text(json.dumps(settings))
    row = cover(jit)["claude"]
    assert states(row)["write tool"] == "blocked"
    assert states(row)["edit tool"] == "blind"
    assert row["ways"][1]["proof"] == "no hook is run before Edit"


@pytest.mark.parametrize("name", ["claude", "opencode"])
def test_hooks_of_an_older_jit_are_blind_for_mcp_servers(jit: Jit, home: Path, name: str) -> None:
    jit.ask("setup", name)
    if name == "claude":
        path = home / ".claude/settings.json"
        hooks = settings_of(path)["hooks"]
        path.write_text(json.dumps({"hooks": {event: groups[:1] for event, groups in hooks.items()}}))
    else:
        path = home / ".config/opencode/plugin/jit.js"
        path.write_text("".join(line for line in path.read_text().splitlines(keepends=True) if "MCP" not in line))
    row = cover(jit)[name]
    assert states(row)["write tool"] == "blocked"
    (proof,) = [way["proof"] for way in row["ways"] if way["way"] == "MCP file tool" and way["state"] == "blind"]
    assert proof.startswith("no hook is run before ")


@pytest.mark.parametrize("name", ["codex", "claude"])
def test_a_client_that_skips_hooks_is_blind(jit: Jit, home: Path, name: str) -> None:
    jit.ask("setup", name)
    if name == "claude":
        path = home / ".claude/settings.json"
        path.write_text(json.dumps({**settings_of(path), "disableAllHooks": True}))
    row = cover(jit)[name]
    assert set(states(row).values()) == {"blind"}
    assert ("trusted" if name == "codex" else "disableAllHooks") in row["ways"][0]["proof"]


def test_settings_that_cannot_be_read_count_as_not_installed(jit: Jit, home: Path) -> None:
    (home / ".qwen").mkdir()
    (home / ".qwen/settings.json").write_text("{")
    row = cover(jit)["qwen"]
    assert row["installed"] is False
    assert row["next"] == f"correct {home}/.qwen/settings.json, then: jit setup qwen"


def test_settings_of_the_person_and_of_the_caller_do_not_reach_the_probe(jit: Jit, home: Path) -> None:
    (home / ".config/jit").mkdir(parents=True)
    (home / ".config/jit/config.toml").write_text('[[path]]\npattern = "**"\npolicy = "free"\n')
    (home / ".gitconfig").write_text("[core]\n\thooksPath = /nowhere\n[commit]\n\tgpgSign = true\n")
    jit.ask("setup", "claude")
    caller = jit.where(JIT_FILES_ON_CONTENTION="wait", CLAUDE_CODE_SESSION_ID="rival-of-the-probe")
    assert states(cover(caller)["claude"])["write tool"] == "blocked"


def test_people_see_a_table(jit: Jit) -> None:
    jit.ask("setup", "claude")
    lines = jit("doctor", "--coverage").out.splitlines()
    assert lines[0].split() == ["CLIENT", "WAY", "STATE", "PROOF"]
    first = next(line for line in lines if line.startswith("claude"))
    assert first.split()[:4] == ["claude", "write", "tool", "blocked"]
    assert "gemini" in next(line for line in lines if line.endswith("not installed  jit setup gemini"))


def test_outside_a_repository_clients_are_probed_all_the_same(jit: Jit, tmp_path: Path) -> None:
    jit.ask("setup", "claude")
    rows = cover(jit.at(tmp_path / "scratch"))
    assert states(rows["claude"])["write tool"] == "blocked"
    assert rows["git"]["next"] == "in a repository: jit hooks install"


# ------------------------------------------------------------------------------------------- the doctor about hooks


def findings(jit: Jit, name: str, *words: str) -> list[dict[str, Any]]:
    return [check for check in jit.ask("doctor", *words)["checks"] if check["name"] == name]


def test_times_that_differ_from_the_contract_are_noted(jit: Jit) -> None:
    assert [found["state"] for found in findings(jit, "file gate")] == ["ok"]
    jit.ask("config", "set", "files.retry_interval_secs", "2")
    jit.ask("config", "set", "files.stop_idle_secs", "1")
    found = findings(jit, "file gate")
    assert [(one["state"], one["next"]) for one in found] == [
        ("note", "jit config reset files.retry_interval_secs"),
        ("note", "jit config reset files.stop_idle_secs"),
    ]
    assert "is 2 (" in found[0]["what"]
    assert found[0]["what"].endswith("the contract says 180")


def test_the_shell_parser_is_ok_where_it_is_and_a_warning_where_it_is_not(jit: Jit) -> None:
    (found,) = findings(jit, "shell parser")
    expected = ("ok", "") if has_parser() else ("warn", "pip install shfmt-py")
    assert (found["state"], found["next"]) == expected


def test_hooks_that_failed_inside_jit_are_shown_newest_first_and_moved_aside_by_fix(jit: Jit) -> None:
    file = jit.cwd / ".git/jit/mishaps.jsonl"
    rows = [
        {
            "timestamp": f"2026-01-03T12:00:0{at}.000Z",
            "client": "claude",
            "tool": "Edit",
            "paths": ["a.py"],
            "what": what,
        }
        for at, what in enumerate(("zero", "one", "two", "three"))
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows) + "not JSON\n"
    file.write_text(text)
    found = findings(jit, "mishaps")
    assert {(one["state"], one["next"]) for one in found} == {
        ("warn", "look: jit doctor --coverage; then: jit doctor --fix")
    }
    assert found[0]["what"] == "a hook failed, and what it wrote about it cannot be read"
    assert [one["what"].rpartition(" ")[2] for one in found[1:]] == ["three", "two"]
    assert "inside the hook of claude Edit a.py" in found[1]["what"]
    assert [one["state"] for one in findings(jit, "mishaps", "--fix")] == ["ok"]
    assert not file.exists()
    assert [path.read_text() for path in file.parent.glob("mishaps.jsonl.seen-*")] == [text]
