"""A decision in one sentence: given these events, when this command, then these events.

For example `Spec(decide).given(Granted(lease)).when(Release("L1", ann), evidence).then(Released(lease, ann, ""))` says
that whoever holds a lease may give it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from jit.kernel.ledger import fold

if TYPE_CHECKING:
    from collections.abc import Callable

    from jit.kernel.events import Event
    from jit.kernel.lease import Evidence
    from jit.kernel.ledger import Leases

C = TypeVar("C")


class Spec(Generic[C]):
    """One decider and the history that it decides upon. Each step answers with a new value."""

    def __init__(self, decide: Callable[[Leases, C, Evidence], tuple[Event, ...]], *history: Event) -> None:
        self._decide = decide
        self._history = history

    def given(self, *events: Event) -> Spec[C]:
        """The same decider after these events as well."""
        return Spec(self._decide, *self._history, *events)

    def when(self, command: C, evidence: Evidence) -> Decision:
        """Ask, twice: deciding may neither change the state nor depend on having been asked before."""
        state = fold(self._history)
        events = self._decide(state, command, evidence)
        assert self._decide(state, command, evidence) == events, "asked again, it decides otherwise"
        assert state == fold(self._history), "deciding changed the state"
        return Decision(events)


class Decision:
    """What was decided."""

    def __init__(self, events: tuple[Event, ...]) -> None:
        self.events = events

    def then(self, *expected: Event) -> None:
        """These events and no others, in this order."""
        assert self.events == expected, f"expected{_listed(expected)}\nbut it was{_listed(self.events)}"


def _listed(events: tuple[Event, ...]) -> str:
    return "".join(f"\n  {event!r}" for event in events) or "\n  nothing"
