"""From words to a command and its values.

`find` names the command, `parse` reads the rest:

    found = find(["claim", "acquire", "01ABC", "--ttl=10m"], GROUPS)
    parse(found.command, found.words).integer("--ttl")  # 600

Rules: options stand anywhere and those for every command also before the noun; `--opt value` and `--opt=value` mean the
same; the first `--` ends the options; what looks like one of the command's options is never taken as another's value.
Whatever cannot be understood is a `UsageError` that names the nearest word that would have been.
"""

from __future__ import annotations

from jit.cli.spec import GLOBAL_NAMES, HELP_WORDS, by_spelling, load_group, option_of, own_command, spelling, verbs
from jit.errors import UsageError
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from jit.cli.spec import Argument, Command, Group, Index, Option

    Value = str | int | bool | tuple[str, ...] | None

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
DIGITS_LIMIT = 15


class Found(Record):
    """What was named: a command; or a noun or the program itself, whose help is wanted."""

    group: Group | None
    command: Command | None
    words: tuple[str, ...]


class Parsed:
    """The values of one command line, asked for by the spelling in its spec; a misspelt name is a `KeyError`."""

    __slots__ = ("_values", "command", "given", "trailing")

    def __init__(
        self, command: Command, values: dict[str, Value], given: frozenset[str], trailing: Sequence[str]
    ) -> None:
        self.command = command
        self.given = given
        self.trailing = tuple(trailing)
        self._values = values

    def text(self, name: str) -> str:
        """The text, or nothing; `name in parsed.given` tells an empty text from none."""
        value = self._values[name]
        if value is None or isinstance(value, str):
            return value or ""
        raise TypeError(f"{name} of {spelling(self.command)} is not text")

    def integer(self, name: str) -> int | None:
        """The number, or the seconds of a duration."""
        value = self._values[name]
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        raise TypeError(f"{name} of {spelling(self.command)} is not a number")

    def flag(self, name: str) -> bool:
        value = self._values[name]
        if isinstance(value, bool):
            return value
        raise TypeError(f"{name} of {spelling(self.command)} is not a flag")

    def many(self, name: str) -> tuple[str, ...]:
        value = self._values[name]
        if isinstance(value, tuple):
            return value
        raise TypeError(f"{name} of {spelling(self.command)} is not a list")


def find(words: Sequence[str], index: Index) -> Found:
    """The command that the words name, and the words that are its own."""
    words = list(words)
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    before, rest = skip_global(words)
    word = rest[0] if rest else ""
    if not word or word in HELP_WORDS:
        return Found(None, None, (*before, *rest))
    if word in index:
        return _find_verb(load_group(index, word), before, rest[1:])
    if word.startswith("-"):
        raise UsageError(f"unknown option {word}{_suggest(word, GLOBAL_NAMES)}", hint="jit --help")
    raise _unknown_noun(word, index)


def _find_verb(group: Group, before: Sequence[str], words: Sequence[str]) -> Found:
    own, named = own_command(group), verbs(group)
    if own and not named:
        return Found(group, own, (*before, *words))
    between, rest = skip_global(words)
    word = rest[0] if rest else ""
    if word in named:
        return Found(group, named[word], (*before, *between, *rest[1:]))
    if word in HELP_WORDS:
        return Found(group, None, (*before, *between, *rest))
    if own and (not word or word.startswith("-") or own.arguments):
        return Found(group, own, (*before, *words))
    raise _unknown_verb(group, word)


def skip_global(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Split off the options for every command that stand before a name; they are read with the command's own."""
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] not in HELP_WORDS:
        option = option_of(GLOBAL_NAMES, words[at])
        if option is None:
            break
        separate = option.kind != "flag" and words[at] in (option.name, option.short)
        at += 2 if separate else 1
    return words[:at], words[at:]


def parse(command: Command, words: Sequence[str]) -> Parsed:
    """Read a command's own words."""
    words = list(words)
    cut = words.index("--") if "--" in words else len(words)
    head, tail = words[:cut], words[cut + 1 :]
    names = by_spelling(command.options) | GLOBAL_NAMES
    values: dict[str, Value] = {option.name: _initial(option) for option in names.values()}
    if any(word in HELP_WORDS for word in head):
        return Parsed(command, values | {"--help": True}, frozenset(["--help"]), ())
    given: set[str] = set()
    loose = _read_options(command, names, head, values, given)
    if not command.trailing:
        loose += tail
    _bind_arguments(command, loose, values, given)
    _check_required(command, given, tail)
    return Parsed(command, values, frozenset(given), tail if command.trailing else ())


def seconds_of(text: str) -> int | None:
    """The seconds that `600`, `90s`, `10m`, `2h` or `1d` stand for, or nothing if it is no duration."""
    unit = SECONDS.get(text[-1:])
    digits = text[:-1] if unit else text
    return int(digits) * (unit or 1) if _is_number(digits) else None


