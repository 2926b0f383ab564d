"""What clients say is understood: every recorded payload means the intent written beside it."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jit.errors import Invalid, UsageError
from jit.hooks.clients import NAMES, client
from jit.hooks.intent import Intent
from tests.hooks.clients.recorded import Sample, sample, samples

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("one", samples(), ids=str)
def test_a_recorded_payload_means_its_intent(one: Sample) -> None:
    assert client(one.client).read(one.payload, one.hint) == one.intent


@pytest.mark.parametrize("one", samples(), ids=str)
def test_unknown_fields_change_nothing_and_the_payload_stays_as_it_was(one: Sample) -> None:
    more = copy.deepcopy(one.payload) | {"new_field": {"deep": [1]}, "newField": 3}
    before = json.dumps(more)
    assert client(one.client).read(more, one.hint) == one.intent
    assert json.dumps(more) == before


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_payload_is_an_intent_that_gates_nothing(name: str) -> None:
    intent = client(name).read({}, "")
    assert (intent.event, intent.manner, intent.paths, intent.session) == ("other", "none", (), "")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("event", ["pre", "post", "failed", "stop", "subagent-stop", "start", "end", "prompt"])
def test_the_hint_may_be_jits_own_word_for_the_event(name: str, event: str) -> None:
    assert client(name).read({}, event).event == event


@pytest.mark.parametrize(
    ("name", "title", "field", "value"),
    [
        ("claude", "a Write replaces the whole file", "tool_input", {"file_path": 7}),
        ("claude", "a Write replaces the whole file", "tool_input", ["/repo/x.txt"]),
        ("claude", "a Write replaces the whole file", "session_id", 7),
        ("claude", "a shell command", "tool_input", {"command": ["ls"]}),
        ("claude", "a shell command in the background", "tool_input", {"command": "ls", "run_in_background": "yes"}),
        ("codex", "a shell command", "tool_input", {"command": ["ls"]}),
        ("copilot", "a new file", "toolArgs", 7),
        ("copilot", "a new file", "toolArgs", '{"path": '),
        ("gemini", "a whole file", "tool_input", "x.txt"),
        ("qwen", "a whole file", "tool_input", {"file_path": {"a": 1}}),
        ("cursor", "a delete", "tool_input", 7),
        ("cursor", "a delete", "workspace_roots", "/repo"),
        ("opencode", "a whole file", "args", []),
        ("cline", "several commands become lines", "tool_call", {"name": "run_commands", "input": {"commands": [1]}}),
    ],
)
def test_a_field_of_the_wrong_type_is_named_and_not_guessed(name: str, title: str, field: str, value: object) -> None:
    one = sample(name, title)
    with pytest.raises(Invalid, match="the client sent") as caught:
        client(name).read(one.payload | {field: value}, one.hint)
    assert caught.value.hint == "jit doctor --coverage"


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_whatever_a_client_sends_is_an_intent_or_a_fault_with_words(name: str, data: st.DataObject) -> None:
    one = data.draw(st.sampled_from(samples(name)))
    field = data.draw(st.sampled_from(sorted(one.payload)))
    heard = outcome(name, one.payload | {field: data.draw(JSON)}, one.hint)
    if isinstance(heard, Invalid):
        assert "the client sent" in heard.message
    else:
        assert heard.client == name
        assert all(type(path) is str for path in heard.paths)
        assert "" not in heard.paths


def outcome(name: str, payload: dict[str, object], hint: str) -> Intent | Invalid:
    try:
        return client(name).read(payload, hint)
    except Invalid as fault:
        return fault


def test_a_client_that_nobody_knows_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no agent client is called 'emacs'"):
        client("emacs")
