"""opencode, which runs plugins inside its own process: the payload is the one that jit's plugin writes.

    {"event": "tool.execute.before", "sessionID": …, "parentID": …, "callID": …, "tool": …, "args": {…}, "directory": …}

A subagent is a session of its own; the plugin looks up which session it descends from and sends that as `parentID`. The
plugin throws what is under "deny", and the model receives exactly that text; it appends what is under "remark" to the
result of the call. Paths may be relative. A hook may wait for as long as it likes. A tool of an MCP server is called
SERVER_TOOL.
"""

from __future__ import annotations

from jit.hooks.clients import patch
from jit.hooks.clients.payload import PATCH, UNSAID, inner, paths, say, text, within
from jit.hooks.intent import Hook, Intent, Manners, Reply, event_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.intent import Event, Manner

MANNERS = Manners("opencode", waits=True, timeout_secs=0, wait_secs=840, denies="throw")
TOOLS: dict[str, Manner] = {
    "write": "whole",
    "edit": "edit",
    "multiedit": "edit",
    "patch": "patch",
    "apply_patch": "patch",
    "bash": "shell",
}
MATCHER = "|".join(TOOLS)
NAMES: dict[str, Event] = {
    "tool.execute.before": "pre",
    "tool.execute.after": "post",
    "tool.failed": "failed",
    "session.created": "start",
    "session.idle": "stop",
    "session.deleted": "end",
    "dispose": "end",
    "chat.message": "prompt",
}


def read(payload: dict[str, object], event_hint: str) -> Intent:
    raw = text(payload, "event") or event_hint
    parent, own = text(payload, "parentID"), text(payload, "sessionID")
    event = _event(raw, is_subagent=bool(parent))
    tool = text(payload, "tool") if event in ("pre", "post", "failed") else ""
    manner = TOOLS.get(tool, "none")
    table = inner(payload, "args") if manner != "none" else {}
    command = text(table, "command") if manner == "shell" else ""
    intent = Intent(
        "opencode",
        event,
        session=parent or own,
        subagent=own if parent else "",
        cwd=within(text(payload, "directory"), text(table, "workdir")),
        tool=tool,
        paths=_paths(table, manner, command),
        manner=manner,
        replaced=patch.replaced(text(table, *PATCH)) if manner == "patch" else (),
        command=command,
        call_id=text(payload, "callID"),
        raw_event=raw,
    )
    return _by_server(intent, payload.get("args")) if "_" in tool and tool not in TOOLS else intent


def deny(_intent: Intent, reason: str) -> Reply:
    return say({"deny": reason.strip() or UNSAID})


def allow(_intent: Intent) -> Reply:
    return Reply()


def remark(_intent: Intent, text: str) -> Reply:
    return say({"remark": text})


def events() -> tuple[Hook, ...]:
    """Nothing to configure: the plugin subscribes by itself to these, without a limit of time."""
    from jit.hooks.clients import mcp

    return mcp.also(tuple(Hook(name, MATCHER if name.startswith("tool.") else "", 0) for name in NAMES), "^.+_")


def _by_server(intent: Intent, arguments: object) -> Intent:
    from jit.hooks.clients import mcp

    return mcp.read(intent, intent.tool.partition("_")[2], arguments)


def _event(raw: str, *, is_subagent: bool) -> Event:
    """What a subagent's session does is about the subagent alone: neither its idling nor its end is the session's."""
    event = event_named(raw, NAMES)
    if is_subagent and event in ("stop", "end"):
        return "subagent-stop"
    return "other" if is_subagent and event == "start" else event


def _paths(table: dict[str, object], manner: Manner, command: str) -> tuple[str, ...]:
    if manner == "patch":
        return patch.paths(text(table, *PATCH))
    return paths(table) if manner in ("whole", "edit") else patch.shell_paths(command)
