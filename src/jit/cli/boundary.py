"""The one place where a fault becomes words and an exit code.

Below it everybody raises; above it is only the shell. A `JitError` is told as `error:` and `hint:` on standard error,
or with `--json` as `{"error": {"code", "message", "hint", "details"}}` on standard output, with the same exit code.
Anything else is a fault in jit itself: it is written down as a report that can be pasted, without the environment, and
the command exits 1. `JIT_DEBUG=1` lets it through with its traceback.
"""

from __future__ import annotations

import sys

from jit.cli.output import flush, put
from jit.cli.style import choose, is_terminal
from jit.errors import JitError, Unavailable
from jit.kernel.jsontext import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TextIO

INTERRUPTED = 130
BROKEN_PIPE = 141
"""What a shell reports for a program that the signal of a closed pipe ended."""


def guard(
    run: Callable[[], int],
    words: Sequence[str],
    *,
    stdout: TextIO | None,
    stderr: TextIO | None,
    environ: Mapping[str, str],
    report_dir: str | None = None,
) -> int:
    """Run a command and answer with its exit code, whatever happens. `words` are the command line without `jit`."""
    voice = Voice(words, stdout, stderr, environ)
    try:
        code = run()
        flush(stdout)
        return code
    except BrokenPipeError:
        return _hang_up(stdout)
    except KeyboardInterrupt:
        return voice.tell(Interrupted("interrupted"))
    except JitError as error:
        return voice.tell(error)
    except Exception as error:
        if environ.get("JIT_DEBUG") == "1":
            raise
        return voice.tell(_internal(error, words, report_dir))


class Interrupted(JitError):
    code = "interrupted"
    exit_code = INTERRUPTED


class Voice:
    """Tells a fault to a person or to a program, as the command line asked; it must work before anything is parsed."""

    def __init__(
        self, words: Sequence[str], stdout: TextIO | None, stderr: TextIO | None, environ: Mapping[str, str]
    ) -> None:
        own = words[: words.index("--")] if "--" in words else words
        self.json = "--json" in own
        self.stdout = stdout
        self.stderr = stderr
        self.style = choose(asked_color(own), environ=environ, terminal=is_terminal(stderr))

    def tell(self, error: JitError) -> int:
        """Say it; that nobody listens changes nothing about the exit code."""
        try:
            if self.json:
                put(self.stdout, dumps({"error": _document(error)}) + "\n")
            else:
                self._say(error)
            flush(self.stdout)
        except (OSError, Unavailable):
            _hang_up(self.stdout)
            if self.json:
                self._say(error)
        return error.exit_code

    def _say(self, error: JitError) -> None:
        hint = f"{self.style.paint('bold', 'hint:')} {error.hint}\n" if error.hint else ""
        try:
            put(self.stderr, f"{self.style.paint('bad', 'error:')} {error.message}\n{hint}")
            flush(self.stderr)
        except (OSError, Unavailable):
            pass  # nobody is left to tell


def _document(error: JitError) -> dict[str, object]:
    return {"code": error.code, "message": error.message, "hint": error.hint, "details": error.details}


def asked_color(words: Sequence[str]) -> str:
    """What `--color` says, as far as it can be told from words that may be wrong."""
    for at, word in enumerate(words):
        if word == "--color":
            return "".join(words[at + 1 : at + 2])
        if word.startswith("--color="):
            return word.removeprefix("--color=")
    return "auto"


def report(error: BaseException, words: Sequence[str]) -> str:
    """A bug report ready to paste: versions, platform, command line, traceback; nothing from the environment."""
    from platform import platform
    from traceback import format_exception

    from jit import __version__

    lines = [
        f"jit       {__version__}",
        f"python    {sys.version.split()[0]} ({sys.implementation.name})",
        f"platform  {platform()}",
        f"command   jit {' '.join(map(_quote, words))}",
        "",
        "".join(format_exception(error)),
    ]
    return "\n".join(lines)


def _internal(error: Exception, words: Sequence[str], report_dir: str | None) -> JitError:
    text = report(error, words)
    what = f"a fault in jit itself: {type(error).__name__}: {error}"
    path = _write_report(text, report_dir)
    if not path:
        return JitError(f"{what}\n\n{text}", hint=f"JIT_DEBUG=1 jit {' '.join(map(_quote, words))}")
    hint = f"please report it with the contents of {path}"
    return JitError(what, hint=hint, details={"report": path, "type": type(error).__name__})


def _write_report(text: str, report_dir: str | None) -> str:
    """Where the report lies, or nothing if it cannot be written."""
    from tempfile import mkstemp

    try:
        descriptor, path = mkstemp(prefix="jit-report-", suffix=".txt", dir=report_dir)
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError:
        return ""
    return path


def _quote(word: str) -> str:
    from shlex import quote

    return quote(word)


def _hang_up(stdout: TextIO | None) -> int:
    """Nobody reads any more: let the interpreter's last flush go nowhere instead of complaining."""
    import os

    if stdout is None:
        return BROKEN_PIPE
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):  # a stream without a descriptor has no last flush either
        pass
    return BROKEN_PIPE
