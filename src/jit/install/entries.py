"""Our hooks as they stand in a client's configuration now: which line it would run for which event and tool.

Read from the file itself, whatever jit may have written there once. A matcher that somebody narrowed, a hook that
somebody removed, a client that was told to run no hooks: all of it shows here.
"""

from __future__ import annotations

import os
import re
import shlex

from jit.errors import ConfigError
from jit.install import changes, jsonc
from jit.install.clients import cline_shims
from jit.install.command import is_hook_command
from jit.install.installation import trust_file
from jit.install.plugin import is_ours
from jit.install.shim import is_shim
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jit.install.command import Program
    from jit.install.installation import Level

UNTRUSTED = "Codex skips hooks that nobody trusted: jit setup codex --trust"
SWITCHED_OFF = "the settings say disableAllHooks: Claude Code runs no hook at all"
_COMMAND = re.compile(r"^const COMMAND = (\[.*\])$", re.MULTILINE)
_TOOLS = re.compile(r"^const TOOLS = new Set\((\[.*\])\)$", re.MULTILINE)
_SERVERS = re.compile(r"^const MCP = /(.*)/$", re.MULTILINE)
_NAMES = re.compile(r"[\w\-|, ]*")


class Entry(Record):
    """One hook; an empty event stands for all of them, an empty matcher for every tool."""

    event: str
    matcher: str
    line: str


class Installed(Record):
    """The hooks of jit in one place of one client; `skipped` says why the client does not run them all the same."""

    client: str
    path: str
    entries: tuple[Entry, ...]
    skipped: str = ""

    def line(self, event: str, tool: str) -> str:
        """The line that the client runs; empty if it runs none."""
        found = [x.line for x in self.entries if x.event in ("", event) and _matches(x.matcher, tool)]
        return found[0] if found else ""


def look_up(client: str, path: str, level: Level, program: Program) -> Installed:
    """What is installed at a path; `ConfigError` if the file is not what the client could read."""
    if client == "cline":
        return Installed(client, path, tuple(_executables(path, program)))
    data = changes.read(path)
    if data is None:
        return Installed(client, path, ())
    if client == "opencode":
        return Installed(client, path, tuple(_plugin(data)))
    document = _document(data, path)
    entries = tuple(_hooks(document, client))
    return Installed(client, path, entries, _skipped(client, document, level, path, data) if entries else "")


def _matches(matcher: str, tool: str) -> bool:
    """Plain names are a list; anything else is a pattern."""
    if matcher in ("", "*"):
        return True
    if _NAMES.fullmatch(matcher):
        return tool in re.split(r"[|,]\s*", matcher)
    try:
        return re.search(matcher, tool) is not None
    except re.error:
        return False


def _executables(folder: str, program: Program) -> Iterator[Entry]:
    for shim in cline_shims(folder, program):
        data = changes.read(shim.path)
        if data is not None and is_shim(data) and os.access(shim.path, os.X_OK):
            yield Entry(os.path.basename(shim.path), "", shlex.quote(shim.path))


def _plugin(data: bytes) -> Iterator[Entry]:
    """The words that the plugin starts, for its list of tools and for its pattern of others."""
    source = data.decode("utf-8", "replace") if is_ours(data) else ""
    command, tools, servers = (each.search(source) for each in (_COMMAND, _TOOLS, _SERVERS))
    line = shlex.join(_texts(command[1])) if command is not None else ""
    if line and tools is not None:
        yield Entry("", "|".join(_texts(tools[1])), line)
    if line and servers is not None:
        yield Entry("", servers[1], line)


def _texts(source: str) -> list[str]:
    words = jsonc.parse(source).value
    return [str(word) for word in words] if isinstance(words, list) else []


def _document(data: bytes, path: str) -> dict[str, object]:
    try:
        value = jsonc.parse(data.decode("utf-8")).value if data.strip() else {}
    except (jsonc.NotJson, UnicodeDecodeError) as fault:
        raise ConfigError(
            f"{path} cannot be understood: {fault}", hint=f"correct {path}", details={"file": path}
        ) from fault
    return value if isinstance(value, dict) else {}


def _hooks(document: dict[str, object], client: str) -> Iterator[Entry]:
    hooks = document.get("hooks")
    for event, listed in hooks.items() if isinstance(hooks, dict) else ():
        for group in listed if isinstance(listed, list) else ():
            yield from _handlers(str(event), group, client)


def _handlers(event: str, group: object, client: str) -> Iterator[Entry]:
    """A group with several handlers, or one handler by itself."""
    if not isinstance(group, dict):
        return
    inner = group.get("hooks")
    for handler in inner if isinstance(inner, list) else (group,):
        line = (handler.get("command") or handler.get("bash")) if isinstance(handler, dict) else None
        if isinstance(line, str) and is_hook_command(line, client):
            yield Entry(event, str(group.get("matcher") or ""), line)


def _skipped(client: str, document: dict[str, object], level: Level, path: str, data: bytes) -> str:
    if client == "claude" and document.get("disableAllHooks") is True:
        return SWITCHED_OFF
    if client != "codex":
        return ""
    trust = trust_file(level, path, data)
    return "" if trust.is_trusted(changes.read(trust.path)) else UNTRUSTED
