"""Gemini CLI.

Paths are as the model wrote them, perhaps relative. Neither the call nor the subagent has an id: all agents of a
session are one owner. `AfterTool` comes after failures too, and then carries an error. Hooks print JSON or nothing.
Matchers are patterns, found anywhere in a name; where several of them fit, one and the same command runs once. A tool
of an MCP server is called mcp_SERVER_TOOL, which does not tell where the server's name ends; `mcp_context` does.
"""

from __future__ import annotations

from jit.hooks.clients.payload import UNSAID, flag, inner, paths, say, text, within
from jit.hooks.intent import Hook, Intent, Manners, Reply, event_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.intent import Event, Manner

MANNERS = Manners("gemini", waits=True, timeout_secs=900, wait_secs=840, denies="json")
TOOLS: dict[str, Manner] = {"write_file": "whole", "replace": "edit", "run_shell_command": "shell"}
MATCHER = "|".join(TOOLS)
NAMES: dict[str, Event] = {
    "BeforeTool": "pre",
    "AfterTool": "post",
    "AfterAgent": "stop",
    "SessionStart": "start",
    "SessionEnd": "end",
    "BeforeAgent": "prompt",
}


def read(payload: dict[str, object], event_hint: str) -> Intent:
    raw = text(payload, "hook_event_name") or event_hint
    event = _event(payload, raw)
    session, cwd = text(payload, "session_id"), text(payload, "cwd")
    tool = text(payload, "tool_name") if event in ("pre", "post", "failed") else ""
    manner = TOOLS.get(tool, "none")
    if manner == "none":
        intent = Intent("gemini", event, session, cwd=cwd, tool=tool, raw_event=raw)
        return _by_server(intent, payload) if tool.startswith("mcp_") else intent
    table = inner(payload, "tool_input")
    is_shell = manner == "shell"
    return Intent(
        "gemini",
        event,
        session,
        cwd=within(cwd, text(table, "dir_path", "directory")) if is_shell else cwd,
        tool=tool,
        paths=() if is_shell else paths(table),
        manner=manner,
        command=text(table, "command") if is_shell else "",
        background=is_shell and flag(table, "is_background"),
        raw_event=raw,
    )


def deny(_intent: Intent, reason: str) -> Reply:
    return say({"decision": "deny", "reason": reason.strip() or UNSAID})


def allow(_intent: Intent) -> Reply:
    return Reply()


def remark(intent: Intent, text: str) -> Reply:
    """A failed call is still an `AfterTool`."""
    event = "post" if intent.event == "failed" else intent.event
    name = next((name for name, known in NAMES.items() if known == event), "")
    if event not in ("post", "start", "prompt"):
        return Reply(stderr=text + "\n")
    return say({"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}})


def events() -> tuple[Hook, ...]:
    """Milliseconds. The end of a session does not wait for its hooks."""
    from jit.hooks.clients import mcp

    hooks = (
        Hook("BeforeTool", MATCHER, MANNERS.timeout_secs * 1000),
        Hook("AfterTool", MATCHER, 60_000),
        Hook("AfterAgent", "", 60_000),
        Hook("SessionStart", "", 60_000),
        Hook("SessionEnd", "", 30_000),
    )
    return mcp.also(hooks, "^mcp_")


def _by_server(intent: Intent, payload: dict[str, object]) -> Intent:
    from jit.hooks.clients import mcp

    own = text(inner(payload, "mcp_context"), "tool_name") or intent.tool.removeprefix("mcp_").partition("_")[2]
    return mcp.read(intent, own, payload.get("tool_input"))


def _event(payload: dict[str, object], raw: str) -> Event:
    event = event_named(raw, NAMES)
    response = payload.get("tool_response")
    failed = event == "post" and isinstance(response, dict) and response.get("error")
    return "failed" if failed else event
