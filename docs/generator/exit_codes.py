"""The page of exit codes, from the table and the classes of `jit.errors`."""

from __future__ import annotations

from generator.markdown import code, document, table
from jit import errors

INTRODUCTION = """
The exit code is the same with and without `--json`. `code` is the word in `error.code` of the JSON document; a
program can rely on either.

A command that has nothing to take says `no-work`, which is a kind of `not-found` and also exits 3. `jit claim run`
exits with the code of the command it ran, unless the claim could not be had or was lost.
"""
OUTRO = """
An error also has words: *what · who · since when*, and a hint that is the exact next command. They go to standard
error, or with `--json` into one document on standard output: see [json.md](json.md#errors).
"""


def page() -> str:
    rows = [(str(number), code(name), code(_class_of(number)), words) for number, name, words in errors.EXIT_CODES]
    return document("Exit codes", INTRODUCTION, table(("exit code", "code", "class", "meaning"), rows), OUTRO)


def _class_of(number: int) -> str:
    own = [kind for kind in errors.JitError.__subclasses__() if kind.__module__ == errors.__name__]
    kinds: list[type[errors.JitError]] = [errors.JitError, *own]
    return next((kind.__name__ for kind in kinds if kind.exit_code == number), "")
