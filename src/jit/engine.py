"""The loop that every change goes through: read, observe, decide, append, settle.

The engine makes no judgement. It asks the store for the state, the world for evidence, the decider for events, and
the store to keep them. If somebody else appended first it looks again; if an acknowledgement is lost it asks for the
batch by its id. Only then does it answer.
"""

from __future__ import annotations

from jit.errors import Unavailable
from jit.kernel.events import recorded
from jit.kernel.lease import Evidence
from jit.kernel.record import Record, specialise
from jit.store.api import AppendUnknown, Batch, Conflict
from jit.systems.decide import decide, is_of_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from jit.kernel.events import Event
    from jit.kernel.instant import Instant
    from jit.kernel.lease import Lease, ProcessRef
    from jit.kernel.ledger import Leases
    from jit.kernel.policy import Liveness
    from jit.store.api import Appended, EventStore
    from jit.systems.decide import AnyCommand

    class World(Protocol):
        """What the engine asks the world."""

        def now(self) -> Instant: ...
        def ulid(self, wall_ms: int) -> str: ...
        def liveness(self, process: ProcessRef) -> Liveness: ...
        def content(self, resource: str) -> str: ...


ATTEMPTS = 100
BUSY = 32  # a process that submits so many commands gains from constructors of its own


class Outcome(Record):
    """What came of a command: its events, the last of which is the answer, and the store's sequence behind them."""

    events: tuple[Event, ...]
    sequence: int
    batch_id: str

    @property
    def answer(self) -> Event:
        return self.events[-1]


class Engine:
    """One store and one world."""

    def __init__(self, store: EventStore, world: World) -> None:
        self.store = store
        self.world = world
        self._submitted = 0

    def submit(self, command: AnyCommand) -> Outcome:
        """Carry a command out, durably, and say what happened."""
        self._submitted += 1
        if self._submitted == BUSY:
            specialise()
        for _ in range(ATTEMPTS):
            outcome, appended = self._attempt(command)
            if outcome is not None:
                if appended is not None:
                    self._settle(appended)
                return outcome
        raise Unavailable(
            f"{ATTEMPTS} other writers came first, one after the other; nothing was changed",
            hint="run the command again",
        )

    def _attempt(self, command: AnyCommand) -> tuple[Outcome | None, Appended | None]:
        with self.store.exclusive():
            view = self.store.view()
            evidence = self._observe(view.leases, command)
            events = decide(view.leases, command, evidence)
            kept = recorded(events)
            if not kept:
                return Outcome(events, view.sequence, ""), None
            batch_id = self.world.ulid(evidence.now.wall_ms)
            answer = self.store.append(Batch(batch_id, command, evidence, kept), view.sequence)
        if isinstance(answer, Conflict):
            return None, None
        return Outcome(events, answer.sequence, batch_id), answer

    def _observe(self, leases: Leases, command: AnyCommand) -> Evidence:
        """The time; for every process whose life the decision may turn on, whether it lives; for files, what they
        hold.
        """
        now = self.world.now()
        holders, resources = _concerned(leases, command)
        processes = {lease.owner.process for lease in holders if lease.owner.process is not None}
        content = {resource: self.world.content(resource) for resource in resources} if resources else None
        if not processes:
            return Evidence(now, {}, None, content)
        alive = {process: self.world.liveness(process) for process in sorted(processes, key=repr)}
        return Evidence(now, alive, None, content)

    def _settle(self, appended: Appended) -> None:
        try:
            self.store.settle(appended)
        except AppendUnknown as unknown:
            if not self.store.resolve(appended.batch_id):
                raise Unavailable(
                    f"it is not known whether batch {unknown.batch_id} was stored: {unknown.why}",
                    hint=f"look for it with: jit log --batch {unknown.batch_id}",
                    details={"batch_id": unknown.batch_id},
                ) from unknown


def _concerned(leases: Leases, command: AnyCommand) -> tuple[list[Lease], list[str]]:
    """The leases whose owners' life matters for a decision, and the files whose content does."""
    if is_of_files(command):
        from jit.systems.files.concern import concerned

        return concerned(leases, command)  # type: ignore[arg-type]
    lease_id = getattr(command, "lease_id", "")
    if lease_id and not hasattr(command, "resources"):
        lease = leases.lease(lease_id)
        return ([] if lease is None else [lease]), []
    resources = getattr(command, "resources", ())  # a claim ends by time, never by the life of a process
    return [lease for resource in resources for lease in leases.holders(resource)], []
