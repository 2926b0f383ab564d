"""`make bench`: measure jit beside its reference and its peers, print a table, write `bench/report.json`.

    python bench/main.py [--quick] [--only ID…] [--list] [--report FILE]

QUICK=1 in the environment is the same as --quick. A missed goal is a result, not an error; the exit code is 1 only if
something that should have been measured could not be.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from catalogue import FULL, QUICK, Catalogue
from harness import run_heat, say
from report import Row, as_json, environment, make_row, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from figures import Card

HERE = Path(__file__).resolve().parent
WORK = HERE / ".work"


def main() -> int:
    options = parse()
    signal.signal(signal.SIGTERM, _leave)
    os.environ["JIT_AGENT_ID"] = "agent:bench"
    with ExitStack() as stack:
        directory = scratch(stack)
        catalogue = Catalogue(directory, QUICK if options.quick else FULL)
        stack.callback(catalogue.stop)
        cards = [card.only(options.only) if options.only else card for card in catalogue.cards()]
        if options.list:
            sys.stdout.writelines(f"{figure.id}\n" for card in cards for figure in card.figures)
            return 0
        rows = [row for card in cards for row in measure(card)]
        surroundings = environment(directory)
    publish(rows, surroundings, options.report)
    return 1 if any(row.result is None and not row.absent for row in rows) else 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure jit beside its reference and its peers.")
    quick = os.environ.get("QUICK", "") not in ("", "0")
    parser.add_argument("--quick", action="store_true", default=quick, help="less of everything, in under a minute")
    parser.add_argument("--only", nargs="+", metavar="ID", default=[], help="only these figures, by id or by its start")
    parser.add_argument("--list", action="store_true", help="print the ids of all figures")
    parser.add_argument("--report", type=Path, default=HERE / "report.json", help="where the JSON goes")
    return parser.parse_args()


def scratch(stack: ExitStack) -> Path:
    """A directory of our own on the file system of the checkout: a disk is measured, not memory."""
    WORK.mkdir(exist_ok=True)
    stack.callback(_remove_if_empty, WORK)
    directory = Path(tempfile.mkdtemp(prefix="run-", dir=WORK))
    stack.callback(shutil.rmtree, directory, ignore_errors=True)
    return directory


def measure(card: Card) -> Iterator[Row]:
    if not card.figures:
        return
    needs = [(figure.entry, figure.against) for figure in card.figures]
    heat = run_heat(card.reference, card.entries, needs, card.plan)
    for figure in card.figures:
        yield make_row(figure, heat)


def publish(rows: Sequence[Row], surroundings: dict[str, str], path: Path) -> None:
    report = {"environment": surroundings, "figures": [as_json(row) for row in rows]}
    path.write_text(json.dumps(report, indent=2) + "\n")
    sys.stdout.write(table(rows) + "\n\n")
    sys.stdout.writelines(f"{name}: {value}\n" for name, value in surroundings.items())
    sys.stdout.flush()
    missed = [row.figure.id for row in rows if row.met is False]
    broken = [row.figure.id for row in rows if row.result is None and not row.absent]
    say(f"wrote {path}; goals missed: {', '.join(missed) or 'none'}; not measured: {', '.join(broken) or 'none'}")


def _remove_if_empty(directory: Path) -> None:
    """Another run may be using it."""
    with suppress(OSError):
        directory.rmdir()


def _leave(_signal: int, _frame: object) -> NoReturn:
    sys.exit(143)


if __name__ == "__main__":
    sys.exit(main())
