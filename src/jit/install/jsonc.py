"""JSON with comments, edited in place: what is not ours keeps its bytes.

Settings of agent clients are written by people: they have comments, trailing commas, an order and an indentation. So a
text is parsed into nodes that know where they stand, and an edit cuts or inserts a piece of text at such a place. After
every edit the text is parsed again, so positions are never stale.

    text = insert(text, parse(text), 5, key="answer")
"""

from __future__ import annotations

import json
import re

from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Kind = Literal["object", "array", "scalar"]

MAX_DEPTH = 200
_TRIVIA = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD = re.compile(r"[-+.\w]+")
_INDENT = re.compile(r'\n([ \t]+)"')


class NotJson(ValueError):
    """The text cannot be understood; the message says where."""


class Node(Record):
    """A value and its place: `text[start:end]`."""

    kind: Kind
    start: int
    end: int
    value: object
    members: tuple[Member, ...]

    def get(self, key: str) -> Node | None:
        """The value of a key; of a repeated key the last one counts, as everywhere."""
        found = [member.node for member in self.members if self.kind == "object" and member.key == key]
        return found[-1] if found else None


class Member(Record):
    """One element of an array, or one key with its value; `start` is where the key begins."""

    key: str
    start: int
    node: Node

    @property
    def end(self) -> int:
        return self.node.end


def parse(text: str) -> Node:
    """The one value of a whole text; `NotJson` if there is none, or more than one."""
    node = _value(text, _skip(text, 0), 0)
    end = _skip(text, node.end)
    if end != len(text):
        raise _fault(text, end, "something stands after the end")
    return node


def insert(text: str, box: Node, value: object, *, key: str = "") -> str:
    """Add a last element to an array, or a last key to an object, in the style of its neighbours."""
    close = box.end - 1
    if not box.members:
        return _insert_first(text, box, value, key)
    last = box.members[-1]
    comma = _comma(text, last.end)
    tail = last.end if comma is None else comma + 1
    at = tail + len(text[tail:close].rstrip())
    lines = "\n" in text[box.start : box.members[0].start] or "\n" in text[tail:close]
    indent = _indent_at(text, box.members[0].start) if lines else ""
    piece = (newline_of(text) + indent if lines else " ") + _render(text, value, key, indent=indent, lines=lines)
    if comma is not None:
        return text[:at] + piece + "," + text[at:]
    return text[: last.end] + "," + text[last.end : at] + piece + text[at:]


def remove(text: str, box: Node, index: int) -> str:
    """Take one element or key out, with the comma that it needed; comments stay."""
    member = box.members[index]
    before = text[: member.start].rstrip()
    comma = _comma(text, member.end)
    after = text[member.end if comma is None else comma + 1 :]
    if len(box.members) == 1:
        rest = len(text) - box.end + 1
        inner = before[box.start + 1 :] + after[: len(after) - rest]
        return text[: box.start + 1] + (inner if inner.strip() else "") + text[box.end - 1 :]
    if comma is None:
        separator = _skip(text, box.members[index - 1].end)
        before = before[:separator] + before[separator + 1 :]
    return before + after


def replace(text: str, node: Node, value: object) -> str:
    """Put another value in place of one."""
    lines = "\n" in text[node.start : node.end] or node.kind == "scalar"
    return text[: node.start] + _dump(text, value, indent=_indent_at(text, node.start), lines=lines) + text[node.end :]


def newline_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _insert_first(text: str, box: Node, value: object, key: str) -> str:
    head = text[: box.end - 1].rstrip()
    alone = text[: box.start].strip(" \t\r\n\ufeff") == ""
    if not alone and "\n" not in text.strip():
        return head + _render(text, value, key, indent="", lines=False) + text[box.end - 1 :]
    outer = _indent_at(text, box.start)
    indent = outer + _unit(text)
    newline = newline_of(text)
    piece = newline + indent + _render(text, value, key, indent=indent, lines=True) + newline + outer
    return head + piece + text[box.end - 1 :]


def _render(text: str, value: object, key: str, *, indent: str, lines: bool) -> str:
    shown = _dump(text, value, indent=indent, lines=lines)
    return f"{json.dumps(key, ensure_ascii=False)}: {shown}" if key else shown


def _dump(text: str, value: object, *, indent: str, lines: bool) -> str:
    if not lines:
        return json.dumps(value, ensure_ascii=False)
    shown = json.dumps(value, indent=_unit(text), ensure_ascii=False)
    return shown.replace("\n", newline_of(text) + indent)


def _unit(text: str) -> str:
    """One step of indentation, as the first indented key shows it."""
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _indent_at(text: str, at: int) -> str:
    """The white space at the beginning of the line."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _comma(text: str, at: int) -> int | None:
    place = _skip(text, at)
    return place if text[place : place + 1] == "," else None


def _skip(text: str, at: int) -> int:
    """Past white space and comments."""
    found = _TRIVIA.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise _fault(text, at, f"more than {MAX_DEPTH} levels")
    if text[at : at + 1] == "{":
        return _box(text, at, depth, "object")
    if text[at : at + 1] == "[":
        return _box(text, at, depth, "array")
    found = _STRING.match(text, at) or _WORD.match(text, at)
    if not found:
        raise _fault(text, at, "a value is missing")
    return Node("scalar", at, found.end(), _load(text, at, found[0]), ())


def _box(text: str, start: int, depth: int, kind: Kind) -> Node:
    close = "}" if kind == "object" else "]"
    members: list[Member] = []
    separated = True
    at = _skip(text, start + 1)
    while text[at : at + 1] != close:
        if not separated:
            raise _fault(text, at, f"a comma or {close} is missing")
        members.append(_member(text, at, depth, kind))
        at = _skip(text, members[-1].end)
        separated = text[at : at + 1] == ","
        at = _skip(text, at + 1) if separated else at
    if kind == "object":
        return Node(kind, start, at + 1, {member.key: member.node.value for member in members}, tuple(members))
    return Node(kind, start, at + 1, [member.node.value for member in members], tuple(members))


def _member(text: str, at: int, depth: int, kind: Kind) -> Member:
    if kind == "array":
        return Member("", at, _value(text, at, depth + 1))
    found = _STRING.match(text, at)
    colon = _skip(text, found.end()) if found else at
    if not found or text[colon : colon + 1] != ":":
        raise _fault(text, at, "a key with a colon is missing")
    return Member(str(_load(text, at, found[0])), at, _value(text, _skip(text, colon + 1), depth + 1))


def _load(text: str, at: int, word: str) -> object:
    try:
        return json.loads(word)
    except ValueError:
        raise _fault(text, at, f"{word[:20]} is no value") from None


def _fault(text: str, at: int, what: str) -> NotJson:
    line = text.count("\n", 0, at) + 1
    return NotJson(f"line {line}, column {at - text.rfind(chr(10), 0, at)}: {what}")
