"""One call of a hook: from the client's words to the client's answer.

A hook must always answer, and never stand in the way by its own fault. Whatever goes wrong in jit itself is written
down where `jit doctor` finds it, and the edit goes on, unless the settings say that it must not.
"""

from __future__ import annotations

import os
import sys

from jit.errors import JitError
from jit.hooks.intent import Reply
from jit.kernel.jsontext import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from jit.hooks.intent import Intent

CLIENTS = ("claude", "codex", "gemini", "opencode", "copilot", "qwen", "cursor", "cline")


def main(words: list[str]) -> int:
    """Answer one call; the exit code is part of the answer."""
    if words[:1] == ["--git"]:
        from jit.hooks.git import run

        return run(words[1:])
    name = words[words.index("--client") + 1] if "--client" in words[:-1] else ""
    if name not in CLIENTS:
        sys.stderr.write(f"jit: the hook needs --client and one of {', '.join(CLIENTS)}\n")
        return 1
    hint = words[words.index("--event") + 1] if "--event" in words[:-1] else ""
    reply = answer(client_module(name), sys.stdin.buffer.read(), hint)
    if reply.stdout:
        sys.stdout.write(reply.stdout)
        sys.stdout.flush()
    if reply.stderr:
        sys.stderr.write(reply.stderr)
    return reply.exit_code


def client_module(name: str) -> ModuleType:
    __import__(f"jit.hooks.clients.{name}")
    return sys.modules[f"jit.hooks.clients.{name}"]


def answer(client: ModuleType, data: bytes, hint: str) -> Reply:
    try:
        payload = loads(data.decode("utf-8", "surrogateescape"))
        if not isinstance(payload, dict):
            return _complain("the payload is not a JSON object")
        intent: Intent = client.read(payload, hint)
    except (ValueError, JitError) as error:
        return _complain(f"the payload cannot be read: {error}")
    try:
        from jit.hooks.gate import respond

        return respond(client, intent, os.environ)
    except Exception as error:
        from jit.hooks.mishap import failed

        return failed(client, intent, error)


def _complain(what: str) -> Reply:
    """A payload that nobody understands is not a reason to stop the agent."""
    return Reply("", f"jit: {what}; the call goes on unchecked\n", 0)
