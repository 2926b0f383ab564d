"""When jit itself fails inside a hook: allow and write it down, or deny if the settings ask for that."""

from __future__ import annotations

import os

from jit.errors import JitError
from jit.kernel.jsontext import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.clients import Client
    from jit.hooks.intent import Intent, Reply


def failed(client: Client, intent: Intent, error: Exception) -> Reply:
    """The answer to a call that jit could not judge."""
    what = error.message if isinstance(error, JitError) else f"{type(error).__name__}: {error}"
    write_down(intent, what, error)
    if intent.event == "pre" and intent.manner != "none" and _must_deny(intent):
        return client.deny(
            intent, f"jit failed: {what}. Run: jit doctor. To go on without: jit config set files.on_failure allow"
        )
    return client.allow(intent)


def _must_deny(intent: Intent) -> bool:
    """As the settings say for one of the files, or for all; if even they cannot be read, the agent goes on."""
    from jit.app import Workspace
    from jit.world.path_rules import denies_on_failure, rule_for, rules_of
    from jit.world.paths import locate

    try:
        space = Workspace(intent.cwd or os.getcwd(), os.environ)
        if space.settings.text("files.on_failure") == "deny":
            return True
        rules = rules_of(space.settings)
        spots = [locate(path, intent.cwd, space.repo) for path in intent.paths]
        return any(spot is not None and denies_on_failure(rule_for(spot.path, rules)) for spot in spots)
    except (JitError, OSError, ValueError):  # a value: a path that no file can have
        return False


def write_down(intent: Intent, what: str, error: Exception) -> None:
    """One line in the control plane's `mishaps.jsonl`, which `jit doctor` shows; nothing if even that fails."""
    from traceback import format_exception

    from jit.kernel.instant import rfc3339
    from jit.world.clock import SystemClock
    from jit.world.git import find

    try:
        folder = f"{find(intent.cwd or os.getcwd(), os.environ).common_dir}/jit"
        line = dumps(
            {
                "timestamp": rfc3339(SystemClock().now().wall_ms),
                "client": intent.client,
                "event": intent.event,
                "tool": intent.tool,
                "paths": list(intent.paths),
                "what": what,
                "trace": "".join(format_exception(error))[-4000:],
            }
        )
        fd = os.open(f"{folder}/mishaps.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, line.encode() + b"\n")
        finally:
            os.close(fd)
    except (OSError, JitError):
        return
