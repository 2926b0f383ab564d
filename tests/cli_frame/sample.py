"""A small program on the command-line frame: an index, two tables, a main. Also run as a process by the tests."""

from __future__ import annotations

import sys

from jit.cli.boundary import guard
from jit.cli.output import Out, put
from jit.cli.parse import find, parse
from jit.cli.spec import load_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TextIO

INDEX = {
    "init": ("Set up this repository", "tests.cli_frame.sample_plain", "Setup"),
    "version": ("Say which version this is", "tests.cli_frame.sample_plain", "Setup"),
    "claim": ("Lease issues", "tests.cli_frame.sample_claim", "Work"),
    "log": ("What happened, and when", "tests.cli_frame.sample_plain", "Work"),
    "_complete": ("Candidates for the shell", "tests.cli_frame.sample_plain", ""),
}


def main(
    words: Sequence[str],
    *,
    stdout: TextIO,
    stderr: TextIO,
    environ: Mapping[str, str],
    report_dir: str | None = None,
) -> int:
    return guard(
        lambda: run(words, stdout=stdout, stderr=stderr, environ=environ),
        words,
        stdout=stdout,
        stderr=stderr,
        environ=environ,
        report_dir=report_dir,
    )


def run(words: Sequence[str], *, stdout: TextIO, stderr: TextIO, environ: Mapping[str, str]) -> int:
    found = find(words, INDEX)
    parsed = parse(found.command, found.words) if found.command else None
    if parsed is None or parsed.flag("--help"):
        from jit.cli.help import page

        out = Out(stdout=stdout, stderr=stderr, environ=environ)
        put(stdout, page(found, INDEX, width=out.width(), style=out.style))
        return 0
    out = Out(
        stdout=stdout,
        stderr=stderr,
        environ=environ,
        json=parsed.flag("--json"),
        quiet=parsed.flag("--quiet"),
        color=parsed.text("--color"),
    )
    return load_run(parsed.command)(parsed, out)


if __name__ == "__main__":
    import os

    sys.exit(main(sys.argv[1:], stdout=sys.stdout, stderr=sys.stderr, environ=os.environ))
