"""What a command line can say, as data.

A command is a `Command`: its words, its options, its arguments and the name of the function that runs it. Parser, help,
completion and the reference pages read the same records, so they cannot disagree.

Nothing is loaded before it is asked for, in three steps:

1. The index, `jit.cli.commands.GROUPS`, maps each noun to `(summary, table, section)`. It holds only text, and it is
   all that `jit --help` needs. A noun with an empty section is not shown.
2. A table is a module that holds `COMMANDS: tuple[Command, ...]`. It is imported when one of its nouns is named. One
   table may serve several nouns: `init`, `doctor` and `version` can share a file.
3. `Command.run`, `"module:function"`, is imported when the command runs.

The first word of `Command.path` is the noun. A path of one word is the noun's own command: `jit init`, or `jit log`
beside `jit log at`.

Options and arguments keep the spelling of their record everywhere: `parsed.integer("--ttl")`, `parsed.text("ISSUE")`.
"""

from __future__ import annotations

import sys

from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Literal

    OptionKind = Literal["text", "int", "secs", "flag", "list"]
    Completes = Literal["issue", "lease", "agent", "worktree", "path", "key", ""]
    Index = Mapping[str, tuple[str, str, str]]


class Option(Record):
    """`secs` reads 600, 10m, 2h or 1d as seconds; `list` may be given several times; `flag` takes no value."""

    name: str
    metavar: str = ""
    help: str = ""
    kind: OptionKind = "text"
    choices: tuple[str, ...] = ()
    default: str | int | None = None
    required: bool = False
    short: str = ""
    completes: Completes = ""


class Argument(Record):
    """A word without a dash. `many` takes all that are left, so it comes last."""

    name: str
    help: str = ""
    required: bool = True
    many: bool = False
    choices: tuple[str, ...] = ()
    completes: Completes = ""


class Command(Record):
    """`trailing` says that a command to run follows after `--`. `hidden` keeps it out of help and completion."""

    path: tuple[str, ...]
    summary: str
    run: str
    options: tuple[Option, ...] = ()
    arguments: tuple[Argument, ...] = ()
    description: str = ""
    examples: tuple[tuple[str, str], ...] = ()
    trailing: bool = False
    hidden: bool = False


class Group(Record):
    """A noun and the commands that begin with it."""

    name: str
    summary: str
    commands: tuple[Command, ...]


GLOBAL_OPTIONS = (
    Option("--json", "", "print one JSON document on standard output", "flag"),
    Option("--agent-id", "ID", "act as this agent (TYPE:NAME), not as the one found", completes="agent"),
    Option("--repo", "DIR", "work in the repository at this directory", short="-C", completes="path"),
    Option("--color", "WHEN", "colour the output", choices=("auto", "always", "never"), default="auto"),
    Option("--quiet", "", "no notes and no progress; warnings and errors stay", "flag", short="-q"),
    Option("--help", "", "show this help", "flag", short="-h"),
)


HELP_WORDS = ("--help", "-h")


def load_group(index: Index, noun: str) -> Group:
    """Import the table that serves a noun and pick the noun's commands from it."""
    summary, table, _ = index[noun]
    __import__(table)
    commands: tuple[Command, ...] = sys.modules[table].COMMANDS
    return Group(noun, summary, tuple([command for command in commands if command.path[0] == noun]))


def load_run(command: Command) -> Callable[..., int]:
    """Import the function behind a command."""
    module, _, function = command.run.partition(":")
    __import__(module)
    run: Callable[..., int] = getattr(sys.modules[module], function)
    return run


def by_spelling(options: Iterable[Option]) -> dict[str, Option]:
    """Options by every spelling, long or short."""
    known = tuple(options)
    return {option.name: option for option in known} | {option.short: option for option in known if option.short}


def option_of(names: Mapping[str, Option], word: str) -> Option | None:
    """The option that a word spells: `--ttl`, `--ttl=5`, `-C`, `-Cdir`."""
    if word.startswith("--"):
        return names.get(word.partition("=")[0])
    option = names.get(word[:2])
    return None if option is None or (option.kind == "flag" and len(word) > 2) else option


def spelling(command: Command) -> str:
    """`jit claim acquire`: how a command is called."""
    return " ".join(("jit", *command.path))


def own_command(group: Group) -> Command | None:
    """The command that the noun runs without a verb, if it has one."""
    return next((command for command in group.commands if len(command.path) == 1), None)


def verbs(group: Group) -> dict[str, Command]:
    """The noun's verbs in the order of the table, hidden ones included."""
    return {command.path[1]: command for command in group.commands if len(command.path) > 1}


GLOBAL_NAMES = by_spelling(GLOBAL_OPTIONS)
