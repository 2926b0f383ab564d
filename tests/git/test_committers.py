"""Whose leases are the committer's own: the whole session of a client, and nobody else's."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.git.ground import ENTRY, Agent, committed, held, own_command

if TYPE_CHECKING:
    from pathlib import Path

# Edits as a client does, says so, and stays until it is killed.
CLIENT = """
import subprocess, sys
done = subprocess.run(sys.argv[1:], input=sys.stdin.buffer.readline(), capture_output=True)
print(done.returncode, done.stdout, flush=True)
sys.stdin.read()
"""


def test_the_whole_client_session_is_the_committer(repo: Path, ann: Agent) -> None:
    ann.edit("a.txt", subagent="one")
    ann.edit("b.txt", subagent="two")
    ann.ask("add", "--all")
    ann.ask("commit", "-m", "both")
    assert held(repo) == {}


def test_a_person_may_commit_what_nobody_holds_and_not_what_an_agent_holds(ann: Agent, zoe: Agent) -> None:
    (zoe.cwd / "own.txt").write_text("own\n", "utf-8")
    ann.edit("a.txt")
    zoe.ask("add", "--all")
    refused = zoe.git("commit", "-m", "all")
    assert refused.code == 1
    assert own_command(refused.err) == ["commit", "--", "own.txt"]
    zoe.ask("commit", "-m", "own", *own_command(refused.err)[1:])
    assert committed(zoe) == {"own.txt"}


PATCH = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch"
CALLS: dict[str, dict[str, object]] = {
    "claude": {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": "a.txt"}},
    "codex": {"hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_input": {"command": PATCH}},
    "gemini": {"hook_event_name": "BeforeTool", "tool_name": "write_file", "tool_input": {"file_path": "a.txt"}},
    "qwen": {"hook_event_name": "PreToolUse", "tool_name": "write_file", "tool_input": {"file_path": "a.txt"}},
    "copilot": {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"path": "a.txt"}},
    "cursor": {"hook_event_name": "preToolUse", "tool_name": "Write", "tool_input": {"file_path": "a.txt"}},
    "opencode": {"event": "tool.execute.before", "tool": "write", "args": {"filePath": "a.txt"}},
    "cline": {"hookName": "tool_call", "tool_call": {"name": "editor", "input": {"path": "a.txt"}}},
}


@pytest.mark.parametrize(
    ("client", "variables"),
    [
        ("claude", {"CLAUDE_CODE_SESSION_ID": "s"}),
        ("claude", {"JIT_AGENT_ID": "agent:claude-s"}),
        ("codex", {"CODEX_THREAD_ID": "another", "CODEX_SESSION_ID": "s"}),
        ("gemini", {"GEMINI_SESSION_ID": "s"}),
        ("qwen", {"QWEN_CODE_SESSION_ID": "s", "QWEN_CODE_AGENT_ID": "sub"}),
        ("copilot", {"COPILOT_AGENT_SESSION_ID": "s"}),
        ("cursor", {"CURSOR_TRANSCRIPT_PATH": "/t/s/s.txt"}),
        ("opencode", {"OPENCODE_PID": "1"}),
        ("cline", {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "+".join(value),
)
def test_the_session_is_known_by_what_its_client_tells_the_commands_it_runs(
    repo: Path, client: str, variables: dict[str, str]
) -> None:
    names = {"session_id": "s", "cwd": str(repo), "sessionID": "s", "directory": str(repo), "taskId": "s"}
    Agent(repo).tell(client, CALLS[client] | names | {"workspaceRoots": [str(repo)]})
    assert held(repo) == {"a.txt": f"agent:{client}-s"}
    (repo / "a.txt").write_text("text\n", "utf-8")
    agent = Agent(repo).where(**variables)
    agent.ask("add", "a.txt")
    agent.ask("commit", "-m", "mine")
    assert held(repo) == {}


def test_two_sessions_under_one_agent_name_stay_two(repo: Path, ann: Agent, bob: Agent) -> None:
    name = {"JIT_AGENT_ID": "agent:team"}
    bob.where(**name).edit("b.txt")
    ann.ask("add", "b.txt")
    assert ann.where(**name).git("commit", "-m", "bob's").code == 1
    bob.where(**name).ask("commit", "-m", "bob's")


def test_a_name_that_cannot_be_used_stops_the_commit(ann: Agent) -> None:
    ann.edit("a.txt")
    ann.ask("add", "a.txt")
    done = ann.where(JIT_AGENT_ID="no type").git("commit", "-m", "who?")
    assert done.code == 1
    assert "JIT_AGENT_ID" in done.err
    assert "hint: export JIT_AGENT_ID=agent:NAME" in done.err


def test_what_a_dead_session_held_does_not_stop_anybody(repo: Path, bob: Agent, zoe: Agent) -> None:
    path = repo / "b.txt"
    payload = (
        f'{{"session_id": "{bob.session}", "cwd": "{repo}", "hook_event_name": "PreToolUse", "tool_name": "Write",'
        f' "tool_input": {{"file_path": "{path}", "content": "x"}}}}\n'
    )
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT, *ENTRY, "--client", "claude"],
        cwd=repo,
        env=bob.environ(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with client:
        assert client.stdin
        assert client.stdout
        client.stdin.write(payload)
        client.stdin.flush()
        assert client.stdout.readline() == "0 b''\n"
        path.write_text("x", "utf-8")
        zoe.ask("add", "b.txt")
        assert zoe.git("commit", "-m", "bob lives").code == 1
        client.kill()
    zoe.ask("commit", "-m", "bob is gone")
