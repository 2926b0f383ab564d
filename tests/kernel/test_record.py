"""A record is what a frozen, slotted dataclass would be, before and after it has a constructor of its own."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jit.kernel.instant import Instant
from jit.kernel.record import Record, replace, specialise


class Point(Record):
    x: int
    y: int = 2
    label: str = "p"

    @property
    def sum(self) -> int:
        return self.x + self.y


class Twin(Record):
    x: int
    y: int = 2
    label: str = "p"


class Nothing(Record):
    pass


@dataclass(frozen=True, slots=True)
class Measure:
    x: int
    y: int = 2
    label: str = "p"


BOTH = pytest.mark.parametrize("specialised", [False, True])


def made(*, specialised: bool) -> type[Twin]:
    """A class of its own, so that tests do not depend on their order."""

    class Sample(Record):
        x: int
        y: int = 2
        label: str = "p"

    if specialised:
        specialise()
    return Sample  # type: ignore[return-value]


def test_specialising_generates_constructors_and_may_be_asked_again() -> None:
    general, special = made(specialised=False).__init__, made(specialised=True).__init__
    specialise()
    assert special is not general
    sample = made(specialised=True)
    assert sample(1, label="q") == sample(1, 2, "q")


@BOTH
@pytest.mark.parametrize(
    ("args", "named"),
    [
        ((1,), {}),
        ((1, 5), {}),
        ((1, 5, "q"), {}),
        ((), {"x": 1}),
        ((1,), {"label": "q"}),
        ((), {"label": "q", "x": 3, "y": 4}),
    ],
)
def test_values_are_given_by_place_or_by_name_and_the_rest_are_defaults(
    args: tuple[int, ...], named: dict[str, object], *, specialised: bool
) -> None:
    value = made(specialised=specialised)(*args, **named)  # type: ignore[arg-type]
    expected = Measure(*args, **named)  # type: ignore[arg-type]
    assert (value.x, value.y, value.label) == (expected.x, expected.y, expected.label)


@BOTH
@pytest.mark.parametrize(
    ("args", "named"),
    [((), {}), ((), {"y": 1}), ((1, 2, "q", 4), {}), ((1,), {"z": 1}), ((1,), {"x": 2}), ((1, 2, "q"), {"z": 1})],
)
def test_too_few_too_many_or_unknown_values_are_refused(
    args: tuple[int, ...], named: dict[str, object], *, specialised: bool
) -> None:
    with pytest.raises(TypeError):
        made(specialised=specialised)(*args, **named)  # type: ignore[arg-type]


def test_a_record_without_fields_is_possible() -> None:
    assert Nothing() == Nothing()


def test_a_record_is_frozen() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match="Point is frozen: cannot set x"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match="cannot set z"):
        point.z = 2  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="cannot delete x"):
        del point.x
    assert point == Point(1)


def test_a_record_has_slots_and_no_dict() -> None:
    assert not hasattr(Point(1), "__dict__")
    assert Point.__slots__ == ("x", "y", "label")  # type: ignore[attr-defined]


@given(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2), st.integers(0, 2))
def test_records_are_equal_and_hash_alike_when_their_fields_do(x: int, y: int, other_x: int, other_y: int) -> None:
    one, other = Point(x, y), Point(other_x, other_y)
    assert (one == other) is ((x, y) == (other_x, other_y))
    assert (one != other) is ((x, y) != (other_x, other_y))
    assert one != other or hash(one) == hash(other)
    assert len({one, other}) == len({(x, y), (other_x, other_y)})


def test_records_of_two_kinds_are_never_equal() -> None:
    values: list[object] = [Point(1), Twin(1), (1, 2, "p"), None]
    assert all((one == other) is (one is other) for one in values for other in values)


def test_a_changed_copy_leaves_the_original() -> None:
    point = Point(1, 5, "q")
    assert replace(point, y=7) == Point(1, 7, "q")
    assert point == Point(1, 5, "q")
    with pytest.raises(TypeError):
        replace(point, z=1)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_record_survives_pickling_and_copying(protocol: int) -> None:
    instant = Instant(1, 2, "b")
    assert pickle.loads(pickle.dumps(instant, protocol)) == instant  # noqa: S301  our own bytes
    assert copy.copy(instant) == copy.deepcopy(instant) == instant


def test_a_record_shows_its_fields_and_matches_by_place() -> None:
    assert repr(Point(1)) == "Point(x=1, y=2, label='p')"
    match Point(4):
        case Point(x, y, label):
            assert (x, y, label) == (4, 2, "p")


def test_a_record_may_have_properties() -> None:
    assert Point(1, 6).sum == 7
