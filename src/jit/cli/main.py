"""From the words on the command line to an exit code."""

from __future__ import annotations

import os
import sys

from jit.cli.boundary import asked_color, guard
from jit.cli.commands import GROUPS
from jit.cli.output import Out, put
from jit.cli.parse import find, parse
from jit.cli.spec import load_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from jit.cli.parse import Found


def run(words: Sequence[str]) -> int:
    """Carry out one command line."""
    words = list(words)
    return guard(lambda: _run(words), words, stdout=sys.stdout, stderr=sys.stderr, environ=os.environ)


def _run(words: list[str]) -> int:
    if words[:1] == ["--version"]:
        words = ["version", *words[1:]]
    found = find(words, GROUPS)
    command = found.command
    if command is None:
        return _help(found, asked_color(words))
    parsed = parse(command, found.words)
    if parsed.flag("--help"):
        return _help(found, parsed.text("--color"))
    out = Out(
        stdout=sys.stdout,
        stderr=sys.stderr,
        environ=os.environ,
        json=parsed.flag("--json"),
        quiet=parsed.flag("--quiet"),
        color=parsed.text("--color"),
    )
    from jit.cli.call import Call

    call = Call(parsed, out, os.environ)
    try:
        return load_run(command)(call)
    finally:
        out.end_progress()
        call.close()


def _help(found: Found, color: str) -> int:
    from jit.cli.help import page
    from jit.cli.style import choose, is_terminal, prose_width

    style = choose(color, environ=os.environ, terminal=is_terminal(sys.stdout))
    put(sys.stdout, page(found, GROUPS, width=prose_width(sys.stdout, os.environ), style=style))
    return 0
