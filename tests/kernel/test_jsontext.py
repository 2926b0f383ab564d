"""Two ways to the same JSON: the C functions that cost nothing to import, and the public package."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jit.kernel.jsontext import dumps, loads, private_pair, public_pair, quote

if TYPE_CHECKING:
    from collections.abc import Callable

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)
PAIRS = {"private": private_pair(), "public": public_pair()}
EITHER = pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)

Pair = tuple["Callable[[str], object]", "Callable[[object], str]"]


@EITHER
@given(value=values)
def test_both_ways_print_what_the_public_package_prints(pair: Pair, value: object) -> None:
    assert pair[1](value) == json.dumps(value, separators=(",", ":"))


@EITHER
@given(value=values, indent=st.none() | st.integers(0, 3))
def test_both_ways_read_what_the_public_package_prints(pair: Pair, value: object, indent: int | None) -> None:
    assert pair[0](json.dumps(value, indent=indent)) == value


@given(st.text('[]{}",:0123456789.eE+-truefalsnNaInity \t\n\\u', max_size=12))
def test_both_ways_accept_the_same_texts_with_the_same_values(text: str) -> None:
    assert attempt(PAIRS["private"][0], text) == attempt(PAIRS["public"][0], text)


def attempt(parse: Callable[[str], object], text: str) -> str:
    try:
        return repr(parse(text))
    except ValueError:
        return "refused"


@EITHER
@pytest.mark.parametrize(
    "text",
    ["", " ", "{", "[1,]", '{"a":1,}', "nul", "NaN", "Infinity", "-Infinity", "1 2", '"\n"', "'a'", "[1]x", "\ufeff1"],
)
def test_what_is_not_json_is_refused(pair: Pair, text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  the words differ between the two
        pair[0](text)


@EITHER
@pytest.mark.parametrize("text", [" 1", "1 ", "\t[1,\n2]\r\n"])
def test_space_around_a_value_does_not_matter(pair: Pair, text: str) -> None:
    assert pair[0](text) == json.loads(text)


@EITHER
@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_json_does_not_have_are_not_printed(pair: Pair, value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        pair[1](value)


@EITHER
@pytest.mark.parametrize("value", [object(), {1, 2}, b"x", [object()]])
def test_values_that_json_does_not_have_are_not_printed(pair: Pair, value: object) -> None:
    with pytest.raises(TypeError):
        pair[1](value)


@given(values)
def test_the_readable_form_has_the_same_value(value: object) -> None:
    assert json.loads(dumps(value, indent=2)) == value
    assert loads(dumps(value, indent=2)) == value


def test_the_order_of_keys_is_kept() -> None:
    assert dumps({"z": 1, "a": 2}) == '{"z":1,"a":2}'
    assert list(loads('{"z":1,"a":2}')) == ["z", "a"]  # type: ignore[call-overload]


@given(st.text())
def test_a_quoted_text_is_a_json_string_in_ascii(text: str) -> None:
    assert json.loads(quote(text)) == text
    assert quote(text).isascii()
