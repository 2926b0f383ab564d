"""One file with the compiled modules of a hook, because finding them one by one takes longer than deciding.

A hook that finds no bundle, or an old one, does its work and then writes a new one beside Python's own compiled files.
Every source is compared by time and size before its code is used, as Python does; a bundle that cannot be written or
read costs nothing but speed. What a hook never looks at is left out: annotations, and docstrings.
"""

from __future__ import annotations
import __future__

import ast
import importlib.util
import marshal
import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES

from jit.hooks.clients import NAMES
from jit.hooks.loader import is_fresh
from jit.store.durable import replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType
    from typing import TypeVar

    from jit.hooks.loader import Member, Tier

    Node = TypeVar("Node", ast.Module, ast.ClassDef, ast.FunctionDef)

FOLDER = os.path.dirname(os.path.abspath(__file__))
HOME = FOLDER.removesuffix("/jit/hooks")
FIRST_PART = 32_768
IN_C = ("_blake2", "_json", "binascii", "fcntl")
SUFFIX = EXTENSION_SUFFIXES[0]  # the one with this interpreter's version
LOADER = "jit.hooks.loader"
MAKERS = (LOADER, "jit.hooks.bundle")  # whoever changes one of these changes every bundle
# What is loaded together with a root, besides what its modules import at once: what is sure to follow, and the imports
# that are put off until a write is really to be decided.
FIRST = "jit"
DECIDING = "jit.hooks.gate"
TIERS: dict[str, tuple[str, ...]] = {
    FIRST: ("jit.hooks.main",),
    **{f"jit.hooks.clients.{name}": () for name in NAMES},
    "jit.hooks.clients.mcp": (),
    "jit.hooks.shell.readers": (),
    DECIDING: (
        "jit.store.jsonl",
        "jit.store.file_commands",
        "jit.systems.files.concern",
        "jit.systems.files.decide",
    ),
    # None of these is loaded before those that decide.
    "jit.hooks.commands": ("jit.hooks.slips", "jit.hooks.shell.walk"),
    "jit.hooks.refusal": ("jit.systems.files.contention",),
    "jit.hooks.unread": (),
    "jit.hooks.turns": ("jit.systems.files.endings",),
}


def location(folder: str) -> str:
    """Where the bundle of this interpreter is, below the folder of the hooks."""
    return f"{folder}/__pycache__/bundle.{sys.implementation.cache_tag}-{sys.hexversion:x}"


def ensure() -> bool:
    """See to it that there is a bundle of the sources as they are. False if it cannot be kept here."""
    return _is_whole(location(FOLDER)) or refresh()


def refresh() -> bool:
    """Write a bundle of the sources as they are. False if it cannot be kept here."""
    path = location(FOLDER)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.access(os.path.dirname(path), os.W_OK):
            return False
        replace_file(path, build(HOME), mode=0o644, durable=False)
    except (OSError, SyntaxError):  # a source that somebody is editing right now
        return False
    return True


def remove() -> None:
    """Leave nothing behind that no installer knows of. A hook that is still in use makes it anew."""
    try:
        os.unlink(location(FOLDER))
    except OSError:
        return


def _is_whole(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            _, tiers, _ = marshal.loads(file.read(FIRST_PART))  # noqa: S302  written by us
            size = os.fstat(file.fileno()).st_size
    except (OSError, EOFError, ValueError, TypeError):
        return False
    return all(is_fresh(HOME, stamps) and offset + length <= size for stamps, offset, length in tiers.values())


def build(home: str) -> bytes:
    """The loader and where every tier is, by its root, in the first part; then the tiers."""
    sources = _Sources(home)
    always: list[str] = []
    tiers: dict[str, Tier] = {}
    parts: list[bytes] = []
    end = FIRST_PART
    for root, more in TIERS.items():
        names: dict[str, None] = {}
        for name in (root, *more):
            names.update(dict.fromkeys(sources.order(name)))
        own = [name for name in names if name not in always]
        if root in (FIRST, DECIDING):
            always += own
        members: list[Member] = [(name, sources.file(name), sources.code(name)) for name in own]
        parts.append(marshal.dumps(members))
        files = [file for _, file, _ in members] + ([sources.file(name) for name in MAKERS] if root == FIRST else [])
        tiers[root] = [(file, *_stamp(home, file)) for file in files], end, len(parts[-1])
        end += len(parts[-1])
    first = marshal.dumps((sources.code(LOADER), tiers, _extensions()))
    if len(first) > FIRST_PART:
        raise AssertionError("the entry reads no more than the first part")
    return b"".join([first.ljust(FIRST_PART, b"\0"), *parts])


def _extensions() -> dict[str, str]:
    """Where the modules in C are that a hook loads, as far as they are files of their own."""
    found: dict[str, str] = {}
    for name in IN_C:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin and spec.origin.endswith(SUFFIX):
            found[name] = spec.origin
    return found


def _stamp(home: str, file: str) -> tuple[int, int]:
    found = os.stat(f"{home}/{file}")
    return found.st_mtime_ns, found.st_size


class _Sources:
    """jit's modules below a folder, parsed when they are first asked for."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._trees: dict[str, ast.Module] = {}

    def file(self, name: str) -> str:
        """A module's source, below home."""
        stem = name.replace(".", "/")
        return f"{stem}/__init__.py" if os.path.isdir(f"{self._home}/{stem}") else f"{stem}.py"

    def code(self, name: str) -> CodeType:
        """A module compiled without what nobody reads; errors still name their lines."""
        flag = __future__.annotations.compiler_flag
        code: CodeType = compile(self._tree(name), f"{self._home}/{self.file(name)}", "exec", flag, dont_inherit=True)
        return code

    def order(self, name: str, met: set[str] | None = None) -> list[str]:
        """A module and all that it imports at once, each after what it needs."""
        met = set() if met is None else met
        if name in met:
            return []
        met.add(name)
        parent = name.rpartition(".")[0]
        found = self.order(parent, met) if parent else []
        for needed in self._imports(name):
            found += self.order(needed, met)
        return [*found, name]

    def _tree(self, name: str) -> ast.Module:
        if name not in self._trees:
            with open(f"{self._home}/{self.file(name)}", "rb") as file:
                tree = ast.parse(file.read())
            self._trees[name] = ast.fix_missing_locations(_Strip().visit(tree))
        return self._trees[name]

    def _imports(self, name: str) -> Iterator[str]:
        for node in _at_once(self._tree(name)):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name.startswith("jit."))
            elif isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "jit":
                yield node.module
                inner = (f"{node.module}.{alias.name}" for alias in node.names)
                yield from (each for each in inner if os.path.exists(f"{self._home}/{self.file(each)}"))


def _at_once(node: ast.AST) -> Iterator[ast.AST]:
    """What is executed when a module is: everything outside functions."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield child
            yield from _at_once(child)


class _Strip(ast.NodeTransformer):
    """Takes away what has no effect at run time."""

    def visit_Module(self, node: ast.Module) -> ast.Module:
        return self._without_docstring(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        return self._without_docstring(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        return self._without_docstring(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom | None:
        return None if node.module == "__future__" else node

    def visit_If(self, node: ast.If) -> ast.If | list[ast.stmt]:
        self.generic_visit(node)
        return node.orelse if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING" else node

    def _without_docstring(self, node: Node) -> Node:
        self.generic_visit(node)
        if ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
        if not node.body and not isinstance(node, ast.Module):
            node.body = [ast.Pass()]
        return node
