"""Gemini CLI.

Paths are as the model wrote them, perhaps relative. Neither the call nor the subagent has an id: all agents of a
session are one owner. `AfterTool` comes after failures too, and then carries an error. Hooks print JSON or nothing.
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
        return Intent("gemini", event, session, cwd=cwd, tool=tool, raw_event=raw)
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
    return (
        Hook("BeforeTool", MATCHER, MANNERS.timeout_secs * 1000),
        Hook("AfterTool", MATCHER, 60_000),
        Hook("AfterAgent", "", 60_000),
        Hook("SessionStart", "", 60_000),
        Hook("SessionEnd", "", 30_000),
    )


def _event(payload: dict[str, object], raw: str) -> Event:
    event = event_named(raw, NAMES)
    response = payload.get("tool_response")
    failed = event == "post" and isinstance(response, dict) and response.get("error")
    return "failed" if failed else event
