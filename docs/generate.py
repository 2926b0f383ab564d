"""Write the reference pages from the source, so that they cannot disagree with it.

    python docs/generate.py            write docs/reference/*.md
    python docs/generate.py --check    write nothing; name the pages that differ, and exit 1 if any does

Each page is a function without arguments that returns the page's text. It reads the same records as the program, or
runs the engine with a clock that stands still. So a page is the same on every machine.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from generator import cli, config, decisions, events, exit_codes, gate, json_contract

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).parent / "reference"
PAGES: dict[str, Callable[[], str]] = {
    "cli.md": cli.page,
    "config.md": config.page,
    "decisions.md": decisions.page,
    "events.md": events.page,
    "exit-codes.md": exit_codes.page,
    "file-gate.md": gate.page,
    "json.md": json_contract.page,
}


def main(words: list[str]) -> int:
    if words not in ([], ["--check"]):
        print("usage: python docs/generate.py [--check]", file=sys.stderr)
        return 2
    written = {FOLDER / name: page() for name, page in PAGES.items()}
    different = [path for path, text in written.items() if _read(path) != text]
    if words:
        return _report(different)
    FOLDER.mkdir(exist_ok=True)
    for path in different:
        path.write_text(written[path], "utf-8")
        print(f"wrote {path.relative_to(FOLDER.parent.parent)}")
    return 0


def _report(different: list[Path]) -> int:
    for path in different:
        print(f"differs from the source: {path.relative_to(FOLDER.parent.parent)}")
    if different:
        print("write them anew with: make docs")
    return 1 if different else 0


def _read(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