def _read_options(
    command: Command, names: dict[str, Option], head: Sequence[str], values: dict[str, Value], given: set[str]
) -> list[str]:
    """Put the options into `values`; return the words that are none."""
    loose: list[str] = []
    waiting = iter(head)
    for word in waiting:
        if not word.startswith("-") or word == "-":
            loose.append(word)
            continue
        option = option_of(names, word)
        if option is None:
            raise _unknown_option(command, word, names)
        text = _attached(word)
        if option.kind != "flag" and text is None:
            text = next(waiting, None)
            if text is None or text.partition("=")[0] in names:
                raise _fault(command, f"{word} needs a value: {word} {option.metavar or 'VALUE'}")
        values[option.name] = _convert(command, option, text, values[option.name])
        given.add(option.name)
    return loose


def _attached(word: str) -> str | None:
    """The value inside the word itself, if any."""
    if word.startswith("--"):
        _, equals, text = word.partition("=")
        return text if equals else None
    return word[2:] or None


def _convert(command: Command, option: Option, text: str | None, before: Value) -> Value:
    if option.kind == "flag":
        if text is not None:
            raise _fault(command, f"{option.name} takes no value, but got {text!r}")
        return True
    text = text or ""
    if option.kind == "int":
        return _integer(command, option, text)
    if option.kind == "secs":
        return _seconds(command, option, text)
    _check_choice(command, option.name, option.choices, text)
    return (*before, text) if isinstance(before, tuple) else text


def _integer(command: Command, option: Option, text: str) -> int:
    if not _is_number(text.removeprefix("-")):
        raise _fault(command, f"{option.name} needs a whole number, not {text!r}")
    return int(text)


def _seconds(command: Command, option: Option, text: str) -> int:
    seconds = seconds_of(text)
    if seconds is None:
        raise _fault(command, f"{option.name} needs seconds or a duration (600, 90s, 10m, 2h, 1d), not {text!r}")
    return seconds


def _is_number(digits: str) -> bool:
    return digits.isascii() and digits.isdigit() and len(digits) <= DIGITS_LIMIT


def _bind_arguments(command: Command, loose: list[str], values: dict[str, Value], given: set[str]) -> None:
    rest = list(loose)
    for argument in command.arguments:
        taken = rest if argument.many else rest[:1]
        rest = rest[len(taken) :]
        if argument.required and not taken:
            raise _fault(command, f"{spelling(command)} needs {argument.name.upper()}{_explain(argument)}")
        for word in taken:
            _check_choice(command, argument.name.upper(), argument.choices, word)
        values[argument.name] = tuple(taken) if argument.many else (taken[0] if taken else None)
        if taken:
            given.add(argument.name)
    if rest:
        raise _too_many(command, rest)


def _explain(argument: Argument) -> str:
    return f": {argument.help}" if argument.help else ""


def _too_many(command: Command, rest: list[str]) -> UsageError:
    extra = " ".join(rest)
    if command.trailing:
        return _fault(command, f"what {spelling(command)} shall run comes after --: … -- {extra}")
    wanted = " ".join(argument.name.upper() for argument in command.arguments) or "no arguments"
    return _fault(command, f"{spelling(command)} takes {wanted}; too much: {extra}")


def _check_required(command: Command, given: set[str], tail: list[str]) -> None:
    for option in command.options:
        if option.required and option.name not in given:
            raise _fault(command, f"{spelling(command)} needs {option.name} {option.metavar}".rstrip())
    if command.trailing and not tail:
        raise _fault(command, f"{spelling(command)} needs a command to run after --")


def _check_choice(command: Command, name: str, choices: tuple[str, ...], text: str) -> None:
    if choices and text not in choices:
        raise _fault(command, f"{name} must be one of {', '.join(choices)}, not {text!r}{_suggest(text, choices)}")


def _initial(option: Option) -> Value:
    if option.kind == "flag":
        return False
    return () if option.kind == "list" else option.default


def _unknown_option(command: Command, word: str, names: Mapping[str, Option]) -> UsageError:
    name = word.partition("=")[0]
    return _fault(command, f"unknown option {name} for {spelling(command)}{_suggest(name, names)}")


def _unknown_noun(word: str, index: Index) -> UsageError:
    shown = [noun for noun, (_, _, section) in index.items() if section]
    homes = [spelling(verbs(group)[word]) for group in (load_group(index, n) for n in shown) if word in verbs(group)]
    nearest = f"; did you mean {' or '.join(homes)}?" if homes else _suggest(word, shown)
    details = {"noun": word, "known": shown}
    return UsageError(f"jit has no {word!r}{nearest}; it has: {', '.join(shown)}", hint="jit --help", details=details)


def _unknown_verb(group: Group, word: str) -> UsageError:
    shown = [verb for verb, command in verbs(group).items() if not command.hidden]
    hint = f"jit {group.name} --help"
    if not word:
        return UsageError(f"jit {group.name} needs a verb: {', '.join(shown)}", hint=hint)
    what = "unknown option" if word.startswith("-") else "no verb"
    message = f"jit {group.name}: {what} {word}{_suggest(word, shown)}; its verbs: {', '.join(shown)}"
    return UsageError(message, hint=hint, details={"verb": word, "known": shown})


def _suggest(word: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches  # costs as much as the interpreter: only when something is wrong

    near = get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _fault(command: Command, message: str) -> UsageError:
    return UsageError(message, hint=f"{spelling(command)} --help")
