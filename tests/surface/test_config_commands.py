"""Settings as a person reads and changes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.surface.jitcli import Jit
from tests.traceability import covers
from tests.world.ground import commit, git

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.surface
TTL = "coordination.default_ttl_secs"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    place.mkdir()
    return place


@pytest.fixture
def at_home(jit: Jit, home: Path) -> Jit:
    """The same agent with a home of its own, so that user settings stay inside the test."""
    return jit.where(HOME=str(home), XDG_CONFIG_HOME=str(home / ".config"))


@covers("002:cmd.config.show", "002:cmd.config.get")
def test_every_setting_is_shown_with_where_it_came_from(at_home: Jit) -> None:
    rows = {row["key"]: row for row in at_home.ask("config", "show")["settings"]}
    assert (rows["worktree.mode"]["value"], rows["worktree.mode"]["origin"]) == ("auto", "default")
    assert rows[TTL]["value"] == 600
    assert ".jit/config.toml" in rows[TTL]["origin"]
    assert at_home.ask("config", "get", TTL)["value"] == 600
    assert at_home("config", "get", TTL).out == "600\n"
    plain = at_home("config", "show").out
    assert all(key in plain for key in rows)


@covers("002:cmd.config.set", "002:cmd.config.set-global", "002:cmd.config.reset", "002:config.order")
@covers("002:config.coordination.default_ttl_secs")
def test_the_environment_wins_over_the_repository_and_the_repository_over_the_user(at_home: Jit) -> None:
    at_home.ask("config", "reset", TTL)
    assert at_home.ask("config", "get", TTL)["origin"] == "default"
    at_home.ask("config", "set", "--global", TTL, "100")
    assert at_home.ask("claim", "acquire", at_home.issue())["ttl_secs"] == 100
    at_home.ask("config", "set", TTL, "200")
    assert at_home.ask("claim", "acquire", at_home.issue())["ttl_secs"] == 200
    once = at_home.where(JIT_COORDINATION_DEFAULT_TTL_SECS="300")
    assert once.ask("claim", "acquire", at_home.issue())["ttl_secs"] == 300
    assert once.ask("claim", "acquire", at_home.issue(), "--ttl", "400")["ttl_secs"] == 400
    at_home.ask("config", "reset", TTL)
    assert at_home.ask("config", "get", TTL)["value"] == 100


@covers("002:cmd.config.set")
def test_an_edit_keeps_comments_and_order(at_home: Jit) -> None:
    path = at_home.cwd / ".jit/config.toml"
    before = path.read_text()
    at_home.ask("config", "set", TTL, "900")
    assert path.read_text() == before.replace("default_ttl_secs = 600", "default_ttl_secs = 900")


@pytest.mark.parametrize(
    ("key", "value"),
    [("coordination.nonsense", "1"), (TTL, "soon"), (TTL, "-1"), ("worktree.mode", "maybe"), ("nothing", "1")],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(at_home: Jit, key: str, value: str) -> None:
    path = at_home.cwd / ".jit/config.toml"
    before = path.read_bytes()
    result = at_home("config", "set", "--json", "--", key, value)
    assert result.code in (3, 4, 7), result
    assert result.error["hint"]
    assert path.read_bytes() == before


@covers("002:cmd.config.validate", "002:cmd.validate.config")
def test_a_file_that_is_wrong_is_found_with_file_and_line(at_home: Jit) -> None:
    path = at_home.cwd / ".jit/config.toml"
    path.write_text('[coordination]\ndefault_ttl_secs = "soon"\n')
    result = at_home("config", "validate", "--json")
    assert (result.code, result.json["valid"]) == (4, False)
    (problem,) = result.json["problems"]
    assert (problem["file"], problem["line"]) == (str(path), 2)
    assert at_home.refuse(7, "claim", "next")["code"] == "config"


@covers("002:config.worktree.mode")
def test_the_mode_says_whether_worktrees_are_demanded_shared_or_left_alone(at_home: Jit) -> None:
    issue = at_home.issue()
    demanding = at_home.where(JIT_WORKTREE_MODE="on")
    assert demanding.refuse(7, "claim", "acquire", issue)["code"] == "config"
    at_home.ask("worktree", "create", "../away")
    assert demanding.at(at_home.cwd.parent / "away").ask("claim", "acquire", issue)["fence"] == 1
    alone = at_home.where(JIT_WORKTREE_MODE="off")
    assert alone.ask("claim", "acquire", issue)["fence"] == 1
    assert (at_home.cwd / ".jit/local/claims.jsonl").is_file()
    assert at_home.ask("claim", "list")["count"] == 1


@covers("002:divergence.config", "002:config.global_operations")
def test_settings_of_the_repository_change_only_on_a_branch_that_has_all_of_main(at_home: Jit) -> None:
    git(at_home.cwd, "checkout", "--quiet", "-b", "develop")
    assert at_home.ask("config", "set", TTL, "700")["value"] == 700
    git(at_home.cwd, "checkout", "--quiet", "main")
    commit(at_home.cwd, "main goes on")
    git(at_home.cwd, "checkout", "--quiet", "develop")
    result = at_home("config", "set", TTL, "800", "--json")
    assert result.code != 0
    assert "rebase" in result.error["hint"]
    git(at_home.cwd, "checkout", "--quiet", "-b", "feature")
    assert at_home.refuse(5, "config", "set", TTL, "800")["details"]["branch"] == "feature"
    assert at_home.ask("config", "set", "--global", TTL, "800")["value"] == 800


@covers("002:layout.scope-lock")
def test_settings_are_changed_under_a_lock_of_their_own(at_home: Jit) -> None:
    at_home.ask("config", "set", TTL, "700")
    assert (at_home.cwd / ".git/jit/locks/scope.lock").is_file()


@covers("002:agent.precedence", "002:agent.format", "002:config.agent-env")
def test_the_flag_wins_over_the_environment_and_that_over_the_file(at_home: Jit) -> None:
    nobody = Jit(at_home.cwd, "", at_home.env)
    assert nobody.ask("worktree", "info")["agent_id"].startswith("human:")
    nobody.ask("config", "set", "--global", "agent.id", "agent:file")
    assert nobody.ask("worktree", "info")["agent_id"] == "agent:file"
    assert at_home.ask("worktree", "info")["agent_id"] == "agent:ann"
    assert at_home.ask("worktree", "info", "--agent-id", "agent:flag")["agent_id"] == "agent:flag"
    for bad in ("nocolon", ":x", "x:", "agent:a b", "Agent:x"):
        error = at_home.by(bad).refuse(4, "claim", "next")
        assert bad in error["message"]
