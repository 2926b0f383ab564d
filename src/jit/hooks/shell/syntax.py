"""Shell text as a syntax tree.

The parser is `shfmt`, a program beside our own: it reads the text and prints its tree as JSON. A tree is made of nodes,
which are dictionaries; `Type` names their kind where a field may hold several. Positions are offsets in the bytes.
"""

from __future__ import annotations

import posix
import sys

from jit.kernel.jsontext import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Node = dict[str, object]

LIMIT_BYTES = 256 * 1024  # twice what Linux lets anyone give to `sh -c`
LIMIT_NESTING = 500
PROGRAM = "shfmt"
MISSING = f"the shell parser {PROGRAM} is not installed"


class Unparsable(Exception):
    """No tree can be had; the text says why."""


def parse(data: bytes, program: str = "") -> Node:
    """The tree of a whole script."""
    for fault, reason in ((b"\0" in data, "a NUL character"), (b"\r" in data, "a carriage return")):
        if fault:
            raise Unparsable(f"it contains {reason}")
    if len(data) > LIMIT_BYTES:
        raise Unparsable(f"it is longer than {LIMIT_BYTES} bytes")
    if _nesting(data) > LIMIT_NESTING:
        raise Unparsable(f"it is nested deeper than {LIMIT_NESTING}")
    failed, output = _converse(program or locate(), data)
    if failed:
        raise Unparsable(_complaint(output))
    if _is_old(output):
        raise Unparsable(f"{PROGRAM} is older than 3.14")
    tree = loads(output.decode())
    if not isinstance(tree, dict):
        raise Unparsable("the parser gave no tree")
    return tree


def _nesting(data: bytes) -> int:
    """How deep parentheses may be nested at most, quotes or not: the parser needs memory for each level."""
    if data.count(b"(") <= LIMIT_NESTING:
        return 0
    depth = deepest = 0
    for byte in data:
        depth += (byte == 0x28) - (byte == 0x29)
        deepest = max(deepest, depth)
    return deepest


def _is_old(output: bytes) -> bool:
    """Before 3.14 an operator was a number, which changed from version to version."""
    name = b'"Op": '
    at = output.find(name)
    return at >= 0 and output[at + len(name) :][:1] != b'"'


def locate() -> str:
    """The parser of our own environment, else the first on PATH."""
    own = (sys.executable.rpartition("/")[0], sys.prefix + "/bin")
    path = posix.environ.get(b"PATH", b"").decode(errors="surrogateescape").split(":")
    for folder in (*own, *path):
        candidate = f"{folder}/{PROGRAM}"
        if folder.startswith("/") and posix.access(candidate, posix.X_OK):
            return candidate
    raise Unparsable(MISSING)


def _converse(program: str, data: bytes) -> tuple[bool, bytes]:
    """Give everything, then hear everything: the parser reads to the end before it says its first word."""
    take, give = posix.pipe()
    hear, say = posix.pipe()
    actions = [(posix.POSIX_SPAWN_DUP2, take, 0), (posix.POSIX_SPAWN_DUP2, say, 1), (posix.POSIX_SPAWN_DUP2, say, 2)]
    try:
        pid = posix.posix_spawn(program, [PROGRAM, "--to-json", "-ln=bash"], {}, file_actions=actions)
    except OSError as fault:
        posix.close(give)
        posix.close(hear)
        raise Unparsable(f"the shell parser {program} cannot be started: {fault.strerror}") from fault
    finally:
        posix.close(take)
        posix.close(say)
    try:
        _write_all(give, data)
        output = b"".join(iter(lambda: posix.read(hear, 1 << 16), b""))
    finally:
        posix.close(hear)
    return posix.waitpid(pid, 0)[1] != 0, output


def _write_all(descriptor: int, data: bytes) -> None:
    try:
        while data:
            data = data[posix.write(descriptor, data) :]
    except BrokenPipeError:
        pass  # the parser has ended already, and its exit status tells
    finally:
        posix.close(descriptor)


def _complaint(output: bytes) -> str:
    """`<standard input>:1:6: reached EOF …` without the place."""
    words = output.decode(errors="replace").strip().partition("\n")[0]
    return words.split(": ", 1)[-1] or "the parser failed"


def child(node: Node, name: str) -> Node | None:
    found = node.get(name)
    return found if isinstance(found, dict) else None


def children(node: Node, name: str) -> list[Node]:
    found = node.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def text(node: Node, name: str) -> str:
    found = node.get(name)
    return found if isinstance(found, str) else ""


def named(node: Node, name: str) -> str:
    """The value of a literal child: a variable's or a function's name."""
    found = child(node, name)
    return text(found, "Value") if found else ""


def offset(node: Node, name: str) -> int:
    found = node.get(name)
    place = found.get("Offset", 0) if isinstance(found, dict) else 0
    return place if isinstance(place, int) else 0


def inside(node: Node, *types: str) -> Iterator[Node]:
    """Every node of these types at or below a node; what lies inside of such a node is not looked at."""
    if text(node, "Type") in types:
        yield node
        return
    for value in node.values():
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, dict):
                yield from inside(one, *types)
