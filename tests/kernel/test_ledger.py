"""The fold: each event's consequence, and look-ups that agree with a plain list of leases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jit.kernel.events import Beaten, Denied, Evicted, Granted, Lapsed, Refused, Released, Renewed, Transferred
from jit.kernel.ledger import Ledger, evolve, fold
from jit.kernel.policy import Indefinite
from jit.kernel.record import replace
from tests.kernel.made import ANN, BOB, ENDLESS, EVE, later, made_lease
from tests.traceability import covers

if TYPE_CHECKING:
    from jit.kernel.events import Event
    from jit.kernel.lease import Lease

LEASE = made_lease("L1", "file:a", "file:b", fence=4)


def test_a_grant_is_found_by_id_and_by_each_resource() -> None:
    state = fold([Granted(LEASE)])
    assert (state.lease("L1"), state.holders("file:a"), state.holders("file:b")) == (LEASE, (LEASE,), (LEASE,))
    assert (state.lease("L2"), state.holders("file:c")) == (None, ())
    assert (state.fence, len(state), list(state)) == (4, 1, [LEASE])


@pytest.mark.parametrize("event", [Renewed, Beaten], ids=lambda event: event.__name__)
def test_renewing_and_beating_replace_the_lease_and_keep_the_fence(event: type[Renewed | Beaten]) -> None:
    changed = replace(LEASE, beat=later(5))
    state = fold([Granted(LEASE), event(changed)])
    assert (state.lease("L1"), state.holders("file:b"), state.fence) == (changed, (changed,), 4)


@pytest.mark.parametrize(
    "event",
    [Released(LEASE, ANN, ""), Lapsed(LEASE), Evicted(LEASE, BOB, "gone")],
    ids=lambda event: type(event).__name__,
)
def test_an_end_leaves_nothing_but_the_fence(event: Event) -> None:
    state = fold([Granted(LEASE), event])
    assert (len(state), state.lease("L1"), state.holders("file:a"), state.fence) == (0, None, (), 4)


def test_a_transfer_replaces_one_lease_by_another() -> None:
    heir = made_lease("L2", "file:a", "file:b", owner=BOB, fence=5)
    state = fold([Granted(LEASE), Transferred(heir, "L1", ANN, "ill")])
    assert (list(state), state.holders("file:a"), state.fence) == ([heir], (heir,), 5)


@pytest.mark.parametrize("event", [Denied("file:a", BOB, LEASE), Refused("not-owner", BOB, "L1", LEASE)])
def test_a_refusal_has_no_consequence(event: Event) -> None:
    assert fold([Granted(LEASE), event]) == fold([Granted(LEASE)])


@pytest.mark.parametrize("event", [Released(LEASE, ANN, ""), Lapsed(LEASE), Evicted(LEASE, BOB, "gone")])
def test_an_end_of_what_is_not_there_changes_nothing(event: Event) -> None:
    assert fold([event]) == Ledger()


def test_a_copy_goes_its_own_way() -> None:
    state = fold([Granted(LEASE)])
    twin = state.copy()
    assert twin == state
    evolve(twin, Lapsed(LEASE))
    assert (len(state), state.holders("file:a"), twin.holders("file:a")) == (1, (LEASE,), ())
    assert twin != state


def test_ledgers_differ_by_their_fence_alone() -> None:
    assert fold([Granted(LEASE), Lapsed(LEASE)]) != Ledger()
    assert Ledger() != "a ledger"


def test_indefinite_leases_are_counted_by_agent_and_altogether() -> None:
    owners = [ANN, ANN, BOB, EVE]
    leases = [made_lease(f"L{n}", f"issue:{n}", owner=owner, policy=ENDLESS) for n, owner in enumerate(owners)]
    state = fold(Granted(lease) for lease in [*leases, made_lease("L9", "issue:9")])
    assert [state.indefinite(name) for name in ("agent:ann", "agent:bob", "agent:nobody", "")] == [2, 1, 0, 4]


steps = st.lists(st.tuples(st.sampled_from("gdb"), st.integers(0, 5), st.sets(st.sampled_from("abc"), min_size=1)))


@covers("002:schema.rebuild")
@given(steps)
def test_look_ups_agree_with_a_plain_list_after_any_events(history: list[tuple[str, int, set[str]]]) -> None:
    plain: dict[str, Lease] = {}
    events: list[Event] = []
    for verb, number, names in history:
        name = f"L{number}"
        if verb == "g" and name not in plain:
            policy = ENDLESS if number % 2 else LEASE.policy
            plain[name] = made_lease(name, *sorted(names), policy=policy, fence=len(events) + 1)
            events.append(Granted(plain[name]))
        elif verb == "d" and name in plain:
            events.append(Released(plain.pop(name), ANN, ""))
        elif verb == "b" and name in plain:
            plain[name] = replace(plain[name], beat=later(number))
            events.append(Beaten(plain[name]))
    state = fold(events)
    assert dict(state.active) == plain
    for resource in "abc":
        held = {lease.lease_id for lease in plain.values() if resource in lease.resources}
        assert {lease.lease_id for lease in state.holders(resource)} == held
    assert state.indefinite("") == sum(isinstance(lease.policy, Indefinite) for lease in plain.values())
