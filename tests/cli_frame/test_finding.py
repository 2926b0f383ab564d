"""Which command the words name."""

from __future__ import annotations

import pytest

from jit.cli.parse import Found, find
from jit.errors import UsageError
from tests.cli_frame.sample import INDEX

pytestmark = pytest.mark.unit


def path_of(found: Found) -> tuple[str, ...]:
    assert found.command is not None
    return found.command.path


def test_a_noun_and_a_verb_name_a_command_and_the_rest_is_its_own() -> None:
    found = find(["claim", "acquire", "01ABC", "--ttl", "5"], INDEX)
    assert path_of(found) == ("claim", "acquire")
    assert found.words == ("01ABC", "--ttl", "5")


@pytest.mark.parametrize(
    "words",
    [
        ["--json", "-C", "claim", "claim", "acquire", "X"],
        ["--json", "claim", "-C", "claim", "acquire", "X"],
        ["claim", "--json", "-Cclaim", "acquire", "X"],
        ["--repo=claim", "--color", "never", "claim", "acquire", "X"],
    ],
)
def test_options_for_every_command_may_stand_before_the_noun_and_before_the_verb(words: list[str]) -> None:
    found = find(words, INDEX)
    assert path_of(found) == ("claim", "acquire")
    assert [*found.words][-1] == "X"
    assert len(found.words) == len(words) - 2


def test_a_noun_without_verbs_is_a_command() -> None:
    assert path_of(find(["init", "here"], INDEX)) == ("init",)


@pytest.mark.parametrize("words", [["log"], ["log", "--follow"], ["log", "--json", "--follow"], ["log", "--json"]])
def test_a_noun_that_is_also_a_command_runs_without_a_verb(words: list[str]) -> None:
    found = find(words, INDEX)
    assert path_of(found) == ("log",)
    assert list(found.words) == words[1:]


def test_a_noun_that_is_also_a_command_still_has_its_verbs() -> None:
    assert path_of(find(["log", "at", "noon"], INDEX)) == ("log", "at")


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["help"], ["--json", "--help"], ["--json"]])
def test_no_noun_or_a_wish_for_help_names_the_program(words: list[str]) -> None:
    found = find(words, INDEX)
    assert (found.group, found.command) == (None, None)


@pytest.mark.parametrize("words", [["claim", "--help"], ["claim", "-h"], ["help", "claim"], ["log", "--help"]])
def test_help_after_a_noun_names_the_noun(words: list[str]) -> None:
    found = find(words, INDEX)
    assert found.command is None
    assert found.group is not None
    assert found.group.name in words


def test_help_in_front_is_help_behind() -> None:
    found = find(["help", "claim", "acquire"], INDEX)
    assert path_of(found) == ("claim", "acquire")
    assert found.words == ("--help",)


def refusal(*words: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        find(list(words), INDEX)
    return caught.value


def test_an_unknown_noun_is_told_with_the_nearest_and_with_all_that_exist() -> None:
    error = refusal("clam", "acquire")
    assert "did you mean claim?" in error.message
    assert error.message.endswith("it has: init, version, claim, log")
    assert error.hint == "jit --help"


def test_a_verb_without_its_noun_is_told_where_it_lives() -> None:
    assert "did you mean jit claim acquire?" in refusal("acquire", "01ABC").message


def test_an_unknown_verb_is_told_with_the_nearest_and_with_all_that_are_not_hidden() -> None:
    error = refusal("claim", "aquire")
    assert "did you mean acquire?" in error.message
    assert error.message.endswith("its verbs: acquire, release, evict, run, list")
    assert error.hint == "jit claim --help"


def test_a_missing_verb_is_told_with_all_that_exist() -> None:
    assert refusal("claim").message == "jit claim needs a verb: acquire, release, evict, run, list"


def test_a_word_that_neither_the_command_nor_its_verbs_take_is_an_unknown_verb() -> None:
    assert "no verb att; did you mean at?" in refusal("log", "att").message


@pytest.mark.parametrize("words", [["--ttl", "claim"], ["claim", "--ttl", "5", "acquire"], ["--", "claim"]])
def test_an_option_of_one_command_before_that_command_is_unknown(words: list[str]) -> None:
    assert "unknown option" in refusal(*words).message


def test_hidden_nouns_and_verbs_can_be_called() -> None:
    assert path_of(find(["_complete", "--", "cl"], INDEX)) == ("_complete",)
    assert path_of(find(["claim", "crash"], INDEX)) == ("claim", "crash")
