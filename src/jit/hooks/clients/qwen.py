"""Qwen Code: Claude's dialect over tools with Gemini's names.

A timeout below 1000 counts as seconds, from there on as milliseconds. Without a terminal no event ends a session.
Matchers are patterns, found anywhere in a name; where several of them fit, one and the same command runs once.
"""

from __future__ import annotations

from jit.hooks.clients import dialect
from jit.hooks.intent import Hook, Intent, Manners, Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.intent import Event, Manner

MANNERS = Manners("qwen", waits=True, timeout_secs=900, wait_secs=840, denies="json")
TOOLS: dict[str, Manner] = {
    "write_file": "whole",
    "edit": "edit",
    "notebook_edit": "edit",
    "run_shell_command": "shell",
}
MATCHER = "|".join(TOOLS)
_HEARD: tuple[Event, ...] = ("post", "failed", "start", "prompt")


def read(payload: dict[str, object], event_hint: str) -> Intent:
    return dialect.hear("qwen", payload, event_hint, TOOLS)


def deny(_intent: Intent, reason: str) -> Reply:
    return dialect.deny(reason)


def allow(_intent: Intent) -> Reply:
    return Reply()


def remark(intent: Intent, text: str) -> Reply:
    return dialect.remark(intent, text, heard=_HEARD)


def events() -> tuple[Hook, ...]:
    """Seconds. UserPromptSubmit fires after every tool as well, so it is left out."""
    from jit.hooks.clients import mcp

    hooks = (
        Hook("PreToolUse", MATCHER, MANNERS.timeout_secs),
        Hook("PostToolUse", MATCHER, 60),
        Hook("PostToolUseFailure", MATCHER, 60),
        Hook("Stop", "", 60),
        Hook("SubagentStop", "", 60),
        Hook("SessionStart", "", 60),
        Hook("SessionEnd", "", 30),
    )
    return mcp.also(hooks, "^mcp__.+__")
