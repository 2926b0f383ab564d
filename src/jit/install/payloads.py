"""What a client says to its hook, and where in the answer it looks for a denial: the probe's own view of both.

This is written down a second time on purpose. A probe that asked the adapters what a denial looks like would believe
whatever they say.
"""

from __future__ import annotations

from jit.kernel.jsontext import dumps, loads
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jit.install.ways import Action, Actor

    Table = dict[str, object]
    Wrap = Callable[[Actor, Action, str], Table]

CALL = "call_probe"


class Speech(Record):
    """How one client speaks: its events around a tool call, and its answer for a denial.

    `denied` is the place of the decision with the value that denies, `reason` the place of the words.
    """

    before: str
    after: str
    wrap: Wrap
    denied: tuple[tuple[str, ...], object]
    reason: tuple[str, ...]


def payload_of(client: str, actor: Actor, action: Action, *, changed: str = "") -> str:
    """The payload before a call; with `changed`, the one after it, which changed that file."""
    speech = SPEECHES[client]
    table = speech.wrap(actor, action, speech.after if changed else speech.before)
    return dumps(table | _results(client, changed) if changed else table)


def denial_in(client: str, stdout: str) -> str:
    """The words with which a hook denies a call; nothing if the client would let the call pass."""
    try:
        answer = loads(stdout)
    except ValueError:
        return ""
    speech = SPEECHES[client]
    place, value = speech.denied
    words = _at(answer, speech.reason)
    decided = _at(answer, place)
    return words if isinstance(words, str) and decided and value in (decided, None) else ""


def _at(value: object, place: tuple[str, ...]) -> object:
    for name in place:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _dialect(actor: Actor, action: Action, event: str) -> Table:
    subagent: Table = {"agent_id": actor.subagent, "agent_type": "general-purpose"} if actor.subagent else {}
    return {
        "session_id": actor.session,
        "transcript_path": "",
        "cwd": actor.cwd,
        "permission_mode": "default",
        "hook_event_name": event,
        "tool_name": action.tool,
        "tool_input": action.arguments,
        "tool_use_id": CALL,
        **subagent,
    }


def _gemini(actor: Actor, action: Action, event: str) -> Table:
    """Neither the call nor the subagent has an id. The tool of a server is named a second time, by itself."""
    own = action.tool.removeprefix("mcp_files_")
    server: Table = {"mcp_context": {"server_name": "files", "tool_name": own}} if own != action.tool else {}
    return {
        "session_id": actor.session,
        "transcript_path": "",
        "cwd": actor.cwd,
        "hook_event_name": event,
        "tool_name": action.tool,
        "tool_input": action.arguments,
        **server,
    }


def _opencode(actor: Actor, action: Action, event: str) -> Table:
    return {
        "event": event,
        "sessionID": actor.subagent or actor.session,
        "parentID": actor.session if actor.subagent else "",
        "callID": CALL,
        "tool": action.tool,
        "args": action.arguments,
        "directory": actor.cwd,
    }


def _copilot(actor: Actor, action: Action, _event: str) -> Table:
    """A subagent has a session of its own; the event is named by the command line alone."""
    child: Table = {"agentId": actor.subagent, "agentType": "task", "parentAgentId": actor.session}
    return {
        "sessionId": actor.subagent or actor.session,
        "timestamp": 0,
        "cwd": actor.cwd,
        "toolName": action.tool,
        "toolArgs": action.arguments,
        **(child if actor.subagent else {}),
    }


def _cursor(actor: Actor, action: Action, event: str) -> Table:
    """Nothing in the call of a subagent names it."""
    return {
        "conversation_id": actor.session,
        "session_id": actor.session,
        "hook_event_name": event,
        "workspace_roots": [actor.cwd],
        "tool_name": action.tool,
        "tool_input": action.arguments,
        "tool_use_id": CALL,
        "cwd": actor.cwd,
    }


def _cline(actor: Actor, action: Action, event: str) -> Table:
    key = event[:1].lower() + event[1:]
    return {
        "taskId": f"task-{actor.session}",
        "sessionContext": {"rootSessionId": actor.session},
        "workspaceRoots": [actor.cwd],
        "agent_id": actor.subagent or f"agent-{actor.session}",
        "parent_agent_id": f"agent-{actor.session}" if actor.subagent else None,
        "hookName": "tool_call" if event == "PreToolUse" else event,
        "tool_call": {"id": CALL, "name": action.tool, "input": action.arguments},
        key: {"toolName": action.tool, "parameters": {}},
    }


def _results(client: str, changed: str) -> Table:
    """What a client adds after a call. Claude Code alone says which files a shell command changed."""
    plain: Table = {"llmContent": "", "returnDisplay": ""}
    found: dict[str, Table] = {
        "claude": {"tool_response": {"stdout": "", "stderr": "", "bashEditDiff": {"changedFiles": [changed]}}},
        "codex": {"tool_response": "Exit code: 0\nOutput:\n"},
        "gemini": {"tool_response": plain},
        "qwen": {"tool_response": plain},
        "copilot": {"toolResult": {"resultType": "success", "textResultForLlm": ""}},
        "cursor": {"tool_output": "", "duration": 1},
    }
    return found.get(client, {})


_DIALECT = Speech(
    "PreToolUse",
    "PostToolUse",
    _dialect,
    (("hookSpecificOutput", "permissionDecision"), "deny"),
    ("hookSpecificOutput", "permissionDecisionReason"),
)
SPEECHES: Mapping[str, Speech] = {
    "claude": _DIALECT,
    "codex": _DIALECT,
    "qwen": _DIALECT,
    "gemini": Speech("BeforeTool", "AfterTool", _gemini, (("decision",), "deny"), ("reason",)),
    "opencode": Speech("tool.execute.before", "tool.execute.after", _opencode, (("deny",), None), ("deny",)),
    "copilot": Speech(
        "preToolUse", "postToolUse", _copilot, (("permissionDecision",), "deny"), ("permissionDecisionReason",)
    ),
    "cursor": Speech("preToolUse", "postToolUse", _cursor, (("permission",), "deny"), ("agent_message",)),
    "cline": Speech("PreToolUse", "PostToolUse", _cline, (("cancel",), True), ("errorMessage",)),
}
