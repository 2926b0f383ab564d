"""What the words of a command mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jit.cli.parse import Parsed, parse, seconds_of
from jit.cli.spec import Command
from jit.errors import UsageError
from tests.cli_frame import sample_claim, sample_plain

pytestmark = pytest.mark.unit

ALL: dict[str, Command] = {" ".join(c.path): c for c in (*sample_claim.COMMANDS, *sample_plain.COMMANDS)}
ACQUIRE = ALL["claim acquire"]


def acquire(*words: str) -> Parsed:
    return parse(ACQUIRE, words)


def refusal(name: str, *words: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        parse(ALL[name], words)
    assert caught.value.hint == f"jit {name} --help"
    assert caught.value.exit_code == 2
    return caught.value


def test_without_options_the_defaults_hold() -> None:
    parsed = acquire("01ABC")
    assert parsed.text("ISSUE") == "01ABC"
    assert parsed.integer("--ttl") == 600
    assert parsed.text("--reason") == ""
    assert parsed.integer("--retries") is None
    assert parsed.many("--label") == ()
    assert parsed.flag("--strict") is False
    assert parsed.text("--color") == "auto"
    assert parsed.given == {"ISSUE"}


@pytest.mark.parametrize(
    "words",
    [
        ("01ABC", "--ttl", "5", "--strict", "--json"),
        ("--json", "--ttl=5", "--strict", "01ABC"),
        ("--ttl", "5", "01ABC", "--json", "--strict"),
        ("--ttl=9", "--json", "--strict", "--ttl=5", "--", "01ABC"),
    ],
)
def test_options_stand_anywhere_and_the_last_one_wins(words: tuple[str, ...]) -> None:
    parsed = acquire(*words)
    assert (parsed.text("ISSUE"), parsed.integer("--ttl")) == ("01ABC", 5)
    assert parsed.flag("--strict")
    assert parsed.flag("--json")


def test_a_value_may_be_empty_contain_an_equals_sign_or_begin_with_a_dash() -> None:
    assert acquire("X", "--reason=").text("--reason") == ""
    assert "--reason" in acquire("X", "--reason=").given
    assert acquire("X", "--reason=a=b").text("--reason") == "a=b"
    assert acquire("X", "--reason", "-not an option").text("--reason") == "-not an option"
    assert acquire("X", "--reason=--json").text("--reason") == "--json"


def test_short_options_take_the_next_word_or_the_rest_of_their_own() -> None:
    assert acquire("X", "-n", "3").integer("--retries") == 3
    assert acquire("X", "-n3").integer("--retries") == 3
    assert acquire("X", "-n", "-3").integer("--retries") == -3
    assert acquire("X", "-C", "/tmp").text("--repo") == "/tmp"
    assert acquire("X", "-q").flag("--quiet")


def test_a_repeated_list_option_keeps_every_value_in_order() -> None:
    assert acquire("X", "--label", "b", "--label=a", "--label", "b").many("--label") == ("b", "a", "b")


def test_after_two_dashes_nothing_is_an_option() -> None:
    assert acquire("--", "--ttl").text("ISSUE") == "--ttl"


def test_a_single_dash_is_an_argument() -> None:
    assert acquire("-").text("ISSUE") == "-"


def test_the_last_argument_may_take_many_words() -> None:
    assert parse(ALL["claim release"], ("A", "B", "--json", "C")).many("LEASE") == ("A", "B", "C")


def test_an_optional_argument_may_be_missing() -> None:
    parsed = parse(ALL["claim evict"], ("L", "--reason", "gone"))
    assert parsed.text("WHEN") == ""
    assert parse(ALL["claim evict"], ("L", "now", "--reason", "gone")).text("WHEN") == "now"


def test_a_trailing_command_keeps_its_words_untouched() -> None:
    parsed = parse(ALL["claim run"], ("X", "--json", "--", "make", "--help", "--", "-j2"))
    assert parsed.text("ISSUE") == "X"
    assert parsed.flag("--json")
    assert not parsed.flag("--help")
    assert parsed.trailing == ("make", "--help", "--", "-j2")


@pytest.mark.parametrize("words", [("--help",), ("-h",), ("--ttl", "nonsense", "--help"), ("a", "b", "--help")])
def test_help_is_answered_whatever_else_is_wrong(words: tuple[str, ...]) -> None:
    assert acquire(*words).flag("--help")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0", 0), ("600", 600), ("90s", 90), ("10m", 600), ("2h", 7200), ("1d", 86_400), ("007", 7)],
)
def test_durations_are_read_as_seconds(text: str, seconds: int) -> None:
    assert acquire("X", "--ttl", text).integer("--ttl") == seconds


@pytest.mark.parametrize("text", ["", "m", "-5", "1.5h", "5x", "10 m", "1_000", "٣", "9" * 5000, "1e3", "5M", "+5"])
def test_what_is_no_duration_is_refused_with_examples(text: str) -> None:
    assert "(600, 90s, 10m, 2h, 1d)" in refusal("claim acquire", "X", f"--ttl={text}").message


@pytest.mark.parametrize("text", ["", "x", "1.5", "--5", "1_000", "٣", "9" * 5000])
def test_what_is_no_number_is_refused(text: str) -> None:
    assert "--retries needs a whole number" in refusal("claim acquire", "X", f"--retries={text}").message


def test_an_unknown_option_is_told_with_the_nearest() -> None:
    assert refusal("claim acquire", "X", "--tll=5").message == (
        "unknown option --tll for jit claim acquire; did you mean --ttl?"
    )
    assert "did you mean" not in refusal("claim acquire", "X", "--zzzzz").message


@pytest.mark.parametrize("words", [("X", "--reason"), ("X", "--reason", "--json"), ("X", "--reason", "--ttl=5")])
def test_an_option_without_its_value_is_told_what_it_needs(words: tuple[str, ...]) -> None:
    assert refusal("claim acquire", *words).message == "--reason needs a value: --reason TEXT"


def test_a_flag_with_a_value_is_refused() -> None:
    assert refusal("claim acquire", "X", "--strict=yes").message == "--strict takes no value, but got 'yes'"


def test_a_flag_is_not_the_beginning_of_a_cluster() -> None:
    assert "unknown option -qh" in refusal("claim acquire", "X", "-qh").message


def test_a_missing_argument_is_told_with_its_meaning() -> None:
    assert refusal("claim acquire").message == (
        "jit claim acquire needs ISSUE: id of the issue, or the beginning of one"
    )
    assert refusal("claim release").message == "jit claim release needs LEASE: id of a lease"


def test_too_many_arguments_are_named() -> None:
    assert refusal("claim acquire", "X", "Y", "Z").message == "jit claim acquire takes ISSUE; too much: Y Z"
    assert refusal("claim list", "Y").message == "jit claim list takes no arguments; too much: Y"


def test_a_command_to_run_without_two_dashes_is_told_where_they_go() -> None:
    assert "comes after --: … -- make test" in refusal("claim run", "X", "make", "test").message
    assert "needs a command to run after --" in refusal("claim run", "X", "--").message


def test_a_missing_required_option_is_named() -> None:
    assert refusal("claim evict", "L").message == "jit claim evict needs --reason TEXT"


def test_a_bad_choice_is_told_with_the_good_ones() -> None:
    message = refusal("claim acquire", "X", "--priority", "hihg").message
    assert message == "--priority must be one of low, normal, high, not 'hihg'; did you mean high?"
    assert "WHEN must be one of now, later" in refusal("claim evict", "L", "soon", "--reason", "r").message
    assert "--color must be one of" in refusal("claim acquire", "X", "--color", "green").message


def test_asking_for_a_name_that_is_not_in_the_spec_is_a_fault_of_the_program() -> None:
    with pytest.raises(KeyError):
        acquire("X").text("--tll")


@pytest.mark.parametrize("ask", ["text", "flag", "many"])
def test_asking_for_the_wrong_kind_is_a_fault_of_the_program(ask: str) -> None:
    with pytest.raises(TypeError, match="--ttl of jit claim acquire"):
        getattr(acquire("X"), ask)("--ttl")


def test_a_flag_is_not_a_number() -> None:
    with pytest.raises(TypeError, match="is not a number"):
        acquire("X").integer("--strict")


WORDS = st.one_of(
    st.text(max_size=6),
    st.sampled_from(
        ["--", "-", "--ttl", "--ttl=1", "--json", "-C", "-n", "-n4", "--label", "-h", "--help", "=", "--="]
    ),
)


@given(st.sampled_from(sorted(ALL)), st.lists(WORDS, max_size=6))
def test_any_words_are_either_understood_or_refused_as_usage(name: str, words: list[str]) -> None:
    try:
        parsed = parse(ALL[name], words)
    except UsageError as error:
        assert error.message  # noqa: PT017  either outcome is right, and both are checked
    else:
        own = {option.name for option in ALL[name].options} | {argument.name for argument in ALL[name].arguments}
        assert parsed.given <= own | GLOBAL


GLOBAL = {"--json", "--agent-id", "--repo", "--color", "--quiet", "--help"}


@given(st.text(), st.lists(st.text(), max_size=3))
def test_values_arrive_as_they_were_given(reason: str, labels: list[str]) -> None:
    parsed = acquire(f"--reason={reason}", *[f"--label={label}" for label in labels], "--", reason)
    assert parsed.text("--reason") == parsed.text("ISSUE") == reason
    assert parsed.many("--label") == tuple(labels)


@given(st.integers(0, 10**12), st.sampled_from([("", 1), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)]))
def test_a_duration_is_its_number_times_its_unit(number: int, unit: tuple[str, int]) -> None:
    assert seconds_of(f"{number}{unit[0]}") == number * unit[1]
