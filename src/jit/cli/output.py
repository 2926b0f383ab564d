"""Where a command speaks: data to standard output, words to standard error.

A command says everything it knows and `Out` picks: with `--json`, `data` prints one document and `line` and `table` are
silent; without, it is the other way round. So a command has no branches for its two faces:

    out.data({"leases": rows, "count": len(rows)})
    out.table(COLUMNS, rows)

`note`, `warn` and `progress` are words and go to standard error in both. `--quiet` silences notes and progress.
"""

from __future__ import annotations

import time

from jit.cli.style import choose, columns_of, is_terminal, prose_width, terminal_width
from jit.errors import Unavailable
from jit.kernel.jsontext import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TextIO

    from jit.cli.style import Role
    from jit.cli.table import Cell, Column

REDRAW_S = 0.1
PROGRESS_LINE_S = 1.0


class Out:
    """One command's voice. Streams, environment and clock are given, so that tests can listen."""

    def __init__(
        self,
        *,
        stdout: TextIO | None,
        stderr: TextIO | None,
        environ: Mapping[str, str],
        json: bool = False,
        quiet: bool = False,
        color: str = "auto",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.json = json
        self.quiet = quiet
        self.stdout = stdout
        self.stderr = stderr
        self.terminal = is_terminal(stdout)
        self.style = choose(color, environ=environ, terminal=self.terminal)
        self.words_style = choose(color, environ=environ, terminal=is_terminal(stderr))
        self._environ = environ
        self._clock = clock
        self._drawn = 0
        self._quiet_until = clock() + (REDRAW_S if is_terminal(stderr) else PROGRESS_LINE_S)

    def data(self, document: object) -> None:
        """The answer for programs: one JSON document, only with `--json`."""
        if self.json:
            self._tell(dumps(document, indent=2) if self.terminal else dumps(document))

    def item(self, document: object) -> None:
        """One JSON document per line, only with `--json`: for answers that never end, such as a followed log."""
        if self.json:
            self._tell(dumps(document))
            flush(self.stdout)

    def line(self, text: str = "") -> None:
        """A line of the answer for people."""
        if not self.json:
            self._tell(text)

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[Cell]], *, empty: str = "") -> None:
        """A table of the answer for people; `empty` is said instead when there are no rows."""
        if self.json:
            return
        from jit.cli.table import render

        lines = list(rows)
        if not lines and empty:
            self.note(empty)
            return
        width = terminal_width(self.stdout, self._environ) if self.terminal else None
        self._tell(render(columns, lines, width=width, style=self.style).rstrip("\n"))

    def note(self, text: str) -> None:
        """Words beside the answer."""
        if not self.quiet:
            self._say(text)

    def warn(self, text: str) -> None:
        """Words that `--quiet` does not silence."""
        self._say(f"{self.words_style.paint('warn', 'warning:')} {text}")

    def progress(self, text: str) -> None:
        """How far it is: one rewritten line on a terminal, else at most one line a second, nothing for short work."""
        now = self._clock()
        if self.quiet or now < self._quiet_until:
            return
        if not is_terminal(self.stderr):
            self._quiet_until = now + PROGRESS_LINE_S
            put(self.stderr, text + "\n")
            return
        from jit.cli.table import shorten

        self._quiet_until = now + REDRAW_S
        shown = shorten(text, terminal_width(self.stderr, self._environ) - 1)
        put(self.stderr, "\r" + shown + " " * (self._drawn - columns_of(shown)))
        self._drawn = columns_of(shown)
        flush(self.stderr)

    def end_progress(self) -> None:
        """Wipe the line of progress, if there is one; whatever is said next does this by itself."""
        if self._drawn:
            put(self.stderr, "\r" + " " * self._drawn + "\r")
            flush(self.stderr)
            self._drawn = 0

    def paint(self, role: Role, text: str) -> str:
        """Text of the answer, painted when standard output shows colour."""
        return self.style.paint(role, text)

    def width(self) -> int:
        """The width for running text of the answer."""
        return prose_width(self.stdout, self._environ)

    def _tell(self, text: str) -> None:
        self.end_progress()
        put(self.stdout, text + "\n")

    def _say(self, text: str) -> None:
        self.end_progress()
        flush(self.stdout)  # keeps words behind the data they speak about when both go to one terminal
        put(self.stderr, text + "\n")


def put(stream: TextIO | None, text: str) -> None:
    """Write, whatever the stream's encoding: a character it does not know is shown as an escape."""
    if stream is None:  # the descriptor was closed before the program began
        return
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        put(stream, text.encode(encoding, "backslashreplace").decode(encoding))
    except OSError as error:
        raise _lost(error) from error


def flush(stream: TextIO | None) -> None:
    """Hand over what was written. Answers count only once they are out: a full disk must not look like success."""
    try:
        if stream is not None:
            stream.flush()
    except OSError as error:
        raise _lost(error) from error


def _lost(error: OSError) -> Exception:
    """A reader that left is no fault of anybody; a disk that is full has to be told."""
    if isinstance(error, BrokenPipeError):
        return error
    return Unavailable(f"the output cannot be written: {error.strerror}", hint="df -h")
