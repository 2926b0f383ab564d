"""The command line that clients and git run: this interpreter, isolated, and jit's hook by its full path.

Both are absolute, because a client starts hooks with whatever PATH and directory it has. `-I -S` keeps foreign modules
out and the start short.
"""

from __future__ import annotations

import os
import shlex
import sys

from jit.kernel.record import Record

MARK = "jit/hooks/entry.py"


class Program(Record):
    """The interpreter and the hook that it runs."""

    python: str
    entry: str

    def words(self, *more: str) -> list[str]:
        return [self.python, "-I", "-S", self.entry, *more]

    def line(self, *more: str) -> str:
        """As a shell reads it."""
        return shlex.join(self.words(*more))

    def guarded_line(self, *more: str) -> str:
        """The same, but nothing at all once jit is gone.

        An interpreter that cannot find its script exits with 2, which several clients take for a denial: a hook that
        outlived jit would stop every edit. `exec` makes the client the parent of the hook.
        """
        python, entry = shlex.quote(self.python), shlex.quote(self.entry)
        return f"test ! -x {python} || test ! -r {entry} || exec {self.line(*more)}"


def installed() -> Program:
    """The program that is running now."""
    import jit

    return Program(sys.executable, os.path.join(os.path.dirname(os.path.abspath(jit.__file__)), "hooks", "entry.py"))


def is_hook_command(line: str, client: str) -> bool:
    """Is this a command of ours for a client, of this or of an older installation?"""
    return MARK in line and f"--client {client}" in line
