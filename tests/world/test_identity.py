from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from jit.errors import Invalid
from jit.kernel.ids import agent_id_fault
from jit.world import config
from jit.world.config_layers import locate
from jit.world.identity import Agent, resolve, shorten, user_name
from tests.traceability import covers

if TYPE_CHECKING:
    from pathlib import Path

    from jit.world.config import Settings

CLAUDE = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "50c24c90-6f6d-465a-b84e-526784a55a8c"}


def settings(home: Path, agent_toml: str) -> Settings:
    (home / ".config/jit").mkdir(parents=True)
    (home / ".config/jit/agent.toml").write_text(agent_toml, "utf-8")
    return config.resolve(locate("", "", {}, home=str(home), system=""), {})


@pytest.fixture
def written(tmp_path: Path) -> Settings:
    return settings(tmp_path, '[agent]\nid = "agent:file"\n')


@covers("002:agent.precedence", "002:config.agent-env")
def test_the_strongest_word_wins(written: Settings, tmp_path: Path) -> None:
    named = {"JIT_AGENT_ID": "agent:env", "USER": "alice"}
    path = str(tmp_path / ".config/jit/agent.toml")
    assert resolve("agent:flag", named | CLAUDE, written) == Agent("agent:flag", "--agent-id")
    assert resolve(None, named | CLAUDE, written) == Agent("agent:env", "JIT_AGENT_ID")
    assert resolve(None, CLAUDE | {"USER": "alice"}, written) == Agent(
        "agent:claude-50c24c90", "CLAUDE_CODE_SESSION_ID"
    )
    assert resolve(None, {"USER": "alice"}, written) == Agent("agent:file", path)
    assert resolve(None, {"USER": "alice"}, None) == Agent("human:alice", "user name")


def test_an_empty_variable_is_as_good_as_none() -> None:
    assert resolve(None, {"JIT_AGENT_ID": "", "USER": "alice"}).id == "human:alice"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        (CLAUDE, "agent:claude-50c24c90"),
        ({"CODEX_SESSION_ID": "5f1c0f2e-1111-4222-8333-444455556666"}, "agent:codex-5f1c0f2e"),
        ({"GEMINI_SESSION_ID": "4a0e2255-1111-4222-8333-444455556666"}, "agent:gemini-4a0e2255"),
        ({"GEMINI_SESSION_ID": "4a0e2255", "QWEN_CODE_SESSION_ID": "77aa88bb"}, "agent:qwen-77aa88bb"),
        ({"QWEN_CODE_SESSION_ID": "77aa88bb", "QWEN_CODE_AGENT_ID": "sub-1"}, "agent:qwen-sub1"),
        ({"COPILOT_AGENT_SESSION_ID": "624df721-1111-4222-8333-444455556666"}, "agent:copilot-624df721"),
        ({"OPENCODE_PID": "4711"}, "agent:opencode-4711"),
        ({"CURSOR_TRANSCRIPT_PATH": "/h/.cursor/9D8C7b6a-5555.jsonl"}, "agent:cursor-9d8c7b6a"),
        ({"CLAUDE_PROJECT_DIR": "/repo", "CLAUDECODE": "1"}, "human:alice"),
        ({"CLAUDE_CODE_SESSION_ID": "///"}, "human:alice"),
    ],
)
def test_a_known_client_is_recognised_by_its_variables(environ: dict[str, str], expected: str) -> None:
    assert resolve(None, environ | {"USER": "alice"}).id == expected


def test_a_subagent_of_codex_is_an_agent_of_its_own() -> None:
    session = "01a1e0d8-ff90-76d0-adbc-369a2375629b"
    main = resolve(None, {"CODEX_SESSION_ID": session, "CODEX_THREAD_ID": session})
    sub = resolve(None, {"CODEX_SESSION_ID": session, "CODEX_THREAD_ID": "01a1e0d9-0014-7aaa-8bbb-0123456789ab"})
    assert main.id != sub.id


def test_sessions_of_the_same_minute_differ_although_their_ids_begin_alike() -> None:
    one = resolve(None, {"CODEX_THREAD_ID": "01a1e0d8-ff90-76d0-adbc-369a2375629b"})
    other = resolve(None, {"CODEX_THREAD_ID": "01a1e0d8-ff91-7333-8ccc-f00dfeed1234"})
    assert one.id != other.id


def test_sessions_that_are_named_after_the_clock_differ_too() -> None:
    assert shorten("1794797423548_c9b5m") != shorten("1794797444627_f2dj3")
    assert shorten("1794797423548_c9b5m").endswith("c9b5m")


@covers("002:agent.stable")
def test_the_same_session_is_the_same_agent_every_time() -> None:
    assert resolve(None, CLAUDE) == resolve(None, dict(CLAUDE))


@covers("002:agent.format")
@pytest.mark.parametrize("bad", ["", "alice", "agent:", ":x", "Agent:x", "agent:a b", "agent:../x", "agent:-x"])
def test_a_bad_id_is_refused_with_its_source_and_the_next_step(bad: str, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="--agent-id") as by_flag:
        resolve(bad, {})
    assert by_flag.value.exit_code == 4
    assert by_flag.value.hint
    with pytest.raises(Invalid, match=r"agent\.toml") as by_file:
        resolve(None, {}, settings(tmp_path, f"[agent]\nid = {bad!r}\n"))
    assert by_file.value.hint == "jit config set --global agent.id agent:NAME"


def test_a_bad_id_in_the_environment_is_refused_with_its_name() -> None:
    with pytest.raises(Invalid, match="JIT_AGENT_ID") as caught:
        resolve(None, {"JIT_AGENT_ID": "nobody"})
    assert caught.value.hint == "export JIT_AGENT_ID=agent:NAME"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"USER": "DOMAIN\\anna maria"}, "DOMAIN-anna-maria"),
        ({"LOGNAME": "bob"}, "bob"),
        ({"USER": "jörg"}, "jörg"),
        ({"USER": "x" * 300}, "x" * 64),
        ({"USER": "---"}, f"uid-{os.getuid()}"),
    ],
)
def test_any_account_name_becomes_a_valid_id(environ: dict[str, str], expected: str) -> None:
    assert user_name(environ) == expected
    assert agent_id_fault(f"human:{user_name(environ)}") == ""


def test_without_variables_the_account_itself_is_asked() -> None:
    assert agent_id_fault(resolve(None, {}).id) == ""
