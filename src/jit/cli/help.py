"""Help, written from the same records that the parser reads.

Three pages: the program (from the index alone, no table is loaded), a noun, a command.
"""

from __future__ import annotations

from jit.cli.spec import GLOBAL_OPTIONS, own_command, spelling
from jit.cli.style import columns_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jit.cli.parse import Found
    from jit.cli.spec import Argument, Command, Group, Index, Option
    from jit.cli.style import Style

    Pairs = Sequence[tuple[str, str]]

ABOUT = "jit leases issues and files to agents, so that many of them can work on one git repository."
START = (
    ("jit init", "set up this repository; safe to repeat"),
    ("jit claim next", "take the next free issue"),
    ("jit status", "who holds what, and until when"),
)
READ_MORE = (
    ("jit NOUN --help", "the verbs of a noun"),
    ("jit NOUN VERB --help", "its options, with examples"),
    ("jit demo", "agents that race for work, in a scratch repository"),
)
INDENT = "  "
LEFT_LIMIT = 34


def page(found: Found, index: Index, *, width: int, style: Style) -> str:
    """The help for whatever was named."""
    if found.command is not None:
        return command_page(found.command, width=width, style=style)
    if found.group is not None:
        return group_page(found.group, width=width, style=style)
    return program_page(index, width=width, style=style)


def program_page(index: Index, *, width: int, style: Style) -> str:
    sections: dict[str, list[tuple[str, str]]] = {}
    for noun, (summary, _, section) in index.items():
        if section:
            sections.setdefault(section, []).append((noun, summary))
    parts = [
        _usage("jit NOUN [VERB] [OPTIONS]", style),
        _prose(ABOUT, width),
        _listing("Start here", START, width, style),
        *[_listing(section, nouns, width, style) for section, nouns in sections.items()],
        _options("Options for every command", GLOBAL_OPTIONS, width, style),
        _listing("Read more", READ_MORE, width, style),
    ]
    return "\n".join(parts)


def group_page(group: Group, *, width: int, style: Style) -> str:
    own = own_command(group)
    shown = [command for command in group.commands if not command.hidden]
    parts = [
        _usage(f"jit {group.name} {'[VERB]' if own else 'VERB'} [OPTIONS]", style),
        _prose(group.summary, width),
        _listing("Commands", [(_call(command), command.summary) for command in shown], width, style),
        *(_details(own, width, style) if own else ()),
        _options("Options for every command", GLOBAL_OPTIONS, width, style),
    ]
    return "\n".join(parts)


def command_page(command: Command, *, width: int, style: Style) -> str:
    usage = " ".join([_call(command), *_needed(command), "[OPTIONS]", *(["-- COMMAND…"] if command.trailing else [])])
    parts = [
        _usage(usage, style),
        _prose(command.summary, width),
        *([_prose(command.description, width)] if command.description else ()),
        *_details(command, width, style),
        _options("Options for every command", GLOBAL_OPTIONS, width, style),
    ]
    return "\n".join(parts)


def wrap(text: str, width: int) -> list[str]:
    """Break text into lines at spaces; a longer word stands alone."""
    lines: list[str] = []
    for word in text.split():
        if lines and columns_of(lines[-1]) + 1 + columns_of(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


def _details(command: Command, width: int, style: Style) -> list[str]:
    arguments = [(argument.name.upper(), _meaning(argument)) for argument in command.arguments]
    parts = [
        _listing("Arguments", arguments, width, style),
        _options("Options", command.options, width, style),
        _examples(command.examples, width, style),
    ]
    return [part for part in parts if part]


def _options(title: str, options: Iterable[Option], width: int, style: Style) -> str:
    return _listing(title, [(_option(option), _meaning(option)) for option in options], width, style)


def _examples(examples: Pairs, width: int, style: Style) -> str:
    if not examples:
        return ""
    lines = [style.paint("bold", "Examples:")]
    for call, meaning in examples:
        lines.append(INDENT + call)
        lines += [INDENT * 3 + style.paint("dim", line) for line in wrap(meaning, width - 6)]
    return "\n".join(lines) + "\n"


def _listing(title: str, pairs: Pairs, width: int, style: Style) -> str:
    """A heading and two columns: what to type, and what it does."""
    if not pairs:
        return ""
    left = min(LEFT_LIMIT, max(columns_of(name) for name, _ in pairs))
    lines = [style.paint("bold", f"{title}:")]
    for name, meaning in pairs:
        text = wrap(meaning, width - left - 4) or [""]
        gap = " " * (left - columns_of(name))
        if columns_of(name) > left:
            lines.append(INDENT + name)
        else:
            lines.append(f"{INDENT}{name}{gap}{INDENT}{text.pop(0)}".rstrip())
        lines += [" " * (left + 4) + line for line in text]
    return "\n".join(lines) + "\n"


def _usage(text: str, style: Style) -> str:
    return f"{style.paint('bold', 'Usage:')} {text}\n"


def _prose(text: str, width: int) -> str:
    paragraphs = ["\n".join(wrap(paragraph, width)) for paragraph in text.split("\n\n")]
    return "\n\n".join(paragraphs) + "\n"


def _call(command: Command) -> str:
    return " ".join([spelling(command), *[_placeholder(argument) for argument in command.arguments]])


def _placeholder(argument: Argument) -> str:
    name = argument.name.upper() + ("…" if argument.many else "")
    return name if argument.required else f"[{name}]"


def _needed(command: Command) -> list[str]:
    return [f"{option.name} {_metavar(option)}" for option in command.options if option.required]


def _option(option: Option) -> str:
    names = f"{option.short}, {option.name}" if option.short else option.name
    return names if option.kind == "flag" else f"{names} {_metavar(option)}"


def _metavar(option: Option) -> str:
    return option.metavar or option.name.lstrip("-").upper()


def _meaning(thing: Option | Argument) -> str:
    """The help text, and the facts that it need not repeat."""
    facts = [", ".join(thing.choices)] if thing.choices else []
    default = getattr(thing, "default", None)
    if default is not None:
        facts.append(f"default {default}")
    if getattr(thing, "kind", "") == "list":
        facts.append("may be repeated")
    return f"{thing.help} ({'; '.join(facts)})".strip() if facts else thing.help
