"""Our entries among other people's, in a client's hooks file.

All clients that are set up by JSON keep an object `hooks` that maps the name of an event to a list. In the nested shape
an element of the list is a group with a matcher and several handlers; in the flat one it is a handler itself. An entry
is ours when its command runs jit's hook for this client. Whatever else stands there belongs to somebody and stays.
"""

from __future__ import annotations

from jit.errors import ConfigError
from jit.install import jsonc
from jit.install.command import is_hook_command
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jit.install.jsonc import Node

    Entry = dict[str, object]
    Entries = Mapping[str, tuple[Entry, ...]]


class HooksFile(Record):
    """What must stand in one hooks file: the entries of each event, and what else the client demands beside `hooks`."""

    path: str
    client: str
    entries: Entries
    beside: Mapping[str, object]

    kind = "hooks"

    def put(self, before: bytes | None) -> bytes:
        """The file with exactly our entries of today in it."""
        text = self._text(before) or "{}\n"
        for key, value in self.beside.items():
            text = _ensure_key(text, key, value)
        for event in _events(text, self.path):
            if event not in self.entries:
                text = self._drop(text, event)
        for event, entries in self.entries.items():
            text = self._ensure(text, event, entries)
        return text.encode()

    def strip(self, before: bytes, original: bytes | None) -> bytes | None:
        """The file without our entries; what we made for them goes too, and None if nothing of others is left."""
        text = self._text(before)
        if not text:
            return before
        known = _value_of(self._text(original)) if original is not None else {}
        for event in _events(text, self.path):
            text = self._drop(text, event)
            text = _drop_empty(text, event, known)
        added = {"hooks": {}} if original is None else {"hooks": {}, **self.beside}
        for key, value in added.items():
            text = _drop_key(text, key, value) if key not in known else text
        alone = original is None and jsonc.parse(text).value in ({}, dict(self.beside)) and _is_bare(text)
        return None if alone else text.encode()

    def _text(self, data: bytes | None) -> str:
        return "" if data is None else _decode(data, self.path)

    def _ensure(self, text: str, event: str, entries: tuple[Entry, ...]) -> str:
        """Entries that are there are renewed in their places, one after the other; new ones come last."""
        places = self._ours(text, event)[: len(entries)]
        text = self._drop(text, event, keep=places)
        for at, entry in zip(places, entries, strict=False):
            text = _renew(text, _list_of(text, self.path, event), at, entry)
        for entry in entries[len(places) :]:
            text = _append(text, self.path, event, entry)
        return text

    def _ours(self, text: str, event: str) -> list[int]:
        """The places of entries that are wholly ours."""
        node = _list_of(text, self.path, event)
        members = node.members if node is not None else ()
        return [at for at, member in enumerate(members) if set(_owners(member.node.value, self.client)) == {True}]

    def _drop(self, text: str, event: str, *, keep: Sequence[int] = ()) -> str:
        """Take our entries out of a list, and our handlers out of groups that others have joined."""
        while True:
            node = _list_of(text, self.path, event)
            place = node and _find_ours(node, self.client, keep)
            if not place:
                return text
            box, at = place
            text = jsonc.remove(text, box, at)


def _renew(text: str, node: Node | None, at: int, entry: Entry) -> str:
    found = node.members[at].node if node is not None else None
    return text if found is None or found.value == entry else jsonc.replace(text, found, entry)


def _find_ours(node: Node, client: str, keep: Sequence[int]) -> tuple[Node, int] | None:
    """The container and place of the last thing that is ours, so that the places before it stay true."""
    for at in range(len(node.members) - 1, -1, -1):
        owners = _owners(node.members[at].node.value, client)
        group = node.members[at].node.get("hooks")
        if True in owners and False in owners and group is not None:
            return group, owners.index(True)
        if True in owners and at not in keep:
            return node, at
    return None


def _owners(entry: object, client: str) -> list[bool]:
    """For each handler of an entry: is it ours?"""
    if not isinstance(entry, dict):
        return [False]
    handlers = entry.get("hooks")
    if not isinstance(handlers, list):
        return [_is_ours(entry, client)]
    return [_is_ours(handler, client) for handler in handlers] or [False]


def _is_ours(handler: object, client: str) -> bool:
    words = [handler.get(name) for name in ("command", "bash")] if isinstance(handler, dict) else []
    return any(isinstance(word, str) and is_hook_command(word, client) for word in words)


def _events(text: str, path: str) -> list[str]:
    hooks = _object(text, path).get("hooks")
    if hooks is not None and hooks.kind != "object":
        raise _odd(path, "`hooks` is not an object")
    return [member.key for member in hooks.members] if hooks is not None else []


def _list_of(text: str, path: str, event: str) -> Node | None:
    hooks = _object(text, path).get("hooks")
    node = hooks.get(event) if hooks is not None else None
    if node is not None and node.kind != "array":
        raise _odd(path, f"`hooks.{event}` is not a list")
    return node


def _object(text: str, path: str) -> Node:
    root = jsonc.parse(text)
    if root.kind != "object":
        raise _odd(path, "it does not hold an object")
    return root


def _append(text: str, path: str, event: str, entry: Entry) -> str:
    root = _object(text, path)
    hooks = root.get("hooks")
    if hooks is None:
        return jsonc.insert(text, root, {event: [entry]}, key="hooks")
    node = _list_of(text, path, event)
    return jsonc.insert(text, hooks, [entry], key=event) if node is None else jsonc.insert(text, node, entry)


def _ensure_key(text: str, key: str, value: object) -> str:
    root = jsonc.parse(text)
    return text if root.kind != "object" or root.get(key) is not None else jsonc.insert(text, root, value, key=key)


def _drop_empty(text: str, event: str, known: Mapping[str, object]) -> str:
    hooks = jsonc.parse(text).get("hooks")
    there = known.get("hooks")
    before = isinstance(there, dict) and event in there
    node = hooks.get(event) if hooks is not None else None
    if hooks is None or node is None or node.members or before:
        return text
    return _remove_key(text, hooks, event)


def _remove_key(text: str, box: Node, key: str) -> str:
    return jsonc.remove(text, box, max(at for at, member in enumerate(box.members) if member.key == key))


def _drop_key(text: str, key: str, value: object) -> str:
    """Without a key that still has the value which we gave it."""
    root = jsonc.parse(text)
    node = root.get(key)
    return text if node is None or node.value != value else _remove_key(text, root, key)


def _value_of(text: str) -> dict[str, object]:
    value = jsonc.parse(text).value if text else {}
    return value if isinstance(value, dict) else {}


def _is_bare(text: str) -> bool:
    return "//" not in text and "/*" not in text


def _decode(data: bytes, path: str) -> str:
    """The text of a file that is sound; an empty one counts as none."""
    try:
        text = data.decode("utf-8")
        if text.strip("\ufeff \t\r\n"):
            jsonc.parse(text)
            return text
    except UnicodeDecodeError as fault:
        raise _odd(path, f"it is not UTF-8 at byte {fault.start}") from fault
    except jsonc.NotJson as fault:
        raise _odd(path, str(fault)) from fault
    return ""


def _odd(path: str, why: str) -> ConfigError:
    return ConfigError(
        f"{path} cannot be understood, so nothing was changed: {why}",
        hint=f"correct {path}, then run the command again",
        details={"file": path},
    )
