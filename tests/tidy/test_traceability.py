"""The requirements and the tests agree, and the comparison itself can fail."""

from __future__ import annotations

import pytest

from tests.traceability import Proof, Requirement, faults, load, proofs_of, scan

pytestmark = pytest.mark.tidy

NOW = Requirement("002:AC1", "agents work in parallel", "now")
PLANNED = Requirement("000:V1", "one writer", "planned", "file gate: not built yet")


def test_every_requirement_has_a_test_or_a_reason_and_no_test_names_an_unknown_one() -> None:
    found = faults(load(), scan())
    assert not found, f"{len(found)} faults between requirements and tests:\n" + "\n".join(found)


def test_a_requirement_without_a_test_is_a_fault() -> None:
    assert faults([NOW], []) == ["no test covers 002:AC1: agents work in parallel"]


def test_a_covered_requirement_and_a_planned_one_with_a_reason_are_no_faults() -> None:
    assert faults([NOW, PLANNED], [Proof("002:AC1", "test_x.py:3")]) == []


def test_a_test_that_names_an_unknown_requirement_is_a_fault() -> None:
    assert faults([], [Proof("009:X", "test_x.py:3")]) == ["unknown 009:X: named by test_x.py:3"]


def test_a_planned_requirement_without_a_reason_is_a_fault() -> None:
    assert faults([Requirement("000:V1", "one writer", "planned")], []) == ["000:V1 is planned without a reason"]


def test_a_planned_requirement_that_is_covered_is_a_fault() -> None:
    assert faults([PLANNED], [Proof("000:V1", "test_x.py:3")]) == [
        "000:V1 is planned but covered by test_x.py:3: make it now"
    ]


def test_an_id_used_twice_is_a_fault() -> None:
    assert faults([PLANNED, PLANNED], []) == ["duplicate 000:V1"]


def test_a_status_of_another_word_is_a_fault() -> None:
    odd = Requirement("000:V1", "one writer", "soon")
    assert faults([odd], []) == ["status of 000:V1 is 'soon': it must be now or planned"]


@pytest.mark.parametrize(
    "source",
    [
        '@covers("A:1", "A:2")\ndef test_x(): ...',
        '@covers("A:1")\n@covers("A:2")\ndef test_x(): ...',
        '@covers("A:1", "A:2")\nclass TestX: ...',
        'pytestmark = [pytest.mark.unit, covers("A:1", "A:2")]',
        'class TestX:\n    @pytest.mark.covers("A:1", "A:2")\n    def test_y(self): ...',
        'TestX = covers("A:1", "A:2")(Machine.TestCase)',
        'TestX = Machine.TestCase\nTestX.pytestmark = [covers("A:1", "A:2")]',
    ],
)
def test_ids_are_found_wherever_a_test_carries_them(source: str) -> None:
    assert sorted(proof.id for proof in proofs_of(source, "test_x.py")) == ["A:1", "A:2"]


@pytest.mark.parametrize("source", ['covers("A:1")', '@covers("A:1")\ndef fixture(): ...', '"covers(A:1)"'])
def test_ids_that_no_test_carries_do_not_count(source: str) -> None:
    assert list(proofs_of(source, "test_x.py")) == []


def test_an_id_that_is_computed_is_refused() -> None:
    with pytest.raises(TypeError, match=r"test_x.py:1: covers takes literal ids only"):
        list(proofs_of("@covers(NAME)\ndef test_x(): ...", "test_x.py"))
