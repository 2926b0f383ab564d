"""Issues as documents: what goes in comes out, faults name the field, and an update that changes nothing is none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jit.errors import Invalid
from jit.kernel.record import replace
from jit.systems.issues.issue import PRIORITIES, STATES, Issue, change, decode, encode, urgency
from tests.traceability import covers

AT = "2026-01-03T12:00:00.000Z"
ISSUE = Issue("01A", "Fix it", "words", "ready", "normal", "", ("b", "a"), AT, AT)

texts = st.text(max_size=8)
titles = texts.filter(lambda text: bool(text.strip()))
issues = st.builds(
    Issue,
    id=texts,
    title=titles,
    description=texts,
    state=st.sampled_from(STATES),
    priority=st.sampled_from(PRIORITIES),
    assignee=texts,
    labels=st.sets(texts).map(sorted).map(tuple),
    created_at=texts,
    updated_at=texts,
    extra=st.just((("dependencies", ["01B"]), ("later", {"x": 1}))),
)


@given(issues)
def test_an_issue_comes_back_from_its_document(issue: Issue) -> None:
    assert decode(json.loads(json.dumps(encode(issue))), "issue.json") == issue


@covers("L:21")
@given(issues)
def test_the_document_of_an_issue_that_was_read_is_the_same_to_the_byte(issue: Issue) -> None:
    text = json.dumps(encode(issue), indent=2)
    assert json.dumps(encode(decode(json.loads(text), "issue.json")), indent=2) == text


def test_the_document_has_its_fields_in_order_and_its_labels_sorted_and_once() -> None:
    body = encode(replace(ISSUE, labels=("b", "a", "b"), extra=(("context", {"k": "v"}),)))
    assert list(body) == [
        "schema_version", "id", "title", "description", "state", "priority", "assignee", "labels", "created_at",
        "updated_at", "context",
    ]  # fmt: skip
    assert (body["labels"], body["assignee"], body["context"]) == (["a", "b"], None, {"k": "v"})


def test_what_a_document_leaves_out_has_its_usual_value() -> None:
    issue = decode({"id": "01A", "title": "T", "created_at": AT, "updated_at": AT}, "issue.json")
    assert (issue.state, issue.priority, issue.labels, issue.assignee) == ("ready", "normal", (), "")


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("id", None, "id must be text"),
        ("title", 5, "title must be text, not 5"),
        ("title", "  ", "the title is empty"),
        ("created_at", None, "created_at must be text"),
        ("state", "molten", "state must be one of backlog, ready, .* not 'molten'"),
        ("priority", "huge", "priority must be one of critical, .* not 'huge'"),
        ("labels", "urgent", "labels must be a list of texts"),
        ("labels", [1], "labels must be a list of texts"),
    ],
)
def test_a_fault_names_the_file_and_the_field(field: str, value: object, words: str) -> None:
    with pytest.raises(Invalid, match=f"^.jit/x.json: {words}") as caught:
        decode(encode(ISSUE) | {field: value}, ".jit/x.json")
    assert caught.value.details == {"file": ".jit/x.json"}


@covers("L:21")
@pytest.mark.parametrize("changes", [{}, {"title": "Fix it"}, {"labels": ("a", "b", "a")}])
def test_a_change_that_changes_nothing_is_the_same_issue(changes: dict[str, object]) -> None:
    assert change(ISSUE, changes, "2027") is ISSUE


def test_a_change_carries_its_time() -> None:
    changed = change(ISSUE, {"state": "done"}, "2027")
    assert (changed.state, changed.updated_at, changed.created_at) == ("done", "2027", AT)


def test_urgent_issues_come_first_and_then_the_oldest() -> None:
    rows = [("low", "01A"), ("normal", "01C"), ("critical", "01D"), ("normal", "01B"), ("high", "01E")]
    issues = [replace(ISSUE, id=name, priority=priority) for priority, name in rows]
    assert [issue.id for issue in sorted(issues, key=urgency)] == ["01D", "01E", "01B", "01C", "01A"]
