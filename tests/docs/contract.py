"""docs/contracts.toml as a checker: does a document have the fields that are promised, and no others?

A contract is read as a tree: an object has fields, a list has an item, a leaf has a type. The tree is then laid beside
the document.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Entry = Mapping[str, object]

SOURCE = tomllib.loads((Path(__file__).parents[2] / "docs/contracts.toml").read_text("utf-8"))
CONTRACTS: dict[str, Entry] = {entry["command"]: entry for entry in SOURCE["contract"]}
ULID = re.compile("[0-7][0-9A-HJKMNP-TV-Z]{25}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
TYPES: dict[str, Callable[[object], bool]] = {
    "text": lambda value: isinstance(value, str),
    "id": lambda value: isinstance(value, str) and ULID.fullmatch(value) is not None,
    "time": lambda value: isinstance(value, str) and TIME.fullmatch(value) is not None,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "flag": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "any": lambda value: not isinstance(value, dict),
}


@dataclass
class Node:
    kind: str = ""
    fields: dict[str, Node] = field(default_factory=dict)
    item: Node | None = None
    open: bool = False

    @property
    def optional(self) -> bool:
        return ", if " in self.kind


def faults(command: str, document: object) -> list[str]:
    """Everything in which a document differs from the contract of its command."""
    return list(differences(tree(CONTRACTS[command]), document, ""))


def tree(entry: Entry, node: Node | None = None) -> Node:
    """What a contract or a shape promises, added to what the node has already."""
    root = node or Node()
    root.open = root.open or bool(entry.get("open"))
    for parent in (entry.get("same_as"), entry.get("extends")):
        if parent:
            tree(SOURCE["shape"][parent], root)
    fields = entry.get("fields", {})
    assert isinstance(fields, dict)
    for path, (kind, _meaning) in fields.items():
        leaf = _at(root, path)
        leaf.kind = kind
        if kind.startswith("shape:"):
            shape, _, rest = kind.removeprefix("shape:").partition(" ")
            leaf.kind = f"object {rest}".strip()
            tree(SOURCE["shape"][shape], leaf)
    return root


def differences(node: Node, value: object, path: str) -> Iterator[str]:
    if value is None and node.kind.endswith(" or null"):
        return
    if node.item is not None:
        yield from _list_differences(node.item, value, path)
    elif node.fields:
        yield from _object_differences(node, value, path)
    elif not TYPES[node.kind.partition(",")[0].removesuffix(" or null")](value):
        yield f"{path} is {value!r}, and not {node.kind}"


def _list_differences(item: Node, value: object, path: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield f"{path} is {value!r}, and not a list"
        return
    for one in value:
        yield from differences(item, one, f"{path}[]")


def _object_differences(node: Node, value: object, path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path or 'the document'} is {value!r}, and not an object"
        return
    for name, inner in value.items():
        if name in node.fields:
            yield from differences(node.fields[name], inner, f"{path}.{name}".lstrip("."))
        elif not node.open:
            yield f"{path}.{name} is not documented".lstrip(".")
    for name, promised in node.fields.items():
        if name not in value and not promised.optional:
            yield f"{path}.{name} is promised and not there".lstrip(".")


def _at(node: Node, path: str) -> Node:
    """The place that a path such as `leases[].branch` names, made if need be."""
    for part in path.split("."):
        name = part.removesuffix("[]")
        node = node.fields.setdefault(name, Node())
        if part.endswith("[]"):
            node.item = node.item or Node()
            node = node.item
    return node
