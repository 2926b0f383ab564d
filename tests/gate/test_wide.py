"""Shell commands that reach whole folders: what is leased for them, what is not, and what is given back afterwards."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from jit.hooks.wide import MOST_FILES
from tests.gate.agent import said, shell
from tests.gate.watch import holder_of, names, records
from tests.surface.jitcli import make_site
from tests.world.ground import git

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.gate.agent import Agent, Answer

    Start = Callable[..., Agent]

pytestmark = pytest.mark.crash


def fill(folder: Path, count: int) -> None:
    folder.mkdir(parents=True)
    for number in range(count):
        (folder / f"{number}.txt").write_text("x\n")


def after(agent: Agent, command: str, *, event: str = "PostToolUse") -> Answer:
    return agent.tell(event, tool_name="Bash", tool_input={"command": command}, tool_response={}, error="Exit code 1")


def test_a_folder_that_git_ignores_is_nobodys(site: Path, agent: Start) -> None:
    (site / ".gitignore").write_text("node_modules/\n")
    fill(site / "node_modules/p", 300)
    assert shell(agent("ann"), "rm -rf node_modules").denied == ""
    assert (names(site), records(site)) == (set(), [])


def test_what_git_would_keep_of_a_folder_is_leased(site: Path, agent: Start) -> None:
    (site / ".gitignore").write_text("*.log\n")
    fill(site / "d", 3)
    git(site, "add", "d/0.txt")
    (site / "d/x.log").write_text("x")
    (site / "d/ä ö").write_text("x")
    assert shell(agent("ann"), "rm -r d").denied == ""
    assert names(site) == {"d/0.txt", "d/1.txt", "d/2.txt", "d/ä ö"}


def test_odd_names_of_folders_and_links_to_them_are_followed(site: Path, agent: Start) -> None:
    fill(site / "[x] *", 1)
    (site / "link").symlink_to("[x] *")
    ann = agent("ann")
    assert shell(ann, "rm -r '[x] *'").denied == ""
    assert names(site) == {"[x] */0.txt"}
    assert "being changed" in shell(agent("bob"), "black link").denied


def test_ignored_files_are_leased_where_the_settings_say_so(site: Path, agent: Start) -> None:
    (site / ".gitignore").write_text("*.log\n")
    (site / ".jit/config.toml").write_text("[files]\nlease_ignored = true\n")
    fill(site / "d", 1)
    (site / "d/x.log").write_text("x")
    assert shell(agent("ann"), "rm -r d").denied == ""
    assert names(site) == {"d/0.txt", "d/x.log"}


@pytest.mark.parametrize("command", ["rm -rf d", "mv d e", "black d", "rsync -a b/ d", "git rm -rq d"])
def test_a_folder_with_very_many_files_is_refused_while_others_hold_one_of_them(
    site: Path, agent: Start, command: str
) -> None:
    fill(site / "d", MOST_FILES + 1)
    ann, bob = agent("ann"), agent("bob")
    ann.write("d/199.txt")
    assert "d/199.txt is being changed by agent:claude-ann" in shell(bob, command).denied
    assert names(site) == {"d/199.txt"}


def test_a_folder_with_very_many_files_is_not_leased_file_by_file_and_that_is_said(site: Path, agent: Start) -> None:
    fill(site / "d", MOST_FILES + 1)
    ann, bob = agent("ann"), agent("bob")
    ann.write("a.txt")
    assert "rm below d" in said(shell(bob, "rm -rf d"))
    assert names(site) == {"a.txt"}


def test_what_a_command_left_as_it_was_is_given_back_after_it(site: Path, agent: Start) -> None:
    fill(site / "d", 5)
    ann, bob = agent("ann"), agent("bob")
    assert shell(ann, "black d").denied == ""
    assert "being changed" in bob.ask("d/1.txt").denied
    (site / "d/0.txt").write_text("formatted\n")
    assert after(ann, "black d").denied == ""
    assert names(site) == {"d/0.txt"}
    changed = [x["event_type"] for x in records(site) if x["payload"]["resources"][0].endswith("d/0.txt")]
    assert changed == ["file.acquired"]
    assert bob.ask("d/1.txt", tool="Edit").denied == ""


def test_a_file_that_one_had_before_is_not_given_back(site: Path, agent: Start) -> None:
    fill(site / "d", 2)
    ann = agent("ann")
    ann.ask("d/0.txt")
    shell(ann, "black d")
    after(ann, "black d")
    assert names(site) == {"d/0.txt"}


def test_a_command_that_failed_is_looked_at_as_well(site: Path, agent: Start) -> None:
    ann = agent("ann")
    assert shell(ann, "make").denied == ""
    (site / "made.txt").write_text("x\n")
    after(ann, "make", event="PostToolUseFailure")
    assert holder_of(site, "made.txt") == "ann/"


def test_commands_that_run_at_the_same_time_are_compared_each_for_itself(site: Path, agent: Start) -> None:
    ann = agent("ann")
    calls = [{"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": name} for name in ("one", "two")]
    for call in calls:
        ann.tell("PreToolUse", **call)
    for call in calls:
        (site / f"{call['tool_use_id']}.txt").write_text("x\n")
        ann.tell("PostToolUse", tool_response={}, **call)
    assert names(site) == {"one.txt", "two.txt"}
    assert list((site / ".git/jit/calls").iterdir()) == []


def test_marks_of_calls_that_nobody_heard_of_again_do_not_pile_up(site: Path, agent: Start) -> None:
    ann, marks = agent("ann"), site / ".git/jit/calls"
    shell(ann, "make")
    for number in range(100):
        (marks / f"{number:08x}").touch()
        os.utime(marks / f"{number:08x}", (1, 1))
    shell(ann, "make")
    assert len(list(marks.iterdir())) == 1


def test_files_of_another_repositorys_folder_are_leased_there(site: Path, agent: Start, tmp_path: Path) -> None:
    other = make_site(tmp_path / "other").cwd
    fill(other / "d", 2)
    fill(other / "many", MOST_FILES + 1)
    ann, bob = agent("ann"), agent("bob", other)
    assert shell(ann, f"rm -r {other}/d").denied == ""
    assert names(other) == {"d/0.txt", "d/1.txt"}
    bob.write("many/7.txt")
    assert "many/7.txt is being changed" in shell(ann, f"rm -r {other}/many").denied
