"""The dialect that Claude Code made and others took over: event names, fields, and the answers they understand.

A hook in a repository's Claude settings is fired by other clients too, which keep their own keys in `tool_input` and
their own spelling of event names. So the dialect is understood loosely and spoken strictly.
"""

from __future__ import annotations

from jit.hooks.clients.payload import PATCH, UNSAID, flag, inner, paths, say, tables, text, texts, within
from jit.hooks.intent import Intent, Reply, event_named
from jit.kernel.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from jit.hooks.clients.payload import Table
    from jit.hooks.intent import Event, Manner

NAMES: dict[str, Event] = {
    "PreToolUse": "pre",
    "PostToolUse": "post",
    "PostToolUseFailure": "failed",
    "Stop": "stop",
    "StopFailure": "breakdown",
    "SubagentStop": "subagent-stop",
    "SessionStart": "start",
    "SessionEnd": "end",
    "UserPromptSubmit": "prompt",
}


def hear(client: str, payload: Table, event_hint: str, tools: Mapping[str, Manner]) -> Intent:
    """The intent of a payload in this dialect; `tools` are the ones that write, with their manner."""
    raw = text(payload, "hook_event_name") or event_hint
    session, subagent = actor(payload)
    event = event_of(raw, is_subagent=bool(subagent))
    intent = Intent(client, event, session, subagent, cwd=text(payload, "cwd"), raw_event=raw)
    if event not in ("pre", "post", "failed"):
        return _with_background(intent, payload) if event in ("stop", "subagent-stop") else intent
    return _with_call(intent, payload, tools)


def event_of(raw: str, *, is_subagent: bool) -> Event:
    """What happened, by the client's name for it in either case. A "stop" inside a subagent is the subagent's own."""
    capital = raw[:1].upper() + raw[1:]
    event = event_named(capital if capital in NAMES else raw, NAMES)
    return "subagent-stop" if event == "stop" and is_subagent else event


def actor(payload: Table) -> tuple[str, str]:
    """Session and subagent. A client whose subagents have sessions of their own names the parent beside them."""
    session = text(payload, "session_id", "sessionId", "conversation_id")
    subagent = text(payload, "agent_id", "agentId")
    if subagent and subagent == session:
        return text(payload, "parent_agent_id", "parentAgentId") or session, subagent
    return session, subagent


def call_of(intent: Intent, arguments: object, manner: Manner) -> Intent:
    """The intent with what its tool call would change; a bare text is a patch."""
    if isinstance(arguments, str):
        return call_of(intent, {"patch": arguments}, "patch")
    table = inner({"tool_input": arguments}, "tool_input")
    if manner == "patch":
        from jit.hooks.clients import patch

        body = text(table, *PATCH)
        return replace(intent, manner="patch", paths=patch.paths(body), replaced=patch.replaced(body))
    if manner == "shell":
        command = text(table, "command")
        cwd = within(intent.cwd, text(table, "workdir", "dir_path", "directory", "cwd"))
        background = flag(table, "run_in_background", "is_background") or table.get("mode") == "async"
        found = _patched(command) if intent.event == "pre" else ()
        return replace(intent, manner="shell", command=command, cwd=cwd, background=background, paths=found)
    found = paths(table)
    for part in tables(table, "edits"):
        found += tuple(path for path in paths(part) if path not in found)
    return replace(intent, manner=manner, paths=found)


def deny(reason: str) -> Reply:
    """The deny object, and nothing beside it: other fields make some clients discard the answer and allow the call."""
    decision = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason.strip() or UNSAID,
    }
    return say({"hookSpecificOutput": decision})


def remark(intent: Intent, words: str, *, heard: tuple[Event, ...]) -> Reply:
    """Words beside the result of the call, for the events in which this client hands them to the model."""
    name = next((name for name, event in NAMES.items() if event == intent.event), "")
    if intent.event not in heard:
        return Reply(stderr=words + "\n")
    return say({"hookSpecificOutput": {"hookEventName": name, "additionalContext": words}})


def _patched(command: str) -> tuple[str, ...]:
    """The files of patches inside a shell command; most commands have none and need no parser for it."""
    if "*** Begin Patch" not in command:
        return ()
    from jit.hooks.clients import patch

    return patch.shell_paths(command)


def _with_call(intent: Intent, payload: Table, tools: Mapping[str, Manner]) -> Intent:
    tool = text(payload, "tool_name")
    intent = replace(intent, tool=tool, call_id=text(payload, "tool_use_id", "tool_call_id"))
    manner = tools.get(tool, "none")
    if manner == "none":
        return _by_server(intent, payload.get("tool_input")) if tool.startswith("mcp__") else intent
    intent = call_of(intent, payload.get("tool_input"), manner)
    return _with_response(intent, payload.get("tool_response")) if intent.event == "post" else intent


def _by_server(intent: Intent, arguments: object) -> Intent:
    """A call of mcp__SERVER__TOOL."""
    from jit.hooks.clients import mcp

    return mcp.read(intent, intent.tool.split("__", 2)[-1], arguments)


def _with_response(intent: Intent, response: object) -> Intent:
    """What the client saw after a shell call: files that changed, and whether the command still runs."""
    if intent.manner != "shell" or not isinstance(response, dict):
        return intent
    changed = texts(inner(response, "bashEditDiff"), "changedFiles")
    background = intent.background or bool(response.get("backgroundTaskId"))
    return replace(intent, paths=changed, background=background)


def _with_background(intent: Intent, payload: Table) -> Intent:
    """A turn may end while shell commands it started still run; then they are its command."""
    running = [
        text(task, "command")
        for task in tables(payload, "background_tasks")
        if task.get("type") == "shell" and task.get("status") == "running"
    ]
    return replace(intent, background=bool(running), command="\n".join(running))
