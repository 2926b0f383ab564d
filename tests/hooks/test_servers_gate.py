"""The gate before a write by an MCP server: leased, denied, and asked about copies that the client does not check."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.gate.agent import Agent
from tests.gate.watch import holder_of, holders
from tests.surface.jitcli import make_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.gate.agent import Answer

pytestmark = pytest.mark.crash

OLD = "may have changed since you read it"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    repository = make_site(tmp_path / "repo").cwd
    (repository / "a.txt").write_text("base\n")
    return repository


@pytest.fixture
def bob(site: Path) -> Iterator[Agent]:
    with Agent(site, "bob", env={"JIT_FILES_ON_CONTENTION": "deny"}) as one:
        yield one


@pytest.fixture
def rival(site: Path, bob: Agent) -> Iterator[Agent]:
    """Somebody who changed the file while bob was there."""
    with Agent(site, "rival") as one:
        one.write("a.txt", "by the rival\n")
        yield one


def ask(agent: Agent, tool: str, **arguments: object) -> Answer:
    return agent.tell("PreToolUse", tool_name=f"mcp__files__{tool}", tool_input=arguments)


def test_a_free_file_is_leased_and_a_held_one_denied(site: Path, rival: Agent, bob: Agent) -> None:
    assert ask(bob, "write_file", path="b.txt", content="x").denied == ""
    assert holder_of(site, "b.txt") == "bob/"
    for tool in ("write_file", "edit_file", "delete_file"):
        assert "a.txt is being changed by agent:" in ask(bob, tool, path=str(site / "a.txt")).denied
    assert "a.txt is being changed by" in ask(bob, "move_file", source="b.txt", destination="a.txt").denied
    assert holder_of(site, "a.txt") == "rival/"


def test_a_relative_path_counts_from_where_the_session_began(site: Path) -> None:
    (site / "sub").mkdir()
    with Agent(site / "sub", "cat", env={"CLAUDE_PROJECT_DIR": str(site)}) as cat:
        assert ask(cat, "write_file", path="c.txt", content="x").denied == ""
        assert cat.ask("d.txt").denied == ""
        assert {name.partition("/")[2] for name in holders(site)} == {"c.txt", "sub/d.txt"}


def test_a_read_and_a_try_lease_nothing(site: Path, bob: Agent) -> None:
    assert ask(bob, "read_file", path="a.txt").out == ""
    assert ask(bob, "edit_file", path="a.txt", edits=[], dryRun=True).out == ""
    assert holders(site) == {}


def test_a_whole_file_by_a_server_is_not_checked_by_the_client_and_so_refused_once(rival: Agent, bob: Agent) -> None:
    rival.tell("SessionEnd", reason="other")
    assert OLD in ask(bob, "write_file", path="a.txt", content="x").denied
    assert ask(bob, "write_file", path="a.txt", content="x").denied == ""


def test_claudes_own_write_is_checked_by_the_client(rival: Agent, bob: Agent) -> None:
    rival.tell("SessionEnd", reason="other")
    assert bob.ask("a.txt", tool="Write").denied == ""


def test_an_edit_by_a_server_is_applied_to_the_file_as_it_is(rival: Agent, bob: Agent) -> None:
    rival.tell("SessionEnd", reason="other")
    assert ask(bob, "edit_file", path="a.txt", edits=[{"oldText": "by", "newText": "of"}]).denied == ""
