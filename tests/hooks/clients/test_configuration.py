"""What setup writes into a client's configuration, and what the hook may allow itself."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import jit
from jit.hooks.clients import NAMES, client
from tests.hooks.clients.recorded import samples

RETRY_INTERVAL_SECS = 180
# Each costs a good part of the interpreter's own start.
HEAVY = (
    "dataclasses",
    "enum",
    "typing",
    "re",
    "json",
    "pathlib",
    "subprocess",
    "argparse",
    "socket",
    "uuid",
    "datetime",
    "collections",
    "contextlib",
    "functools",
    "tomllib",
    "asyncio",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_hook_answers_before_its_client_gives_up_on_it(name: str) -> None:
    manners = client(name).MANNERS
    assert manners.name == name
    assert manners.wait_secs > 0
    assert manners.timeout_secs == 0 or manners.wait_secs + 20 <= manners.timeout_secs


@pytest.mark.parametrize("name", NAMES)
def test_a_client_waits_exactly_if_its_hook_may_outlast_the_retry_interval(name: str) -> None:
    manners = client(name).MANNERS
    assert manners.waits == (manners.wait_secs > RETRY_INTERVAL_SECS)


def test_cline_alone_cannot_wait_for_the_retry_nor_deny_without_ending_the_run() -> None:
    assert [name for name in NAMES if not client(name).MANNERS.waits] == ["cline"]
    assert {name: client(name).MANNERS.denies for name in NAMES} == dict.fromkeys(NAMES, "json") | {
        "cline": "cancel",
        "opencode": "throw",
    }


@pytest.mark.parametrize(
    ("name", "event", "matcher", "timeout"),
    [
        ("claude", "PreToolUse", "Write|Edit|MultiEdit|NotebookEdit|Bash", 900),
        ("codex", "PreToolUse", "apply_patch|Bash", 900),
        ("gemini", "BeforeTool", "write_file|replace|run_shell_command", 900_000),
        ("qwen", "PreToolUse", "write_file|edit|notebook_edit|run_shell_command", 900),
        ("copilot", "preToolUse", "create|edit|apply_patch|bash", 900),
        ("cursor", "preToolUse", "Write|Delete|Shell", 900),
        ("opencode", "tool.execute.before", "write|edit|multiedit|patch|apply_patch|bash", 0),
        ("cline", "PreToolUse", "", 120),
    ],
)
def test_the_gate_before_a_write(name: str, event: str, matcher: str, timeout: int) -> None:
    first = client(name).events()[0]
    assert (first.event, first.matcher, first.timeout) == (event, matcher, timeout)
    assert matcher == client(name).MATCHER


@pytest.mark.parametrize("name", NAMES)
def test_every_tool_that_writes_in_a_recorded_payload_is_matched(name: str) -> None:
    patterns = [re.escape(tool) for tool in client(name).MATCHER.split("|")]
    patterns += [f"(?:{hook.matcher}).*" for hook in client(name).events() if hook.matcher != client(name).MATCHER]
    foreign = {"claude": {"Shell", "Delete"}, "copilot": {"Write", "Bash"}}.get(name, set())
    writing = {one.intent.tool for one in samples(name) if one.intent.manner != "none"} - foreign
    assert writing
    assert name == "cline" or [tool for tool in writing if not any(re.fullmatch(one, tool) for one in patterns)] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_installed_event_is_understood_and_each_once_for_the_same_tools(name: str) -> None:
    module = client(name)
    installed = [(hook.event, hook.matcher) for hook in module.events()]
    assert len(set(installed)) == len(installed)
    assert "other" not in [module.read({}, event).event for event, _ in installed]


def test_claude_code_checks_copies_for_its_own_write_alone() -> None:
    assert {name: client(name).MANNERS.checks_copies for name in NAMES} == {
        **dict.fromkeys(NAMES, ()),
        "claude": ("Write",),
    }


@pytest.mark.parametrize("name", NAMES)
def test_before_after_stop_start_and_end_are_installed_for_every_client(name: str) -> None:
    module = client(name)
    heard = {module.read({}, hook.event).event for hook in module.events()}
    assert {"pre", "post", "stop", "start", "end"} <= heard


def test_the_end_of_a_codex_session_stays_within_its_three_seconds() -> None:
    assert [hook.timeout for hook in client("codex").events() if hook.event == "SessionEnd"] == [3]


@pytest.mark.parametrize("name", NAMES)
def test_a_clients_module_is_imported_alone_and_imports_nothing_heavy(name: str) -> None:
    source = str(Path(jit.__file__).parents[1])
    program = (
        f"import sys; sys.path.insert(0, {source!r}); before = set(sys.modules)\n"
        f"from jit.hooks.clients import client; m = client({name!r}); i = m.read({{}}, 'pre')\n"
        "m.deny(i, 'R'); m.allow(i); m.remark(i, 'T'); print(*sorted(set(sys.modules) - before))"
    )
    command = [sys.executable, "-I", "-S", "-c", program]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.split()
    assert f"jit.hooks.clients.{name}" in loaded
    assert not [other for other in (*NAMES, "mcp") if other != name and f"jit.hooks.clients.{other}" in loaded]
    assert not set(HEAVY) & set(loaded)
