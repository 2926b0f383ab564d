"""Which rule fits a path, and what is not a rule."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jit.world.path_rules import PathRule, fault, matches, rule_for

NAME = st.text(alphabet="ab.*?", min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("path", "pattern", "fits"),
    [
        ("a.log", "*.log", True),
        ("deep/er/a.log", "*.log", True),
        ("a.logs", "*.log", False),
        ("migrations/1.sql", "migrations/**", True),
        ("migrations/a/b/1.sql", "migrations/**", True),
        ("other/migrations/1.sql", "migrations/**", False),
        ("src/a/b.py", "src/*/b.py", True),
        ("src/a/c/b.py", "src/*/b.py", False),
        ("src/b.py", "src/**/b.py", True),
        ("src/x/y/b.py", "src/**/b.py", True),
        ("docs/a.md", "docs/", True),
        ("a1.txt", "a?.txt", True),
        ("a12.txt", "a?.txt", False),
        ("package-lock.json", "package-lock.json", True),
    ],
)
def test_a_pattern_fits_these_paths_and_no_others(path: str, pattern: str, *, fits: bool) -> None:
    assert matches(path, pattern) is fits


@given(name=st.text(alphabet="ab.", min_size=1, max_size=8), pattern=NAME.filter(lambda text: "**" not in text))
def test_within_one_name_a_pattern_means_what_the_shell_means(name: str, pattern: str) -> None:
    assert matches(name, pattern) is fnmatchcase(name, pattern)


def test_the_first_rule_that_fits_decides() -> None:
    rules = (PathRule("*.lock", "queue"), PathRule("**", "free"))
    assert [rule_for(path, rules).policy for path in ("a.lock", "b.txt")] == ["queue", "free"]
    assert rule_for("a.txt", ()).policy == "retry-then-halt"


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ({}, "pattern"),
        ({"pattern": ""}, "pattern"),
        ("text", "pattern"),
        ({"pattern": "x", "policy": "polite"}, "retry-then-halt"),
        ({"pattern": "x", "colour": "red"}, "one of pattern"),
    ],
)
def test_what_is_not_a_rule_is_told_why(row: object, what: str) -> None:
    assert what in fault(row)


def test_a_whole_rule_has_no_fault() -> None:
    row = {"pattern": "x", "policy": "queue", "mode": "shared", "scope": "repository", "on_failure": "deny"}
    assert fault(row) == ""


def test_only_a_rule_that_says_so_denies_when_jit_fails() -> None:
    said = [
        PathRule("x"),
        PathRule("x", mode="shared"),
        PathRule("x", mode="exclusive"),
        PathRule("x", on_failure="deny"),
    ]
    assert [rule.denies_on_failure(allowed=False) for rule in said] == [False, False, True, True]
    assert [rule.denies_on_failure(allowed=True) for rule in said] == [False, False, False, True]
    assert not PathRule("x", mode="exclusive", on_failure="allow").denies_on_failure(allowed=False)
