"""GitHub Copilot CLI, in both forms of its payload.

An event configured in camel case gets a camel-case payload without the event's name, so the installed command has to
say which event it serves; what can be told from the payload alone is told all the same. An event configured in Pascal
case gets Claude's dialect with Copilot's keys. A patch arrives as a bare text.

The tool calls of a subagent carry its own session beside the parent's id, while "subagentStop" carries the parent's
session: both give the same session and subagent here. Before it a subagent fires "agentStop" too. Calls have no id.

A tool of an MCP server is called SERVER-TOOL. Matchers must fit the whole name.

A denial must be JSON: with exit 2 alone the model never reads the reason, and any other exit code denies without words.
"""

from __future__ import annotations

from jit.hooks.clients import dialect
from jit.hooks.clients.payload import UNSAID, parsed, say, text
from jit.hooks.intent import Hook, Intent, Manners, Reply
from jit.kernel.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.intent import Manner

MANNERS = Manners("copilot", waits=True, timeout_secs=900, wait_secs=840, denies="json")
TOOLS: dict[str, Manner] = {"create": "whole", "edit": "edit", "apply_patch": "patch", "bash": "shell"}
MATCHER = "|".join(TOOLS)
_CLAUDES: dict[str, Manner] = {"Write": "whole", "Edit": "edit", "Bash": "shell"}
_OWN_NAMES = {"agentStop": "stop", "userPromptSubmitted": "prompt"}
# Fields that only one event has, for a hook that was not told its event; the first that is there decides.
_SIGNS: tuple[tuple[str, str], ...] = (
    ("toolResult", "postToolUse"),
    ("agentName", "subagentStop"),
    ("stopReason", "agentStop"),
    ("source", "sessionStart"),
    ("prompt", "userPromptSubmitted"),
    ("reason", "sessionEnd"),
)


def read(payload: dict[str, object], event_hint: str) -> Intent:
    if "hook_event_name" in payload:
        return _or_servers(dialect.hear("copilot", payload, event_hint, TOOLS | _CLAUDES), payload)
    raw = event_hint or _told_by(payload)
    session, subagent = dialect.actor(payload)
    event = dialect.event_of(_OWN_NAMES.get(raw, raw), is_subagent=bool(subagent))
    intent = Intent("copilot", event, session, subagent, cwd=text(payload, "cwd"), raw_event=raw)
    if event not in ("pre", "post", "failed"):
        return intent
    intent = replace(intent, tool=text(payload, "toolName"))
    manner = TOOLS.get(intent.tool, "none")
    if manner == "none":
        return _or_servers(intent, payload)
    return dialect.call_of(intent, _arguments(payload), manner)


def deny(_intent: Intent, reason: str) -> Reply:
    return say({"permissionDecision": "deny", "permissionDecisionReason": reason.strip() or UNSAID})


def allow(_intent: Intent) -> Reply:
    return Reply()


def remark(intent: Intent, text: str) -> Reply:
    if intent.event not in ("post", "failed", "start"):
        return Reply(stderr=text + "\n")
    return say({"additionalContext": text})


def events() -> tuple[Hook, ...]:
    """Seconds."""
    from jit.hooks.clients import mcp

    hooks = (
        Hook("preToolUse", MATCHER, MANNERS.timeout_secs),
        Hook("postToolUse", MATCHER, 60),
        Hook("postToolUseFailure", MATCHER, 60),
        Hook("agentStop", "", 60),
        Hook("subagentStop", "", 60),
        Hook("sessionStart", "", 60),
        Hook("sessionEnd", "", 30),
        Hook("userPromptSubmitted", "", 60),
    )
    return mcp.also(hooks, ".+-", ".*")


def _or_servers(intent: Intent, payload: dict[str, object]) -> Intent:
    """The intent as it is, unless its tool is one of an MCP server."""
    if intent.manner != "none" or "-" not in intent.tool:
        return intent
    from jit.hooks.clients import mcp

    return mcp.read(intent, intent.tool.partition("-")[2], payload.get("tool_input") or _arguments(payload))


def _told_by(payload: dict[str, object]) -> str:
    if "toolName" in payload and "error" in payload:
        return "postToolUseFailure"
    found = next((name for sign, name in _SIGNS if sign in payload), "")
    return found or ("preToolUse" if "toolName" in payload else "")


def _arguments(payload: dict[str, object]) -> object:
    """Arguments are an object, the text of one, or a patch."""
    given = payload.get("toolArgs")
    if isinstance(given, str) and given.lstrip().startswith("{"):
        return parsed("toolArgs", given)
    return given
