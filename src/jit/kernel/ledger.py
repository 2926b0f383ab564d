"""The state that deciding needs, and the fold that makes it: `evolve`."""

from __future__ import annotations

from jit.kernel.events import Beaten, Denied, Evicted, Granted, Lapsed, Refused, Released, Renewed, Transferred
from jit.kernel.policy import Indefinite
from jit.kernel.record import unreachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Protocol

    from jit.kernel.events import Event
    from jit.kernel.lease import Lease

    class Leases(Protocol):
        """What `decide` may ask: look-ups by name only, so that no answer costs more as the state grows."""

        @property
        def fence(self) -> int: ...
        def lease(self, lease_id: str) -> Lease | None: ...
        def holders(self, resource: str) -> tuple[Lease, ...]: ...
        def indefinite(self, agent: str) -> int: ...
        def of_agent(self, agent: str) -> tuple[Lease, ...]: ...


class Ledger:
    """All active leases in memory: the accumulator of the fold, owned by whoever folds."""

    __slots__ = ("_by_resource", "active", "fence")

    def __init__(self) -> None:
        self.fence = 0
        self.active: dict[str, Lease] = {}
        self._by_resource: dict[str, dict[str, None]] = {}

    def lease(self, lease_id: str) -> Lease | None:
        return self.active.get(lease_id)

    def holders(self, resource: str) -> tuple[Lease, ...]:
        return tuple(self.active[lease_id] for lease_id in self._by_resource.get(resource, ()))

    def indefinite(self, agent: str) -> int:
        """How many indefinite leases an agent holds; of all agents together for the empty name."""
        return sum(
            1
            for lease in self.active.values()
            if isinstance(lease.policy, Indefinite) and agent in ("", lease.owner.agent)
        )

    def of_agent(self, agent: str) -> tuple[Lease, ...]:
        """All leases of an agent, the oldest first."""
        mine = [lease for lease in self.active.values() if lease.owner.agent == agent]
        return tuple(sorted(mine, key=lambda lease: (lease.acquired.wall_ms, lease.lease_id)))

    def copy(self) -> Ledger:
        twin = Ledger()
        twin.fence = self.fence
        twin.active = dict(self.active)
        twin._by_resource = {resource: dict(ids) for resource, ids in self._by_resource.items()}
        return twin

    def put(self, lease: Lease) -> None:
        self.active[lease.lease_id] = lease
        for resource in lease.resources:
            self._by_resource.setdefault(resource, {})[lease.lease_id] = None

    def drop(self, lease_id: str) -> None:
        lease = self.active.pop(lease_id, None)
        for resource in lease.resources if lease else ():
            ids = self._by_resource[resource]
            ids.pop(lease_id, None)
            if not ids:
                del self._by_resource[resource]

    def __iter__(self) -> Iterator[Lease]:
        return iter(self.active.values())

    def __len__(self) -> int:
        return len(self.active)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ledger) and (self.fence, self.active) == (other.fence, other.active)

    __hash__ = None  # type: ignore[assignment]


def evolve(ledger: Ledger, event: Event) -> Ledger:
    """Apply one event in place. Total: every event has a consequence in every state, if only none."""
    match event:
        case Granted():
            ledger.fence = event.lease.fence
            ledger.put(event.lease)
        case Renewed() | Beaten():
            ledger.put(event.lease)
        case Released() | Lapsed() | Evicted():
            ledger.drop(event.lease.lease_id)
        case Transferred():
            ledger.drop(event.previous)
            ledger.fence = event.lease.fence
            ledger.put(event.lease)
        case Denied() | Refused():
            pass
        case _:
            unreachable(event)
    return ledger


def fold(events: Iterable[Event], ledger: Ledger | None = None) -> Ledger:
    """The ledger after these events."""
    state = Ledger() if ledger is None else ledger
    for event in events:
        evolve(state, event)
    return state
