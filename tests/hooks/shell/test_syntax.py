"""The parser: what it refuses, and what happens without it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jit.hooks.shell.syntax import LIMIT_BYTES, LIMIT_NESTING, Unparsable, children, inside, parse, text
from jit.hooks.shell.targets import find

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.unit

FRAGMENTS = [
    *(
        "echo",
        "rm",
        "a.txt",
        "'",
        '"',
        "$",
        "$(",
        ")",
        "(",
        "{",
        "}",
        "`",
        "\\",
        "\n",
        ";",
        "&",
        "|",
        ">",
        "<",
        "<<EOF",
        "EOF",
    ),
    *(
        "if",
        "then",
        "fi",
        "for",
        "in",
        "do",
        "done",
        "case",
        "esac",
        "[[",
        "]]",
        "${",
        "~",
        "*",
        "{1..3}",
        "sh -c",
        "#",
        "é",
    ),
    *(
        "git",
        "checkout",
        "--",
        "-t",
        "-i",
        "cd",
        "..",
        "find",
        "-exec",
        "{}",
        "\\;",
        "xargs",
        "tar",
        "x=",
        "$x",
        "sed",
        "s/a",
    ),
]


def test_a_tree_has_the_statements_of_the_text() -> None:
    tree = parse("echo ü > x && (ls)\n".encode())
    assert [text(node, "Type") for node in inside(tree, "BinaryCmd")] == ["BinaryCmd"]
    assert len(children(tree, "Stmts")) == 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"echo \0", "it contains a NUL character"),
        (b"echo\r\n", "it contains a carriage return"),
        (b"x" * (LIMIT_BYTES + 1), f"it is longer than {LIMIT_BYTES} bytes"),
        (b"(" * (LIMIT_NESTING + 1), f"it is nested deeper than {LIMIT_NESTING}"),
        (b"if true", "`if <cond>` must be followed by `then`"),
    ],
)
def test_what_cannot_be_parsed_is_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Unparsable) as fault:
        parse(data)
    assert str(fault.value) == reason


def test_a_parser_that_cannot_be_started_is_a_reason(tmp_path: Path) -> None:
    program = tmp_path / "shfmt"
    with pytest.raises(Unparsable, match="cannot be started: No such file or directory"):
        parse(b"ls", str(program))


def test_a_parser_that_fails_without_reading_is_a_reason(tmp_path: Path) -> None:
    program = tmp_path / "shfmt"
    program.write_text("#!/bin/sh\nexec <&-\nexit 3\n")
    program.chmod(0o755)
    with pytest.raises(Unparsable, match="the parser failed"):
        parse(b"ls " * 80_000, str(program))


def test_a_parser_that_prints_another_tree_is_a_reason(tmp_path: Path) -> None:
    program = tmp_path / "shfmt"
    program.write_text("""#!/bin/sh\ncat > /dev/null\necho '{"Type": "File", "Stmts": [{"Redirs": [{"Op": 63}]}]}'\n""")
    program.chmod(0o755)
    with pytest.raises(Unparsable, match=r"shfmt is older than 3\.14"):
        parse(b"ls > x", str(program))


def test_parsing_leaves_no_descriptor_open() -> None:
    before = sorted(os.listdir("/dev/fd"))
    parse(b"ls")
    with pytest.raises(Unparsable):
        parse(b"if")
    with pytest.raises(Unparsable):
        parse(b"ls", "/nowhere/shfmt")
    assert sorted(os.listdir("/dev/fd")) == before


@settings(deadline=None, max_examples=200)
@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(FRAGMENTS), max_size=12).map(" ".join)))
def test_no_text_makes_it_fail(command: str) -> None:
    found = find(command, "/r", "/h", probe=lambda _: "")
    assert all(write.path.startswith("/") for write in found.writes)


@pytest.mark.parametrize("command", ["touch \ud800", "touch " + "$(" * 400 + ")" * 400, "touch " + "{a,b}" * 30])
def test_odd_texts_are_unknown(command: str) -> None:
    assert find(command, "/r").unknown
