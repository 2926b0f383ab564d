"""The page of the JSON contract, from docs/contracts.toml, which a test compares with what the program prints."""

from __future__ import annotations

import tomllib
from pathlib import Path

from generator.markdown import code, document, table

SOURCE = Path(__file__).parent.parent / "contracts.toml"
INTRODUCTION = """
With `--json` a command prints one document on standard output; `jit log` and `jit claim heartbeat --loop`, which can
go on, print one document per line. Nothing else goes to standard output. Warnings and notes are words and go to
standard error.

This is a contract: within one major version a field keeps its name, its type and its meaning. Fields may be added, so
ignore what you do not know. Field order means nothing.

Types: **text**; **id** is a ULID (26 characters, sorts by time); **time** is RFC 3339 in UTC with milliseconds,
`2026-01-03T12:00:00.000Z`; **number** is a number of seconds, a count or a position; **flag** is `true` or `false`;
**any** is whatever a setting may be; *or null* says that there may be none. `[]` in a field name means: each item of
the list.
"""


def page() -> str:
    source = tomllib.loads(SOURCE.read_text("utf-8"))
    shapes, contracts = source["shape"], source["contract"]
    parts = [_contract(entry) for entry in contracts]
    shared = [_shape(name, shape) for name, shape in shapes.items()]
    return document("JSON", INTRODUCTION, *parts, "## Shared documents", *shared)


def _contract(entry: dict[str, object]) -> str:
    name = str(entry["name"])
    lines = [f"## {name}", str(entry["summary"])]
    same = entry.get("same_as")
    if same:
        lines.append(f"The document is {_link(str(same))}.")
    if entry.get("extends"):
        lines.append(f"All fields of {_link(str(entry['extends']))}, and:")
    fields = entry.get("fields")
    if isinstance(fields, dict):
        lines.append(_fields(fields))
    return "\n\n".join(lines)


def _shape(name: str, shape: dict[str, object]) -> str:
    fields = shape["fields"]
    rows = _fields(fields) if isinstance(fields, dict) else ""
    extends = shape.get("extends")
    more = f"\n\nAll fields of {_link(str(extends))}, and:" if extends else ""
    return f"### The {_words(name)}\n\n{shape['summary']}{more}\n\n{rows}"


def _fields(fields: dict[str, list[str]]) -> str:
    rows = [(code(name), _type(kind), meaning) for name, (kind, meaning) in fields.items()]
    return table(("field", "type", "meaning"), rows)


def _type(kind: str) -> str:
    name, _, rest = kind.removeprefix("shape:").partition(" ")
    return f"{_link(name)} {rest}".strip() if kind.startswith("shape:") else kind


def _link(name: str) -> str:
    return f"[the {_words(name)}](#the-{name})"


def _words(name: str) -> str:
    return name.replace("-", " ")
