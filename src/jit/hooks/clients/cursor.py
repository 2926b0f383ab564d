"""Cursor, the editor and its command line.

Edits arrive as a write of the full content. What the model reads is made from `user_message` in one version and from
`agent_message` in another, so both say the reason. A hook that prints nothing counts as failed where the configuration
asks to fail closed: every answer is JSON. Tool calls of subagents cannot be told from those of their parent; only their
start and stop name them. A tool of an MCP server is called MCP:TOOL.
"""

from __future__ import annotations

from jit.hooks.clients.payload import UNSAID, flag, inner, paths, say, text, texts
from jit.hooks.intent import Hook, Intent, Manners, Reply, event_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.intent import Event, Manner

MANNERS = Manners("cursor", waits=True, timeout_secs=900, wait_secs=840, denies="json")
TOOLS: dict[str, Manner] = {"Write": "whole", "Delete": "delete", "Shell": "shell"}
MATCHER = "|".join(TOOLS)
NAMES: dict[str, Event] = {
    "preToolUse": "pre",
    "beforeShellExecution": "pre",
    "postToolUse": "post",
    "afterShellExecution": "post",
    "afterFileEdit": "post",
    "postToolUseFailure": "failed",
    "stop": "stop",
    "subagentStop": "subagent-stop",
    "sessionStart": "start",
    "sessionEnd": "end",
    "beforeSubmitPrompt": "prompt",
}


def read(payload: dict[str, object], event_hint: str) -> Intent:
    raw = text(payload, "hook_event_name") or event_hint
    event = event_named(raw, NAMES)
    tool, manner = _tool(payload, event, raw)
    table = inner(payload, "tool_input") if manner != "none" and "tool_input" in payload else payload
    is_shell = manner == "shell"
    intent = Intent(
        "cursor",
        event,
        text(payload, "conversation_id", "session_id"),
        subagent=text(payload, "subagent_id"),
        cwd=_directory(payload, table),
        tool=tool,
        paths=paths(table) if manner not in ("none", "shell") else (),
        manner=manner,
        command=text(table, "command") if is_shell else "",
        background=is_shell and flag(table, "is_background", "run_in_background"),
        call_id=text(payload, "tool_use_id"),
        raw_event=raw,
    )
    return _by_server(intent, payload.get("tool_input")) if tool.startswith("MCP:") else intent


def deny(_intent: Intent, reason: str) -> Reply:
    words = reason.strip() or UNSAID
    return say({"permission": "deny", "user_message": words, "agent_message": words})


def allow(intent: Intent) -> Reply:
    return say({"permission": "allow"} if intent.event == "pre" else {})


def remark(intent: Intent, text: str) -> Reply:
    permission: dict[str, object] = {"permission": "allow"} if intent.event == "pre" else {}
    return say(permission | {"additional_context": text})


def events() -> tuple[Hook, ...]:
    """Seconds. A shell command is gated by `preToolUse` alone; `beforeShellExecution` would ask a second time."""
    from jit.hooks.clients import mcp

    hooks = (
        Hook("preToolUse", MATCHER, MANNERS.timeout_secs),
        Hook("postToolUse", MATCHER, 60),
        Hook("postToolUseFailure", MATCHER, 60),
        Hook("stop", "", 60),
        Hook("subagentStop", "", 60),
        Hook("sessionStart", "", 60),
        Hook("sessionEnd", "", 30),
    )
    return mcp.also(hooks, "MCP:", ".*")


def _tool(payload: dict[str, object], event: Event, raw: str) -> tuple[str, Manner]:
    """The tool and its manner; events about one kind of call only do not name it."""
    if raw == "afterFileEdit":
        return "Write", "edit"
    if raw in ("beforeShellExecution", "afterShellExecution"):
        return "Shell", "shell"
    tool = text(payload, "tool_name") if event in ("pre", "post", "failed") else ""
    return tool, TOOLS.get(tool, "none")


def _by_server(intent: Intent, arguments: object) -> Intent:
    from jit.hooks.clients import mcp

    return mcp.read(intent, intent.tool.removeprefix("MCP:"), arguments)


def _directory(payload: dict[str, object], table: dict[str, object]) -> str:
    roots = texts(payload, "workspace_roots")
    return text(table, "cwd") or text(payload, "cwd") or "".join(roots[:1])
