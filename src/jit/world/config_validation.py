"""A full look at all settings: every file and every variable, also where a stronger place hides a wrong value."""

from __future__ import annotations

from jit.errors import ConfigError
from jit.kernel.ids import agent_id_fault
from jit.kernel.record import Record
from jit.world.config import strangers
from jit.world.config_keys import KEYS, RETIRED, Key, fault, from_text
from jit.world.config_layers import ConfigPaths, Layer, parse_file, places
from jit.world.path_rules import fault as rule_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Literal


class Problem(Record):
    """Something to put right; `line` is 0 where no line can be named, `file` is the variable for the environment."""

    file: str
    line: int
    key: str
    what: str
    hint: str
    severity: Literal["error", "warning"] = "error"


def validate(paths: ConfigPaths, environ: Mapping[str, str]) -> list[Problem]:
    """All problems, in the order in which settings are looked up; nothing if all is well."""
    found = list(_environment_problems(environ))
    for level, home, path in places(paths):
        try:
            layer = Layer(level, home, path, parse_file(path))
        except ConfigError as broken:
            if not isinstance(broken.__cause__, FileNotFoundError | NotADirectoryError):
                found.append(Problem(path, _line_in_words(broken.message), "", broken.message, broken.hint))
            continue
        found += _layer_problems(layer)
    return found


def value_fault(key: Key, value: object) -> str:
    """Why a value cannot be used, its meaning included."""
    return fault(key, value) or (agent_id_fault(str(value)) if key.name == "agent.id" else "")


def _environment_problems(environ: Mapping[str, str]) -> Iterator[Problem]:
    for key in KEYS.values():
        text = environ.get(key.environment, "")
        why = value_fault(key, from_text(key, text)) if text else ""
        if why:
            yield Problem(key.environment, 0, key.name, why, f"unset {key.environment}")


def _layer_problems(layer: Layer) -> Iterator[Problem]:
    lines = key_lines(layer.path)
    for name, words in strangers(layer):
        yield Problem(layer.path, lines.get(name, 0), name, words, f"remove it from {layer.path}", "warning")
    rows = layer.values.get("path", [])
    for row in rows if isinstance(rows, list) else [rows]:
        why = rule_fault(row)
        if why:
            yield Problem(layer.path, lines.get("path", 0), "path", f"a [[path]] rule: {why}", f"edit {layer.path}")
    for name, value in layer.values.items():
        why = _why_wrong(layer, name, value)
        if why:
            yield Problem(layer.path, lines.get(name, 0), name, why, _repair(layer, name))


def _why_wrong(layer: Layer, name: str, value: object) -> str:
    if name in RETIRED:
        return "" if value is True else f"it cannot be turned off: {RETIRED[name]}"
    key = KEYS.get(name)
    return value_fault(key, value) if key is not None and key.home == layer.home else ""


def _repair(layer: Layer, name: str) -> str:
    if layer.level == "system":
        return f"edit {layer.path}"
    return f"jit config reset {'' if layer.level == 'repository' else '--global '}{name}"


def key_lines(path: str) -> dict[str, int]:
    """The line of each `section.key`, as far as a plain reading of the lines can tell."""
    lines: dict[str, int] = {}
    section = ""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            text = line.strip()
            if text.startswith("["):
                section = text.strip("[]").replace('"', "").replace(" ", "") + "."
            elif "=" in text and not text.startswith("#"):
                name = text.partition("=")[0].replace('"', "").replace(" ", "")
                lines.setdefault(section + name, number)
    return lines


def _line_in_words(message: str) -> int:
    """The line that the parser named, `... (at line 3, column 7)`."""
    digits = message.partition("(at line ")[2].partition(",")[0]
    return int(digits) if digits.isdigit() else 0
