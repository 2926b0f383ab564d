"""What each agent client wants to be told, and where: the form of its configuration as data.

`target` is the file of a client that reads its configuration; Cline, which runs executables by their names, gets
shims. Which events to hook, with which matcher and timeout, is known to the client's own module in
`jit.hooks.clients`; here is only how to write it down.
"""

from __future__ import annotations

import os
from functools import partial
from types import MappingProxyType

from jit.hooks.clients import client
from jit.install.command import Program
from jit.install.plugin import PluginFile, plugin_text
from jit.install.settings import HooksFile
from jit.install.shim import CHAINED, Shim
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jit.hooks.intent import Hook

    Entry = dict[str, object]
VERSION: Mapping[str, object] = MappingProxyType({"version": 1})


class Place(Record):
    """Where a client looks: at the user's level (`variable` may name another folder for `home`) and in a repository.

    `beside` is what its file must say beside `hooks`.
    """

    home: str
    user: str
    project: str
    variable: str = ""
    beside: Mapping[str, object] = MappingProxyType({})


PLACES: dict[str, Place] = {
    "claude": Place(".claude", "settings.json", ".claude/settings.json", "CLAUDE_CONFIG_DIR"),
    "codex": Place(".codex", "hooks.json", ".codex/hooks.json", "CODEX_HOME"),
    "gemini": Place(".gemini", "settings.json", ".gemini/settings.json"),
    "opencode": Place(".config/opencode", "plugin/jit.js", ".opencode/plugin/jit.js"),
    "copilot": Place(".copilot", "hooks/jit.json", ".github/hooks/jit.json", "COPILOT_HOME", VERSION),
    "qwen": Place(".qwen", "settings.json", ".qwen/settings.json"),
    "cursor": Place(".cursor", "hooks.json", ".cursor/hooks.json", "", VERSION),
    "cline": Place(".cline", "hooks", ".clinerules/hooks"),
}
# The payload of these does not always name its event, so the command does.
SILENT = ("copilot", "cline")


def folder_of(name: str, environ: Mapping[str, str]) -> str:
    """The client's own folder at the user's level."""
    place = PLACES[name]
    home = environ.get("HOME") or os.path.expanduser("~")
    given = environ.get(place.variable, "") if place.variable else ""
    settings = environ.get("XDG_CONFIG_HOME", "")
    if name == "opencode" and settings.startswith("/"):
        return os.path.join(settings, "opencode")
    return os.path.abspath(given) if given else os.path.join(home, place.home)


def path_of(name: str, environ: Mapping[str, str], worktree: str) -> str:
    """The file (for Cline the folder) to write; a worktree asks for the one in the repository."""
    place = PLACES[name]
    return os.path.join(worktree, place.project) if worktree else os.path.join(folder_of(name, environ), place.user)


def target(name: str, path: str, program: Program) -> HooksFile | PluginFile:
    """The file of a client that is configured by the contents of a file."""
    if name == "opencode":
        return PluginFile(path, name, plugin_text(_plugin_source(), program))
    entries: dict[str, tuple[Entry, ...]] = {}
    for hook in client(name).events():
        entry = _FORMS.get(name, _nested)(hook, _line(name, hook, program))
        entries[hook.event] = (*entries.get(hook.event, ()), entry)
    return HooksFile(path, name, entries, PLACES[name].beside)


def cline_shims(folder: str, program: Program) -> list[Shim]:
    events = [hook.event for hook in client("cline").events()]
    return [Shim(os.path.join(folder, event), partial(_script, event, program)) for event in events]


def _line(name: str, hook: Hook, program: Program) -> str:
    return program.guarded_line("--client", name, *(("--event", hook.event) if name in SILENT else ()))


def _nested(hook: Hook, line: str) -> Entry:
    return _group(hook, {"type": "command", "command": line, "timeout": hook.timeout})


def _gemini(hook: Hook, line: str) -> Entry:
    return _group(hook, {"type": "command", "name": "jit", "command": line, "timeout": hook.timeout})


def _group(hook: Hook, handler: Entry) -> Entry:
    matcher: Entry = {"matcher": hook.matcher} if hook.matcher else {}
    return {**matcher, "hooks": [handler]}


def _copilot(hook: Hook, line: str) -> Entry:
    entry: Entry = {"type": "command", "bash": line, "timeoutSec": hook.timeout}
    return {**entry, "matcher": hook.matcher} if hook.matcher else entry


def _cursor(hook: Hook, line: str) -> Entry:
    entry: Entry = {"command": line, "timeout": hook.timeout}
    return {**entry, "matcher": hook.matcher} if hook.matcher else entry


_FORMS: dict[str, Callable[[Hook, str], Entry]] = {"gemini": _gemini, "copilot": _copilot, "cursor": _cursor}


def _script(event: str, program: Program, call: str) -> str:
    """A hook of Cline. Its answer is what it prints, so of two hooks jit's answer comes first, if it has one."""
    run = program.guarded_line("--client", "cline", "--event", event)
    head = ["#!/bin/sh", f"# {event} of jit for Cline: `jit uninstall` puts back what was here before.", "here=${0%/*}"]
    if not call:
        return "\n".join([*head, run, ""])
    body = [
        "input=$(cat)",
        f"answer=$(printf '%s\\n' \"$input\" | {{ {run}; }})",
        f'if [ -x "$here/{event}{CHAINED}" ]; then',
        f'    theirs=$(printf \'%s\\n\' "$input" | {call} "$@") || code=$?',
        "fi",
        '[ -n "$answer" ] || { printf \'%s\\n\' "$theirs"; exit ${code:-0}; }',
        "printf '%s\\n' \"$answer\"",
    ]
    return "\n".join([*head, *body, ""])


def _plugin_source() -> str:
    import jit.hooks

    path = os.path.join(os.path.dirname(os.path.abspath(jit.hooks.__file__ or "")), "plugins", "opencode.js")
    with open(path, encoding="utf-8") as file:
        return file.read()
