"""Codex CLI.

All its edits are patches: one call may touch many files, with paths relative to `cwd`. A patch that is fed to
apply_patch in a shell command arrives as `Bash`. The `cwd` of a shell call is the call's own directory.

An answer that Codex finds invalid counts as a failed hook, and a failed hook allows the call: "ask" as a decision, and
any of `continue`, `stopReason` or `suppressOutput`, do that. So does exit 2 with nothing on stderr. Hence the bare deny
object. No event tells of a failed patch, of a call that an MCP server failed, or of a shell command that goes on
running. A block after the call would replace the tool's result, so remarks are additional context.
"""

from __future__ import annotations

from jit.hooks.clients import dialect
from jit.hooks.intent import Hook, Intent, Manners, Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.intent import Event, Manner

MANNERS = Manners("codex", waits=True, timeout_secs=900, wait_secs=840, denies="json")
TOOLS: dict[str, Manner] = {"apply_patch": "patch", "Bash": "shell"}
MATCHER = "|".join(TOOLS)
_HEARD: tuple[Event, ...] = ("post", "start", "prompt")


def read(payload: dict[str, object], event_hint: str) -> Intent:
    return dialect.hear("codex", payload, event_hint, TOOLS)


def deny(_intent: Intent, reason: str) -> Reply:
    return dialect.deny(reason)


def allow(_intent: Intent) -> Reply:
    return Reply()


def remark(intent: Intent, text: str) -> Reply:
    return dialect.remark(intent, text, heard=_HEARD)


def events() -> tuple[Hook, ...]:
    """Seconds. The end of a session waits three at most. Stop and UserPromptSubmit take no matcher."""
    from jit.hooks.clients import mcp

    hooks = (
        Hook("PreToolUse", MATCHER, MANNERS.timeout_secs),
        Hook("PostToolUse", MATCHER, 60),
        Hook("Stop", "", 60),
        Hook("SubagentStop", "", 60),
        Hook("SessionStart", "", 60),
        Hook("SessionEnd", "", 3),
        Hook("UserPromptSubmit", "", 60),
    )
    return mcp.also(hooks, "^mcp__.+__")
