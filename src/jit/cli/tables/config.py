"""The commands of `jit config`."""

from __future__ import annotations

from jit.cli.spec import Argument, Command, Option

_KEY = Argument("key", "the setting, for example coordination.default_ttl_secs", completes="key")
_GLOBAL = Option("--global", "", "in your own files, not in the repository's", "flag")

COMMANDS = (
    Command(("config", "show"), "every setting, its value and where it came from", "jit.cli.config:show"),
    Command(("config", "get"), "one value", "jit.cli.config:get", (), (_KEY,)),
    Command(
        ("config", "set"),
        "change a setting, keeping the file's comments",
        "jit.cli.config:put",
        (_GLOBAL,),
        (_KEY, Argument("value", "the new value")),
        examples=(
            ("jit config set coordination.default_ttl_secs 1200", "for everybody in this repository"),
            ("jit config set --global agent.id agent:alice", "for you, everywhere"),
        ),
    ),
    Command(("config", "reset"), "take a setting out of a file", "jit.cli.config:reset", (_GLOBAL,), (_KEY,)),
    Command(("config", "validate"), "check every configuration file", "jit.cli.config:validate"),
)
