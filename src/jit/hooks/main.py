"""One call of a hook: from the client's words to the client's answer.

A hook must always answer, and never stand in the way by its own fault. Whatever goes wrong in jit itself is written
down where `jit doctor` finds it, and the edit goes on, unless the settings say that it must not.
"""

from __future__ import annotations

import posix
import sys

from jit.disk import environment
from jit.errors import JitError
from jit.hooks.clients import NAMES, client
from jit.hooks.concern import PROJECT, concerns
from jit.hooks.intent import Intent, Reply
from jit.kernel.jsontext import loads
from jit.kernel.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Never

    from jit.hooks.clients import Client


def start(loader: Mapping[str, object]) -> Never:
    """Answer, renew the bundle if the loader found it old, and end: nothing is torn down."""
    status = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    if loader["stale"]:
        from jit.hooks.bundle import refresh

        refresh()
    posix._exit(status)  # noqa: SLF001  the name it has


def main(words: list[str]) -> int:
    """Answer one call; the exit code is part of the answer."""
    if words[:1] == ["--git"]:
        from jit.hooks.git import run

        return run(words[1:])
    name = _value(words, "--client")
    if name not in NAMES:
        sys.stderr.write(f"jit: the hook needs --client and one of {', '.join(NAMES)}; the call goes on unchecked\n")
        return 0  # several clients take any other code for a denial
    reply = answer(client(name), sys.stdin.buffer.read(), _value(words, "--event"))
    if reply.stdout:
        sys.stdout.write(reply.stdout)
    if reply.stderr:
        sys.stderr.write(reply.stderr)
    return reply.exit_code


def _value(words: list[str], name: str) -> str:
    return words[words.index(name) + 1] if name in words[:-1] else ""


def answer(client: Client, data: bytes, hint: str) -> Reply:
    """The answer to a payload. One that nobody understands is not a reason to stop the agent."""
    try:
        payload = loads(data.decode("utf-8", "surrogateescape"))
        if not isinstance(payload, dict):
            return _unread(client, "it is not a JSON object")
        intent = client.read(payload, hint)
    except (ValueError, RecursionError, JitError) as error:
        return _unread(client, str(error))
    environ = environment()
    if intent.served and environ.get(PROJECT):
        intent = replace(intent, cwd=environ[PROJECT])
    try:
        if not concerns(intent, environ):
            return client.allow(intent)
        from jit.hooks.gate import respond

        return respond(client, intent, environ)
    except Exception as error:  # noqa: BLE001  the one boundary of this surface
        from jit.hooks.mishap import failed

        return failed(client, intent, error)


def _unread(client: Client, why: str) -> Reply:
    silent = client.allow(Intent("", "other", ""))
    words = f"jit: the payload cannot be read: {why}; the call goes on unchecked\n"
    return Reply(silent.stdout, words, silent.exit_code)
