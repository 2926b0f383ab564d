"""The words of the project: names that say what a thing is, no notes to ourselves, links that lead somewhere."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.tidy.measure import ROOT, python_files

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.tidy

EMPTY_NAMES = ("Manager", "Coordinator", "Service", "Helper", "Helpers", "Util", "Utils", "Base")
# The one place of each surface where a fault that nobody expected becomes a bug report.
BOUNDARIES = frozenset(
    {"src/jit/cli/main.py", "src/jit/cli/boundary.py", "src/jit/hooks/git.py", "src/jit/hooks/main.py"}
)
FOLDERS = ("src", "tests", "bench", "docs")
FILES = ("Makefile", "pyproject.toml", ".ci/run", ".gitignore", ".gitattributes")
TEXT = frozenset({".py", ".md", ".toml", ".sh", ".txt"})
# Written in pieces, so that this file does not contain what it looks for.
NOTES = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3]) + r")\b")
MACHINES = re.compile(r"(?<![\w.~}/-])/(?:home/\w+|Users/\w+|root/|work/)")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)(?: \"[^\"]*\")?\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def texts() -> Iterator[tuple[str, str]]:
    """Every text file of the project with its path."""
    inside = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in TEXT)
    for path in sorted({*ROOT.glob("*.md"), *(ROOT / name for name in FILES), *inside}):
        if path.is_file():
            yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")


def test_class_and_module_names_say_what_a_thing_is() -> None:
    found = [fault for path in python_files("src", "bench") for fault in empty_names(path.read_text("utf-8"), path)]
    assert not found, f"names that end in one of {', '.join(EMPTY_NAMES)}:\n" + "\n".join(found)


def empty_names(source: str, path: Path) -> list[str]:
    classes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef)]
    found = [f"{path}:{node.lineno}: class {node.name}" for node in classes if node.name.endswith(EMPTY_NAMES)]
    if path.stem.title().endswith(EMPTY_NAMES):
        found.append(f"{path}: module {path.stem}")
    return found


def test_no_file_carries_a_note_to_ourselves_or_a_path_of_someones_machine() -> None:
    found = [f"{place}:{line}" for place, text in texts() for line in unwanted(text)]
    assert not found, "notes or machine paths:\n" + "\n".join(found)


def unwanted(text: str) -> list[str]:
    lines = enumerate(text.splitlines(), 1)
    return [f"{number}: {line.strip()}" for number, line in lines if NOTES.search(line) or MACHINES.search(line)]


def test_only_a_surface_boundary_catches_everything() -> None:
    found = [
        f"{place}:{line}"
        for path in python_files("src")
        if (place := path.relative_to(ROOT).as_posix()) not in BOUNDARIES
        for line in catch_alls(path.read_text("utf-8"))
    ]
    assert not found, "catches everything below a boundary:\n" + "\n".join(found)


def catch_alls(source: str) -> list[int]:
    """Lines of handlers for every exception, except those that clean up and raise it again."""
    handlers = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ExceptHandler)]
    return [node.lineno for node in handlers if _is_broad(node.type) and not _raises_again(node)]


def _is_broad(caught: ast.expr | None) -> bool:
    if isinstance(caught, ast.Tuple):
        return any(_is_broad(one) for one in caught.elts)
    return caught is None or (isinstance(caught, ast.Name) and caught.id in ("Exception", "BaseException"))


def _raises_again(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def test_every_link_between_project_files_leads_to_a_file() -> None:
    found = [
        f"{place}: {target}"
        for place, text in texts()
        if place.endswith(".md")
        for target in local_links(text)
        if not ((ROOT / place).parent / target).exists()
    ]
    assert not found, "broken links:\n" + "\n".join(found)


def local_links(markdown: str) -> list[str]:
    targets = [target.partition("#")[0] for target in LINK.findall(FENCE.sub("", markdown))]
    return [target for target in targets if target and "://" not in target and not target.startswith("mailto:")]


def test_an_empty_name_is_found() -> None:
    assert empty_names("class LeaseManager: ...\nclass Lease: ...", Path("helpers.py")) == [
        "helpers.py:1: class LeaseManager",
        "helpers.py: module helpers",
    ]


@pytest.mark.parametrize("line", ["# " + "TO" + "DO later", "cd /" + "home/someone/jit", "see /" + "root/.cache"])
def test_notes_and_machine_paths_are_found(line: str) -> None:
    assert unwanted("fine\n" + line) == [f"2: {line}"]


@pytest.mark.parametrize("line", ["git worktree add ../work/auth", "~/.config/jit", "mktemp XXXXXX", "/etc/jit"])
def test_ordinary_words_and_paths_are_not_found(line: str) -> None:
    assert unwanted(line) == []


def test_catching_everything_is_found_unless_it_is_raised_again() -> None:
    quiet = "try: f()\nexcept (OSError, Exception): pass\ntry: f()\nexcept: g()"
    assert catch_alls(quiet) == [2, 4]
    assert catch_alls("try: f()\nexcept BaseException:\n    g()\n    raise\nexcept OSError: pass") == []


def test_only_links_to_project_files_are_followed() -> None:
    text = "[a](docs/a.md#top) [b](https://example.org) [c](#here) ![d](d.png)\n```\n[e](nowhere.md)\n```\n"
    assert local_links(text) == ["docs/a.md"]
