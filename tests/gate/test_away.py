"""An agent that works in a repository from outside of it: its commands are leased there, and its turns end there."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.gate.agent import shell
from tests.gate.watch import holders, names
from tests.surface.jitcli import Jit, make_site
from tests.world.ground import git

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.gate.agent import Agent

    Start = Callable[..., Agent]

pytestmark = pytest.mark.crash


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without git beside the repository, and a home of its own."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    (tmp_path / "home").mkdir()
    (tmp_path / "plain").mkdir()
    return tmp_path / "plain"


WRITES = [
    "echo x > {site}/a.txt",
    "cd {site} && echo x > a.txt",
    "cd ../repo; cp b.txt a.txt",
    "(cd '{site}' && git checkout -- a.txt)",
    "git -C {site} reset --hard",
    "cd {site}/sub && rm ../a.txt",
    "bash -c 'cat > {site}/a.txt' <<EOF\nx\nEOF",
    "sed -i s/a/b/ $HOME/../repo/a.txt",
    "tee ~/../repo/a.txt",
    'cp /dev/null "${{HOME}}/../repo/a.txt"',
]


@pytest.mark.parametrize("command", WRITES)
def test_a_command_that_writes_into_a_repository_from_outside_is_gated(
    site: Path, agent: Start, outside: Path, command: str
) -> None:
    (site / "sub").mkdir()
    (site / "a.txt").write_text("one\n")
    git(site, "add", ".")
    git(site, "-c", "core.hooksPath=/dev/null", "commit", "-qm", "a")
    ann, bob = agent("ann"), agent("bob", outside)
    ann.write("a.txt", "hers\n")
    assert "a.txt is being changed by agent:claude-ann" in shell(bob, command.format(site=site)).denied


def test_a_command_outside_that_names_no_repository_leaves_nothing_behind(
    site: Path, agent: Start, outside: Path
) -> None:
    bob = agent("bob", outside)
    for command in ("echo x > y", "cd / && ls > /dev/null", "echo $NOTHING/x > z", "cp a b; make", f"cat {site}/a.txt"):
        answer = shell(bob, command)
        assert (answer.code, answer.out, answer.err) == (0, "", "")
    assert holders(site) == {}
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("away", ["plain", "guarded"])
@pytest.mark.parametrize("event", ["Stop", "SessionEnd"])
def test_a_turn_that_ends_elsewhere_ends_in_every_repository_that_it_wrote_to(
    site: Path, agent: Start, outside: Path, tmp_path: Path, away: str, event: str
) -> None:
    home = make_site(tmp_path / "second").cwd if away == "guarded" else outside
    idle = {"JIT_FILES_STOP_IDLE_SECS": "0"}
    bob, ann = agent("bob", home, **idle), agent("ann", **idle)
    assert bob.ask(site / "a.txt").denied == ""
    assert shell(bob, f"touch mine.txt {site}/b.txt").denied == ""
    assert "being changed" in ann.ask("a.txt").denied
    bob.tell(event)
    assert ann.ask("a.txt", tool="Edit").denied == ""
    assert ann.ask("b.txt", tool="Edit").denied == ""


def test_a_turn_that_ends_after_the_session_went_elsewhere_ends_where_it_began(
    site: Path, agent: Start, outside: Path
) -> None:
    """The folder that Claude Code tells follows `cd` in its shell."""
    idle = {"JIT_FILES_STOP_IDLE_SECS": "0", "CLAUDE_PROJECT_DIR": str(site)}
    bob, ann = agent("bob", **idle), agent("ann")
    bob.write("a.txt")
    bob.cwd = outside
    bob.tell("Stop")
    assert ann.ask("a.txt", tool="Edit").denied == ""


def test_a_subagents_stop_ends_only_its_own_leases_elsewhere(site: Path, agent: Start, outside: Path) -> None:
    bob = agent("bob", outside, JIT_FILES_STOP_IDLE_SECS="0")
    ann = agent("ann")
    bob.ask(site / "a.txt", subagent="s1")
    bob.ask(site / "b.txt")
    bob.tell("SubagentStop", agent_id="s1")
    assert ann.ask("a.txt", tool="Edit").denied == ""
    assert "being changed" in ann.ask("b.txt").denied


def test_an_agent_whose_own_folder_is_gone_is_gated_all_the_same(site: Path, agent: Start, outside: Path) -> None:
    bob, ann = agent("bob", outside), agent("ann")
    outside.rmdir()
    assert bob.ask(site / "a.txt").denied == ""
    assert "being changed" in ann.ask("a.txt").denied
    bob.tell("SessionEnd")
    assert ann.ask("a.txt", tool="Edit").denied == ""
    assert not (site / ".git/jit/mishaps.jsonl").exists()


def test_nothing_is_left_behind_once_the_session_has_ended(site: Path, agent: Start, outside: Path) -> None:
    state = outside.parent / "home/.local/state/jit"
    bob = agent("bob", outside)
    bob.ask(site / "a.txt")
    assert [path.name for path in state.iterdir()] == ["away"]
    bob.tell("SessionEnd")
    assert list((state / "away").iterdir()) == []
    cat = agent("cat", outside)
    cat.ask(site / "a.txt")
    cat.kill()
    Jit(site)("uninstall")
    assert not state.exists()


def test_a_home_that_cannot_be_written_harms_nobody(site: Path, agent: Start, outside: Path) -> None:
    (outside.parent / "home/.local").write_text("a file where a folder should be")
    bob = agent("bob", outside)
    answer = bob.ask(site / "a.txt")
    assert (answer.denied, answer.code, answer.err) == ("", 0, "")
    assert names(site) == {"a.txt"}
    assert bob.tell("Stop").code == 0


@pytest.mark.parametrize(
    "command", ["cd {other} && git reset --hard", "git -C {other} stash", "cd {other}; git clean -fd"]
)
@pytest.mark.parametrize("kind", ["worktree", "repository"])
def test_an_operation_on_another_tree_asks_for_what_is_held_there(
    site: Path, agent: Start, tmp_path: Path, command: str, kind: str
) -> None:
    other = tmp_path / "other"
    if kind == "worktree":
        git(site, "worktree", "add", "-q", str(other))
    else:
        make_site(other)
    ann, bob = agent("ann", other), agent("bob")
    ann.write("a.txt")
    assert "a.txt is being changed by agent:claude-ann" in shell(bob, command.format(other=other)).denied
    assert shell(bob, command.format(other=site)).denied == ""


def test_an_operation_here_does_not_ask_for_what_is_held_in_another_tree(
    site: Path, agent: Start, tmp_path: Path
) -> None:
    git(site, "worktree", "add", "-q", str(tmp_path / "other"))
    ann, bob = agent("ann", tmp_path / "other"), agent("bob")
    ann.write("a.txt")
    assert shell(bob, "git reset --hard").denied == ""
    assert os.path.exists(tmp_path / "other/a.txt")
