"""Editing JSON with comments: the value is right, and everything else keeps its bytes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jit.install import jsonc
from tests.install.ground import without_comments

COMMENTED = """\
// settings of this machine
{
    "model": "large", // the default
    /* two
       lines */
    "list": [
        1, // first
        2 // last
    ],
    "empty": {},
    "inline": {"a": [1, 2]}, // trailing comma follows
}
"""

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
documents = st.dictionaries(st.text(max_size=5), values, max_size=4)
indents = st.sampled_from([None, 2, 4, "\t"])


@given(documents, indents)
def test_a_text_is_read_as_the_value_it_stands_for(document: dict[str, object], indent: int | str | None) -> None:
    assert jsonc.parse(json.dumps(document, indent=indent)).value == document


@given(
    documents.filter(lambda document: document and "more" not in document),
    values,
    indents,
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_is_inserted_is_there_and_removing_it_gives_the_same_bytes(
    document: dict[str, object], value: object, indent: int | str | None, newline: str
) -> None:
    text = (json.dumps(document, indent=indent, ensure_ascii=False) + "\n").replace("\n", newline)
    longer = jsonc.insert(text, jsonc.parse(text), value, key="more")
    assert json.loads(longer) == document | {"more": value}
    assert longer.count("\n") == longer.count(newline)
    root = jsonc.parse(longer)
    assert jsonc.remove(longer, root, len(root.members) - 1) == text


@given(st.lists(values, min_size=1, max_size=5), st.data(), indents)
def test_removing_any_element_leaves_the_others(items: list[object], data: st.DataObject, indent: int | None) -> None:
    text = json.dumps(items, indent=indent)
    at = data.draw(st.integers(0, len(items) - 1))
    assert json.loads(jsonc.remove(text, jsonc.parse(text), at)) == items[:at] + items[at + 1 :]


@given(st.lists(values, min_size=1, max_size=5), values, st.data(), indents)
def test_replacing_any_element_leaves_the_others(
    items: list[object], value: object, data: st.DataObject, indent: int | None
) -> None:
    text = json.dumps(items, indent=indent)
    at = data.draw(st.integers(0, len(items) - 1))
    changed = jsonc.replace(text, jsonc.parse(text).members[at].node, value)
    assert json.loads(changed) == [*items[:at], value, *items[at + 1 :]]


def test_comments_and_trailing_commas_are_understood_and_kept() -> None:
    root = jsonc.parse(COMMENTED)
    assert root.value == {"model": "large", "list": [1, 2], "empty": {}, "inline": {"a": [1, 2]}}
    numbers = root.get("list")
    assert numbers is not None
    assert jsonc.insert(COMMENTED, numbers, 3) == COMMENTED.replace(
        "        2 // last\n", "        2, // last\n        3\n"
    )
    longer = jsonc.insert(COMMENTED, root, {"x": []}, key="new")
    assert longer == COMMENTED.replace(
        "// trailing comma follows\n", '// trailing comma follows\n    "new": {\n        "x": []\n    },\n'
    )
    assert json.loads(without_comments(longer))["new"] == {"x": []}


def test_an_inline_list_stays_inline_and_an_empty_one_grows_like_its_file() -> None:
    root = jsonc.parse(COMMENTED)
    inline, empty = root.get("inline"), root.get("empty")
    assert inline is not None
    assert empty is not None
    assert '{"a": [1, 2], "b": {"c": 1}}' in jsonc.insert(COMMENTED, inline, {"c": 1}, key="b")
    assert '"empty": {\n        "b": 1\n    },' in jsonc.insert(COMMENTED, empty, 1, key="b")


def test_an_element_after_a_line_comment_does_not_vanish_in_it() -> None:
    text = "[1 // one\n]"
    longer = jsonc.insert(text, jsonc.parse(text), 2)
    assert jsonc.parse(longer).value == [1, 2]
    only = '{"a": [ // nothing yet\n]}'
    node = jsonc.parse(only).get("a")
    assert node is not None
    assert jsonc.parse(jsonc.insert(only, node, 1)).value == {"a": [1]}


def test_of_a_repeated_key_the_last_one_counts() -> None:
    node = jsonc.parse('{"a": 1, "a": 2}').get("a")
    assert node is not None
    assert node.value == 2


def test_a_byte_order_mark_is_white_space() -> None:
    assert jsonc.parse('\ufeff{"a": 1}').value == {"a": 1}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1, column 1: a value is missing"),
        ("{", "line 1, column 2: a key with a colon is missing"),
        ('{"a" 1}', "a key with a colon is missing"),
        ('{"a": 1\n "b": 2}', r"line 2, column 2: a comma or } is missing"),
        ("[1 2]", r"a comma or \] is missing"),
        ("[1,,2]", "a value is missing"),
        ("[,]", "a value is missing"),
        ('{"a": nul}', "nul is no value"),
        ('{"a": "\\q"}', "is no value"),
        ("{} {}", "something stands after the end"),
        ("{} // fine\n/* but", "something stands after the end"),
        ("[" * 5000, "more than 200 levels"),
    ],
)
def test_what_is_not_json_is_refused_with_its_place(text: str, words: str) -> None:
    with pytest.raises(jsonc.NotJson, match=words):
        jsonc.parse(text)


@given(st.text(alphabet='{}[]",:/*\\ \n1a', max_size=20))
def test_no_text_does_anything_but_parse_or_be_refused(text: str) -> None:
    try:
        node = jsonc.parse(text)
    except jsonc.NotJson:
        return
    assert text[node.start : node.end].strip() == text[node.start : node.end]
