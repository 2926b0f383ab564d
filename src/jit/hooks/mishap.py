"""When jit itself fails inside a hook: allow and write it down, or deny if the settings ask for that."""

from __future__ import annotations

import os
import shlex

from jit.errors import JitError
from jit.kernel.jsontext import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.app import Workspace
    from jit.hooks.clients import Client
    from jit.hooks.intent import Intent, Reply
    from jit.world.config import Settings
    from jit.world.path_rules import PathRule

SETTING = "files.on_failure"


def failed(client: Client, intent: Intent, error: Exception) -> Reply:
    """The answer to a call that jit could not judge."""
    what = error.message if isinstance(error, JitError) else f"{type(error).__name__}: {error}"
    paths = _paths(intent)
    write_down(intent, paths, what, error)
    way_out = _way_out(intent, paths) if intent.event == "pre" and intent.manner != "none" else ""
    if way_out:
        return client.deny(intent, f"jit failed: {what}. Run: jit doctor. To go on without: {way_out}")
    return client.allow(intent)


def _paths(intent: Intent) -> list[str]:
    """What the call would change, as far as its words tell."""
    if intent.manner != "shell":
        return list(intent.paths)
    from jit.hooks.shell.targets import find

    try:
        return [write.path for write in find(intent.command, intent.cwd, os.environ.get("HOME", "")).writes]
    except (JitError, OSError, ValueError):
        return list(intent.paths)


def _folders(intent: Intent, paths: list[str]) -> list[str]:
    """Where the repository may be: around the call, or around one of its files."""
    cwd = intent.cwd or os.getcwd()
    return list(dict.fromkeys([cwd, *(os.path.dirname(os.path.join(cwd, path)) for path in paths)]))


def _way_out(intent: Intent, paths: list[str]) -> str:
    """How to go on without jit where its failure means to deny; nothing where the agent goes on anyway.

    As the settings say for one of the files, or for all; if even they cannot be read, the agent goes on.
    """
    from jit.app import Workspace

    for at, folder in enumerate(_folders(intent, paths)):
        try:
            space = Workspace(folder, os.environ)
            found = _way_out_in(space, intent, paths, f" -C {shlex.quote(space.repo.worktree)}" if at else "")
        except (JitError, OSError, ValueError):  # a value: a path that no file can have
            continue
        if found:
            return found
    return ""


def _way_out_in(space: Workspace, intent: Intent, paths: list[str], where: str) -> str:
    from jit.world.path_rules import rule_for, rules_of
    from jit.world.paths import locate

    command = f"jit config set {SETTING} allow{where}"
    if space.settings.text(SETTING) == "deny":
        return command
    rules = rules_of(space.settings)
    for path in paths:
        spot = locate(path, intent.cwd, space.repo)
        rule = rule_for(spot.path, rules) if spot is not None else None
        if rule is not None and rule.on_failure == "deny":
            return f'write on_failure = "allow" into the rule for {rule.pattern} in {_file_of(rule, space.settings)}'
        if rule is not None and rule.denies_on_failure(allowed=space.settings.origin(SETTING) != "default"):
            return command
    return ""


def _file_of(rule: PathRule, settings: Settings) -> str:
    """The file in which a rule stands."""
    for layer in settings.layers:
        rows = layer.values.get("path", ())
        if isinstance(rows, list) and any(isinstance(row, dict) and row.get("pattern") == rule.pattern for row in rows):
            return layer.path
    return ".jit/config.toml"


def write_down(intent: Intent, paths: list[str], what: str, error: Exception) -> None:
    """One line in the control plane's `mishaps.jsonl`, which `jit doctor` shows; nothing if even that fails."""
    from traceback import format_exception

    from jit.kernel.instant import rfc3339
    from jit.world.clock import SystemClock

    line = dumps(
        {
            "timestamp": rfc3339(SystemClock().now().wall_ms),
            "client": intent.client,
            "event": intent.event,
            "tool": intent.tool,
            "paths": paths,
            "what": what,
            "trace": "".join(format_exception(error))[-4000:],
        }
    )
    for folder in _folders(intent, paths):
        if _append(folder, line.encode() + b"\n"):
            return


def _append(folder: str, line: bytes) -> bool:
    """Write to the control plane around a folder, if there is one."""
    from jit.world.git import find

    try:
        path = f"{find(folder, os.environ).common_dir}/jit/mishaps.jsonl"
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    except (OSError, ValueError, JitError):
        return False
    try:
        os.write(fd, line)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True
