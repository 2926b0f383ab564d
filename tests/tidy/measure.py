"""Measures of source files that the size budget and the layering rules judge."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Measure:
    """One number: what was measured, where (`path` or `path::function`), and how much."""

    kind: str
    place: str
    value: int


def python_files(*folders: str, root: Path = ROOT) -> list[Path]:
    """Every Python file of these folders (or files) that exist."""
    found = [path for name in folders for path in ((root / name).rglob("*.py"), [root / name])[name.endswith(".py")]]
    return sorted(path for path in found if path.is_file())


def measure(source: str, place: str) -> Iterator[Measure]:
    """The module's lines, and of every function its lines, nesting and positional parameters."""
    yield Measure("module-lines", place, len(source.splitlines()))
    for name, function in _functions(ast.parse(source, place), ""):
        where = f"{place}::{name}"
        yield Measure("function-lines", where, _lines(function))
        yield Measure("nesting", where, _nesting(function.body))
        yield Measure("positional", where, _positional(function))


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for child in ast.iter_child_nodes(node):
        name = f"{prefix}{child.name}" if isinstance(child, (*FUNCTIONS, ast.ClassDef)) else ""
        if isinstance(child, FUNCTIONS):
            yield name, child
        yield from _functions(child, f"{name}." if name else prefix)


def _lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end without the docstring: words are not what makes a function long."""
    total = (function.end_lineno or function.lineno) - function.lineno + 1
    if ast.get_docstring(function, clean=False) is None:
        return total
    words = function.body[0]
    return total - ((words.end_lineno or words.lineno) - words.lineno + 1)


def _nesting(body: list[ast.stmt]) -> int:
    return max((_depth(statement) for statement in body), default=0)


def _depth(statement: ast.stmt) -> int:
    """An `elif` is the same depth as its `if`; a function inside a function is measured on its own."""
    if not isinstance(statement, BLOCKS):
        return 0
    inner = [_nesting(body) for body in _bodies(statement)]
    if isinstance(statement, ast.If):
        chained = len(statement.orelse) == 1 and isinstance(statement.orelse[0], ast.If)
        inner.append(_nesting(statement.orelse) - chained)
    return 1 + max(inner)


def _bodies(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    names = ("body", "finalbody") if isinstance(statement, ast.If) else ("body", "orelse", "finalbody")
    for name in names:
        yield getattr(statement, name, [])
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def _positional(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    return len(names) - (names[:1] in (["self"], ["cls"]))
