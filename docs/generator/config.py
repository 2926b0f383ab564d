"""The page of all settings, from the table that the resolver reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generator.markdown import code, document, table
from jit.world.config_keys import KEYS, RETIRED

if TYPE_CHECKING:
    from jit.world.config_keys import Key, Value

INTRODUCTION = """
A value comes from the strongest place that names it:

1. an option of the command, where it has one (`--ttl`);
2. the environment variable of the key;
3. the repository: `.jit/config.toml` in the worktree;
4. the user: `~/.config/jit/config.toml`, or `$XDG_CONFIG_HOME/jit/config.toml`;
5. the system: `/etc/jit/config.toml`;
6. the default.

Keys of `agent` and `behavior` speak of one person or agent. They live in `agent.toml` beside the user's `config.toml`
and in no other file.

`jit config show` prints every value and where it came from. `jit config set KEY VALUE` changes the repository's file,
`jit config set --global KEY VALUE` the user's; both keep comments and order. A value that breaks its rule is a fault
(exit code 7) of the command that needs it, and is never replaced by a weaker one. A key that nobody knows causes a
warning.

The repository's file changes only on a branch of `global_operations.allowed_branches`, if one of them exists.
"""
RETIRED_WORDS = "These can only be `true`. Saying so is allowed; `false` is an error."
IDENTITY = """
## Who acts

The agent id is not resolved like the other keys. The strongest word wins: `--agent-id`, then `JIT_AGENT_ID`, then the
session id that a known agent client puts into the environment, then `agent.id` of `agent.toml`, then `human:` and the
account's name. `jit worktree info` says who you are and why.
"""
TYPES = {"number": "whole number", "flag": "true or false", "names": "list of names", "text": "text"}


def page() -> str:
    sections = dict.fromkeys(name.partition(".")[0] for name in KEYS)
    parts = [part for section in sections for part in _section(section)]
    retired = table(("key", "why"), [(code(name), why) for name, why in RETIRED.items()])
    return document("Settings", INTRODUCTION, *parts, IDENTITY, "## Retired keys", RETIRED_WORDS, retired)


def _section(section: str) -> list[str]:
    keys = [key for name, key in KEYS.items() if name.partition(".")[0] == section]
    rows = [(code(key.name), _type(key), _default(key.default), code(key.environment), key.help) for key in keys]
    heading = f"## {section}\n\nIn `{keys[0].home}.toml`."
    return [heading, table(("key", "type and range", "default", "environment", "meaning"), rows)]


def _type(key: Key) -> str:
    if key.kind == "choice":
        return ", ".join(map(code, key.choices))
    if key.kind == "number":
        return f"{TYPES[key.kind]}, {key.low} to {key.high}"
    return TYPES[key.kind]


def _default(value: Value) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return code(str(value).lower())
    return ", ".join(map(code, value)) if isinstance(value, tuple) else code(str(value))
