"""Data to standard output, words to standard error."""

from __future__ import annotations

import io
import json
from itertools import pairwise

import pytest

from jit.cli.output import Out
from jit.cli.table import Column
from tests.cli_frame.listening import Said, Terminal, say

pytestmark = pytest.mark.unit


class Voice:
    """An `Out` with ears and a clock that only the test moves."""

    def __init__(self, *, terminal: bool = False, environ: dict[str, str] | None = None, **options: bool) -> None:
        make = Terminal if terminal else io.StringIO
        self.now = 100.0
        self.stdout, self.stderr = make(), make()
        self.out = Out(
            stdout=self.stdout,
            stderr=self.stderr,
            environ=environ or {"NO_COLOR": "1"},
            json=options.get("json", False),
            quiet=options.get("quiet", False),
            clock=lambda: self.now,
        )

    def said(self) -> tuple[str, str]:
        return self.stdout.getvalue(), self.stderr.getvalue()


def test_with_json_a_command_prints_one_document_and_its_words_elsewhere() -> None:
    said = say("claim", "acquire", "01ABC", "--json")
    assert said == Said(0, '{"issue_id":"01ABC","ttl_secs":600}\n', "asking\n")


def test_without_json_the_same_command_speaks_to_people() -> None:
    assert say("claim", "acquire", "01ABC") == Said(0, "01ABC for 600 s\n", "asking\n")


def test_quiet_silences_notes_but_neither_answers_nor_warnings() -> None:
    voice = Voice(quiet=True)
    voice.out.note("a note")
    voice.now += 60
    voice.out.progress("half")
    voice.out.warn("careful")
    voice.out.line("answer")
    assert voice.said() == ("answer\n", "warning: careful\n")


def test_on_a_terminal_json_is_indented_and_in_a_pipe_it_is_one_line() -> None:
    document = {"leases": [{"id": 1}], "count": 1}
    shown, piped = Voice(terminal=True, json=True), Voice(json=True)
    shown.out.data(document)
    piped.out.data(document)
    assert json.loads(shown.said()[0]) == json.loads(piped.said()[0]) == document
    assert '\n  "leases"' in shown.said()[0]
    assert piped.said()[0].count("\n") == 1


def test_items_are_one_line_each_even_on_a_terminal() -> None:
    voice = Voice(terminal=True, json=True)
    voice.out.item({"sequence": 1})
    voice.out.item({"sequence": 2})
    assert [json.loads(line) for line in voice.said()[0].splitlines()] == [{"sequence": 1}, {"sequence": 2}]


def test_with_json_tables_and_lines_are_silent_and_without_it_documents_are() -> None:
    voice, people = Voice(json=True), Voice()
    voice.out.line("x")
    voice.out.table([Column("A")], [("x",)])
    people.out.data({"a": 1})
    people.out.item({"a": 1})
    assert voice.said() == people.said() == ("", "")


def test_a_table_is_cut_only_on_a_terminal() -> None:
    row = ("word " * 40,)
    shown, piped = Voice(terminal=True, environ={"COLUMNS": "30", "NO_COLOR": "1"}), Voice(environ={"COLUMNS": "30"})
    shown.out.table([Column("A")], [row])
    piped.out.table([Column("A")], [row])
    assert max(map(len, shown.said()[0].splitlines())) == 30
    assert row[0].strip() in piped.said()[0]


def test_an_empty_table_can_say_so_in_words() -> None:
    voice = Voice()
    voice.out.table([Column("A")], [], empty="no leases")
    assert voice.said() == ("", "no leases\n")


def test_progress_without_a_terminal_is_silent_for_short_work_and_then_one_line_a_second() -> None:
    voice = Voice()
    for step in range(35):
        voice.out.progress(f"step {step}")
        voice.now += 0.1
    said = [int(line.split()[1]) for line in voice.said()[1].splitlines()]
    assert len(said) == 3
    assert min(b - a for a, b in pairwise([0, *said])) >= 10


def test_progress_on_a_terminal_rewrites_one_line_and_leaves_nothing_behind() -> None:
    voice = Voice(terminal=True)
    voice.now += 1
    voice.out.progress("a long line of progress")
    voice.now += 1
    voice.out.progress("short")
    voice.out.note("done")
    screen = replay(voice.said()[1])
    assert screen == ["done"]


def test_progress_that_nothing_follows_can_be_wiped() -> None:
    voice = Voice(terminal=True)
    voice.now += 1
    voice.out.progress("half")
    voice.out.end_progress()
    voice.out.end_progress()
    assert replay(voice.said()[1]) == []


def test_progress_on_a_terminal_never_wraps() -> None:
    voice = Voice(terminal=True, environ={"COLUMNS": "20"})
    voice.now += 1
    voice.out.progress("x" * 100)
    assert replay(voice.said()[1]) == ["x" * 18 + "…"]


def replay(text: str) -> list[str]:
    """What a terminal shows after these characters: carriage returns overwrite."""
    lines: list[str] = []
    for written in text.split("\n"):
        cells: list[str] = []
        for part in written.split("\r"):
            cells[: len(part)] = part
        lines.append("".join(cells).rstrip())
    return [line for line in lines if line]


def test_a_character_that_the_stream_cannot_encode_is_shown_as_an_escape() -> None:
    raw = io.BytesIO()
    stdout = io.TextIOWrapper(raw, encoding="latin-1")
    out = Out(stdout=stdout, stderr=stdout, environ={})
    out.line("é 日 …")
    stdout.flush()
    assert raw.getvalue() == "é \\u65e5 \\u2026\n".encode("latin-1")


def test_a_file_name_that_is_no_unicode_can_be_shown() -> None:
    raw = io.BytesIO()
    stdout = io.TextIOWrapper(raw, encoding="utf-8")
    out = Out(stdout=stdout, stderr=stdout, environ={})
    out.line(b"caf\xe9".decode("utf-8", "surrogateescape"))
    stdout.flush()
    assert raw.getvalue() == b"caf\\udce9\n"


def test_streams_that_were_closed_before_the_program_began_are_no_fault() -> None:
    out = Out(stdout=None, stderr=None, environ={})
    out.line("answer")
    out.warn("careful")
    assert out.terminal is False
