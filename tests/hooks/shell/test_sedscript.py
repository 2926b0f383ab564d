"""sed's own language: which scripts write files or run programs."""

from __future__ import annotations

import pytest

from jit.hooks.shell.sedscript import side_effects

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("script", "files"),
    [
        ("s/a/b/", []),
        ("s/w x/b/g", []),
        ("s|/w|b|", []),
        (r"s/a\/w/b/", []),
        ("1,5p", []),
        ("/we/,/wo/d", []),
        ("$!N;P;D", []),
        ("/a/{s/x/y/;p}", []),
        ("a write this", []),
        ("y/abc/wxy/", []),
        (":w;s/a/b/;tw", []),
        ("w out", ["out"]),
        ("s/a/b/w out", ["out"]),
        ("s/a/b/gw out.txt", ["out.txt"]),
        ("/a/w one\ns/b/c/w two", ["one", "two"]),
        (r"\,a,w out", ["out"]),
    ],
)
def test_files_that_a_script_writes_are_found(script: str, files: list[str]) -> None:
    assert side_effects(script) == files


@pytest.mark.parametrize("script", ["e", "e date", "s/a/b/e", "s/a/b", "/a", "1e"])
def test_a_script_that_runs_something_or_is_broken_is_not_vouched_for(script: str) -> None:
    assert side_effects(script) is None
