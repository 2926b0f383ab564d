"""Cline, its command line and its extension.

It cannot be told "no": a cancel ends the whole run, and the model never reads why; exit codes mean nothing; after 120
seconds the write goes through. So the gate waits as long as it may, and cancels only when the file is still held.

Hooks are executables named after their event, which is the hint. The command line describes the call in `tool_call`,
the extension only in `preToolUse` or `postToolUse`, where every parameter is a text. The main agent has an id too; only
an agent with a parent is a subagent. The command line calls a tool of an MCP server SERVER__TOOL.
"""

from __future__ import annotations

from jit.hooks.clients import patch
from jit.hooks.clients.payload import PATCH, UNSAID, inner, parsed, paths, say, text, texts
from jit.hooks.intent import Hook, Intent, Manners, Reply, event_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.intent import Event, Manner

MANNERS = Manners("cline", waits=False, timeout_secs=120, wait_secs=100, denies="cancel")
TOOLS: dict[str, Manner] = {
    "editor": "edit",
    "apply_patch": "patch",
    "run_commands": "shell",
    "write_to_file": "whole",
    "replace_in_file": "edit",
    "execute_command": "shell",
}
MATCHER = ""
NAMES: dict[str, Event] = {
    "tool_call": "pre",
    "PreToolUse": "pre",
    "PostToolUse": "post",
    "TaskStart": "start",
    "TaskResume": "start",
    "TaskComplete": "stop",
    "TaskCancel": "stop",
    "TaskError": "breakdown",
    "SessionShutdown": "end",
    "UserPromptSubmit": "prompt",
}


def read(payload: dict[str, object], event_hint: str) -> Intent:
    named = text(payload, "hookName")
    raw = named if named in NAMES or not event_hint else event_hint
    subagent = text(payload, "agent_id") if text(payload, "parent_agent_id") else ""
    event = _event(payload, raw, is_subagent=bool(subagent))
    call, tool, table = _call(payload) if event in ("pre", "post", "failed") else ({}, "", {})
    manner = _manner(tool, table)
    command = _command(table) if manner == "shell" else ""
    intent = Intent(
        "cline",
        event,
        text(inner(payload, "sessionContext"), "rootSessionId") or text(payload, "taskId"),
        subagent=subagent,
        cwd="".join(texts(payload, "workspaceRoots")[:1]),
        tool=tool,
        paths=_paths(table, manner, command),
        manner=manner,
        replaced=patch.replaced(text(table, *PATCH)) if manner == "patch" else (),
        command=command,
        call_id=text(call, "id"),
        raw_event=raw,
    )
    return _by_server(intent, payload) if "__" in tool and manner == "none" else intent


def deny(_intent: Intent, reason: str) -> Reply:
    return say({"cancel": True, "errorMessage": reason.strip() or UNSAID})


def allow(_intent: Intent) -> Reply:
    return Reply()


def remark(_intent: Intent, text: str) -> Reply:
    return say({"cancel": False, "contextModification": text})


def events() -> tuple[Hook, ...]:
    """Names of executables; the limit of 120 s is the client's own and cannot be configured."""
    names = ("PreToolUse", "PostToolUse", "TaskStart", "TaskComplete", "TaskCancel", "TaskError", "SessionShutdown")
    return tuple(Hook(name, MATCHER, MANNERS.timeout_secs) for name in names)


def _by_server(intent: Intent, payload: dict[str, object]) -> Intent:
    from jit.hooks.clients import mcp

    told = inner(payload, "tool_call").get("input") or inner(payload, "postToolUse").get("parameters")
    return mcp.read(intent, intent.tool.partition("__")[2], told)


def _event(payload: dict[str, object], raw: str, *, is_subagent: bool) -> Event:
    event = event_named(raw, NAMES)
    if event == "post" and inner(payload, "postToolUse").get("success") is False:
        return "failed"
    return "subagent-stop" if event == "stop" and is_subagent else event


def _call(payload: dict[str, object]) -> tuple[dict[str, object], str, dict[str, object]]:
    """The call, its tool and its arguments."""
    call = inner(payload, "tool_call")
    told = inner(payload, "preToolUse", "postToolUse")
    tool = text(call, "name") or text(told, "toolName")
    if tool not in TOOLS:
        return call, tool, {}
    return call, tool, inner(call, "input") or inner(told, "parameters")


def _manner(tool: str, table: dict[str, object]) -> Manner:
    """The editor replaces the whole file unless it was told what to replace, or where to insert."""
    if tool == "editor" and table.get("old_text") is None and table.get("insert_line") is None:
        return "whole"
    return TOOLS.get(tool, "none")


def _command(table: dict[str, object]) -> str:
    """One command, or several, perhaps as the text of a list."""
    given = table.get("commands")
    if isinstance(given, str):
        given = parsed("commands", given) if given.lstrip().startswith("[") else [given]
    return "\n".join(texts({"commands": given}, "commands")) or text(table, "command")


def _paths(table: dict[str, object], manner: Manner, command: str) -> tuple[str, ...]:
    if manner == "patch":
        return patch.paths(text(table, *PATCH))
    return paths(table) if manner in ("whole", "edit") else patch.shell_paths(command)
