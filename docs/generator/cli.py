"""The page of all commands, from the records that the parser reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generator.markdown import block, code, document, table
from jit.cli.commands import GROUPS
from jit.cli.spec import GLOBAL_OPTIONS, load_group, spelling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jit.cli.spec import Argument, Command, Group, Option

INTRODUCTION = """
`jit NOUN [VERB] [OPTIONS]`. `jit --help`, `jit NOUN --help` and `jit NOUN VERB --help` say the same in the terminal.

Data goes to standard output, words go to standard error. Every command has `--json`; [json.md](json.md) describes the
documents. [exit-codes.md](exit-codes.md) lists the exit codes; they are the same with and without `--json`.

An id can be shortened to its beginning (at least four characters of an issue's id), in upper or lower case. If more
than one thing begins so, the command lists them and does nothing.
"""


def page() -> str:
    shown = [(noun, section) for noun, (_, _, section) in GROUPS.items() if section]
    sections = dict.fromkeys(section for _, section in shown)
    groups = {noun: load_group(GROUPS, noun) for noun, _ in shown}
    parts = [part for name in sections for part in _section(name, [groups[noun] for noun, at in shown if at == name])]
    return document("Commands", INTRODUCTION, "## Options for every command", _options(GLOBAL_OPTIONS), *parts)


def _section(name: str, groups: Sequence[Group]) -> list[str]:
    commands = [command for group in groups for command in group.commands if not command.hidden]
    overview = table(("command", "what it does"), [(_link(command), command.summary) for command in commands])
    return [f"## {name}", overview, *["\n\n".join(_command(command)) for command in commands]]


def _link(command: Command) -> str:
    return f"[`{spelling(command)}`](#{spelling(command).replace(' ', '-')})"


def _command(command: Command) -> list[str]:
    parts = [f"### {spelling(command)}", f"{command.summary[0].upper()}{command.summary[1:]}."]
    parts += [command.description] if command.description else []
    parts.append(block(_usage(command)))
    if command.arguments:
        rows = [(code(argument.name.upper()), _meaning(argument)) for argument in command.arguments]
        parts.append(table(("argument", "meaning"), rows))
    if command.options:
        parts.append(_options(command.options))
    if command.examples:
        parts.append(block("\n".join(_example(call, meaning) for call, meaning in command.examples), "sh"))
    return parts


def _usage(command: Command) -> str:
    words = [spelling(command), *[_placeholder(argument) for argument in command.arguments]]
    words += [_spelt(option) if option.required else f"[{_spelt(option)}]" for option in command.options]
    return " ".join([*words, *(["-- COMMAND…"] if command.trailing else [])])


def _options(options: Sequence[Option]) -> str:
    return table(("option", "meaning"), [(_names(option), _meaning(option)) for option in options])


def _names(option: Option) -> str:
    short = f"{code(option.short)}, " if option.short else ""
    return short + code(_spelt(option))


def _spelt(option: Option) -> str:
    if option.kind == "flag":
        return option.name
    return f"{option.name} {option.metavar or option.name.lstrip('-').upper()}"


def _placeholder(argument: Argument) -> str:
    name = argument.name.upper() + ("…" if argument.many else "")
    return name if argument.required else f"[{name}]"


def _meaning(thing: Option | Argument) -> str:
    facts = [f"one of {', '.join(map(code, thing.choices))}"] if thing.choices else []
    default = getattr(thing, "default", None)
    facts += [f"default `{default}`"] if default is not None else []
    facts += ["required"] if getattr(thing, "metavar", "") and thing.required else []
    return "; ".join([thing.help, *facts])


def _example(call: str, meaning: str) -> str:
    return f"{call}    # {meaning}" if meaning else call
