"""Claude Code, and whoever else reads its settings.

It hands over absolute paths, with symbolic links unresolved. Calls that it knows to be wrong (a missing file, a text
not found) fail before any hook hears of them. After a wait an `Edit` is applied to the file as it then is, while a
`Write` over changed content is refused by the client itself. Subagents share the session and differ in `agent_id`; a
"stop" of the main thread says nothing about them. A turn that its model failed ends in a "StopFailure" alone. What an
MCP server writes, nobody checks: its tools are called mcp__SERVER__TOOL, and a matcher that is no list of names is a
pattern, found anywhere in a name.

Copilot and Cursor fire hooks from a repository's `.claude/settings.json` as well, with the tool names Write, Edit,
Bash, Shell and Delete over keys of their own. They understand the denial below; remarks reach Claude alone.
"""

from __future__ import annotations

from jit.hooks.clients import dialect
from jit.hooks.intent import Hook, Intent, Manners, Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.intent import Event, Manner

MANNERS = Manners("claude", waits=True, timeout_secs=900, wait_secs=840, denies="json", checks_copies=("Write",))
TOOLS: dict[str, Manner] = {
    "Write": "whole",
    "Edit": "edit",
    "MultiEdit": "edit",
    "NotebookEdit": "edit",
    "Bash": "shell",
}
MATCHER = "|".join(TOOLS)
_FOREIGN: dict[str, Manner] = {"Shell": "shell", "Delete": "delete", "apply_patch": "patch"}
_HEARD: tuple[Event, ...] = ("pre", "post", "failed", "start", "prompt")


def read(payload: dict[str, object], event_hint: str) -> Intent:
    return dialect.hear("claude", payload, event_hint, TOOLS | _FOREIGN)


def deny(_intent: Intent, reason: str) -> Reply:
    return dialect.deny(reason)


def allow(_intent: Intent) -> Reply:
    """Silence: an explicit "allow" would skip the person's own permission rules."""
    return Reply()


def remark(intent: Intent, text: str) -> Reply:
    return dialect.remark(intent, text, heard=_HEARD)


def events() -> tuple[Hook, ...]:
    """Seconds. The end of a session waits at most a minute for its hooks."""
    from jit.hooks.clients import mcp

    hooks = (
        Hook("PreToolUse", MATCHER, MANNERS.timeout_secs),
        Hook("PostToolUse", MATCHER, 60),
        Hook("PostToolUseFailure", MATCHER, 60),
        Hook("Stop", "", 60),
        Hook("StopFailure", "", 60),
        Hook("SubagentStop", "", 60),
        Hook("SessionStart", "", 60),
        Hook("SessionEnd", "", 30),
        Hook("UserPromptSubmit", "", 60),
    )
    return mcp.also(hooks, "^mcp__.+__")
