"""What a person reads who asks for help."""

from __future__ import annotations

import pytest

from jit.cli.help import wrap
from jit.cli.style import columns_of
from tests.cli_frame.listening import say

pytestmark = pytest.mark.unit


def test_the_program_lists_its_nouns_by_section_and_says_where_to_start() -> None:
    page = say("--help").out
    for line in (
        "Usage: jit NOUN [VERB] [OPTIONS]",
        "  jit init        set up this repository; safe to repeat",
        "Setup:",
        "  init     Set up this repository",
        "Work:",
        "  claim  Lease issues",
        "  jit NOUN VERB --help  its options, with examples",
    ):
        assert line in page.splitlines()
    assert "_complete" not in page


def test_no_words_at_all_are_a_wish_for_help() -> None:
    assert say() == say("--help")
    assert say().code == 0


def test_help_in_front_shows_the_same_page_as_help_behind() -> None:
    assert say("help", "claim", "acquire") == say("claim", "acquire", "--help")


def test_a_noun_lists_its_commands_with_their_arguments_but_not_the_hidden_ones() -> None:
    page = say("claim", "--help").out
    assert "  jit claim acquire ISSUE       Lease an issue to an agent" in page.splitlines()
    assert "  jit claim evict LEASE [WHEN]  Take a lease away from its holder" in page.splitlines()
    assert "  jit claim release LEASE…      Give leases back" in page.splitlines()
    assert "crash" not in page


def test_a_noun_that_is_also_a_command_shows_that_commands_options() -> None:
    page = say("log", "--help").out
    assert "Usage: jit log [VERB] [OPTIONS]" in page
    assert "  --follow  wait for more" in page.splitlines()
    assert "jit log at TIME" in page


def test_a_command_shows_usage_description_arguments_options_and_examples() -> None:
    page = say("claim", "acquire", "--help").out
    for line in (
        "Usage: jit claim acquire ISSUE [OPTIONS]",
        "Fails when someone else holds it.",
        "A lease ends by itself when its time has passed.",
        "  ISSUE  id of the issue, or the beginning of one",
        "  --ttl SECONDS        how long the lease lasts; 0 is without end (default 600)",
        "  --label LABEL        take only issues with this label (may be repeated)",
        "  --priority LEVEL     of the issue (low, normal, high)",
        "  -n, --retries COUNT  how often to try",
        "  jit claim acquire 01ABC --ttl 10m",
        "      hold 01ABC for ten minutes",
    ):
        assert line in page.splitlines()


def test_usage_names_required_options_and_the_command_to_run() -> None:
    assert "Usage: jit claim evict LEASE [WHEN] --reason TEXT [OPTIONS]" in say("claim", "evict", "--help").out
    assert "Usage: jit claim run ISSUE [OPTIONS] -- COMMAND…" in say("claim", "run", "--help").out


@pytest.mark.parametrize("words", [(), ("claim",), ("claim", "acquire")])
@pytest.mark.parametrize("columns", [40, 60, 80])
def test_no_line_is_wider_than_the_terminal_unless_one_name_alone_is(words: tuple[str, ...], columns: int) -> None:
    page = say(*words, "--help", environ={"COLUMNS": str(columns)}).out
    long = [line for line in page.splitlines() if len(line) > columns]
    assert [line for line in long if not line.startswith(("Usage:", "  jit", "  -", " " * 20))] == []


def test_a_very_wide_terminal_does_not_make_very_wide_text() -> None:
    page = say("claim", "acquire", "--help", environ={"COLUMNS": "500"}).out
    assert max(map(len, page.splitlines())) <= 100


def test_help_has_no_colour_unless_it_is_asked_for() -> None:
    assert "\x1b[" not in say("--help").out
    assert "\x1b[1mUsage:\x1b[0m" in say("--help", environ={"FORCE_COLOR": "1"}).out


@pytest.mark.parametrize("width", [1, 5, 12])
def test_wrapping_loses_no_word_and_breaks_only_at_spaces(width: int) -> None:
    text = "one two  three\nfourteen 日本 five"
    lines = wrap(text, width)
    assert " ".join(lines) == "one two three fourteen 日本 five"
    assert all(columns_of(line) <= width or " " not in line for line in lines)
