"""What every store must answer, as tests that any store can run.

Subclass `StoreContract` in a test file and give it a fixture named `opener`: a function that opens one more handle on
one and the same history, empty at first. The checks never ask the code that folds events; `Held` below is a second,
plainer opinion.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def opener(self, tmp_path):
            return lambda: MyStore(tmp_path)
"""

from __future__ import annotations

from jit.kernel.commands import Acquire, Beat, Evict, Release, Renew, Transfer
from jit.kernel.events import Beaten, Denied, Evicted, Granted, Lapsed, Refused, Released, Renewed, Transferred
from jit.kernel.instant import Instant
from jit.kernel.lease import Evidence, Lease, Owner, ProcessRef
from jit.kernel.policy import Indefinite, Revisions, Ttl, WhileAlive
from jit.kernel.record import Record, replace
from jit.store.api import Appended, Batch, Conflict
from jit.systems.claims.decide import Claim, ClaimNext, Quota

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jit.kernel.events import Event
    from jit.store.api import EventStore
    from jit.systems.claims.decide import ClaimCommand

    Opener = Callable[[], EventStore]

ANN = Owner("agent:ann", "wt:00000001")
BOB = Owner("agent:bob", "wt:00000002", "session-2", ProcessRef("host", "boot", 7, 70, "ns"))
START_MS = 1_767_441_600_000


class Held(Record):
    """Who holds what, by the plainest reading of a history: later events win, and four kinds of them end a lease."""

    active: dict[str, Lease]
    fence: int


class StoreContract:
    """The checks. Each begins with an empty history."""

    def test_an_empty_store_has_no_history_and_no_leases(self, opener: Opener) -> None:
        store = opener()
        with store.exclusive():
            view = store.view()
            assert (view.sequence, view.leases.fence) == (0, 0)
        assert list(store.read()) == []
        assert (store.snapshot().sequence, len(store.snapshot().ledger)) == (0, 0)

    def test_a_batch_is_appended_where_it_was_expected(self, opener: Opener) -> None:
        store = opener()
        batch = grant(1)
        answer = append(store, batch)
        assert (answer.sequence, answer.batch_id) == (1, batch.batch_id)
        assert [(x.first, x.last, x.batch) for x in store.read()] == [(1, 1, batch)]

    def test_a_batch_that_expects_another_position_conflicts_and_changes_nothing(self, opener: Opener) -> None:
        store = opener()
        append(store, grant(1))
        for wrong in (0, 2):
            with store.exclusive():
                assert store.append(grant(2), wrong) == Conflict(wrong, 1)
        assert [x.batch.batch_id for x in store.read()] == [grant(1).batch_id]
        assert store.snapshot().sequence == 1

    def test_every_kind_of_batch_comes_back_as_it_was_stored(self, opener: Opener) -> None:
        store = opener()
        stored = every_kind()
        for batch in stored:
            append(store, batch)
        assert [x.batch for x in store.read()] == stored

    def test_a_batch_of_many_events_is_read_whole_and_numbered_without_a_gap(self, opener: Opener) -> None:
        store = opener()
        for batch in every_kind():
            append(store, batch)
        places = [(x.first, x.last, len(x.batch.events)) for x in store.read()]
        assert all(last - first + 1 == count for first, last, count in places)
        assert [first for first, _, _ in places] == [1] + [last + 1 for _, last, _ in places[:-1]]

    def test_reading_begins_behind_the_sequence_that_is_asked_for(self, opener: Opener) -> None:
        store = opener()
        for batch in every_kind():
            append(store, batch)
        whole = list(store.read())
        for after in range(whole[-1].last + 2):
            assert list(store.read(after)) == [x for x in whole if x.last > after]

    def test_the_snapshot_is_what_the_history_adds_up_to_after_every_batch(self, opener: Opener) -> None:
        store = opener()
        for batch in every_kind():
            answer = append(store, batch)
            snapshot = store.snapshot()
            held = add_up(x.batch.events for x in store.read())
            assert (snapshot.ledger.active, snapshot.ledger.fence) == (held.active, held.fence)
            assert snapshot.sequence == answer.sequence

    def test_the_view_answers_by_name_what_the_history_adds_up_to(self, opener: Opener) -> None:
        store = opener()
        for batch in every_kind():
            append(store, batch)
        held = add_up(x.batch.events for x in store.read())
        with store.exclusive():
            leases = store.view().leases
            assert leases.fence == held.fence
            for lease_id in {lease.lease_id for lease in _mentioned(store)}:
                assert leases.lease(lease_id) == held.active.get(lease_id)
            for name in {name for lease in _mentioned(store) for name in lease.resources}:
                assert {x.lease_id for x in leases.holders(name)} == _holders(held, name)
            for agent in ("", ANN.agent, BOB.agent, "agent:nobody"):
                assert leases.indefinite(agent) == _endless(held, agent)

    def test_writers_that_take_turns_see_each_other(self, opener: Opener) -> None:
        stores = [opener(), opener(), opener()]
        for number in range(1, 13):
            store = stores[number % 3]
            assert append(store, grant(number)).sequence == number
            with store.exclusive():
                assert store.view().leases.fence == number
        reads = [[x.batch.batch_id for x in store.read()] for store in stores]
        assert reads == [[grant(n).batch_id for n in range(1, 13)]] * 3

    def test_a_rival_that_came_first_is_a_conflict(self, opener: Opener) -> None:
        one, other = opener(), opener()
        with one.exclusive():
            seen = one.view().sequence
        append(other, grant(1))
        with one.exclusive():
            assert one.append(grant(2), seen) == Conflict(0, 1)
        assert append(one, grant(2)).sequence == 2

    def test_a_batch_is_found_again_by_its_id(self, opener: Opener) -> None:
        store = opener()
        append(store, grant(1))
        append(store, every_kind()[0])
        assert store.resolve(grant(1).batch_id)
        assert opener().resolve(every_kind()[0].batch_id)
        assert not store.resolve(grant(99).batch_id)

    def test_refusals_are_history_and_change_no_lease(self, opener: Opener) -> None:
        store = opener()
        append(store, grant(1))
        before = store.snapshot().ledger
        lease = lease_of(1)
        command = Release(lease.lease_id, BOB)
        append(store, Batch(name(50), command, evidence(50), (Refused("not-owner", BOB, lease.lease_id, lease),)))
        append(store, Batch(name(51), acquire(2, BOB), evidence(51), (Denied("issue:1", BOB, lease),)))
        assert store.snapshot().ledger == before
        assert store.snapshot().sequence == 3

    def test_a_snapshot_is_taken_while_somebody_writes(self, opener: Opener) -> None:
        store, reader = opener(), opener()
        append(store, grant(1))
        with store.exclusive():
            before = reader.snapshot()
            answer = store.append(grant(2), store.view().sequence)
            assert isinstance(answer, Appended)
        store.settle(answer)
        assert set(before.ledger.active) == {lease_of(1).lease_id}
        assert set(reader.snapshot().ledger.active) == {lease_of(1).lease_id, lease_of(2).lease_id}

    def test_a_snapshot_stays_as_it_was_when_it_was_taken(self, opener: Opener) -> None:
        store = opener()
        append(store, grant(1))
        before = store.snapshot()
        append(store, grant(2))
        assert set(before.ledger.active) == {lease_of(1).lease_id}

    def test_leaving_without_appending_leaves_nothing_behind(self, opener: Opener) -> None:
        store = opener()
        with store.exclusive():
            store.view()
        assert append(store, grant(1)).sequence == 1


def append(store: EventStore, batch: Batch) -> Appended:
    """Append where the store stands, and wait until it is durable."""
    with store.exclusive():
        answer = store.append(batch, store.view().sequence)
    assert isinstance(answer, Appended), answer
    store.settle(answer)
    return answer


def add_up(batches: Iterable[tuple[Event, ...]]) -> Held:
    active: dict[str, Lease] = {}
    fence = 0
    for event in (event for events in batches for event in events):
        if isinstance(event, (Denied, Refused)):
            continue
        if isinstance(event, (Released, Lapsed, Evicted)):
            del active[event.lease.lease_id]
            continue
        if isinstance(event, Transferred):
            del active[event.previous]
        active[event.lease.lease_id] = event.lease
        fence = max(fence, event.lease.fence)
    return Held(active, fence)


def every_kind() -> list[Batch]:
    """A history in which every command, every event and every policy occurs."""
    one, two, three = lease_of(1), lease_of(2, Indefinite(60_000)), lease_of(3)
    alive = lease_of(4, WhileAlive(1000, 30_000), ("file:a b/ä.py", "file:\U0001f600", "file:"), BOB)
    revs = replace(lease_of(5, Revisions(2)), acquired_rev=7)
    later = replace(one, renewed=moment(90), beat=moment(90), policy=Ttl(1500))
    heir = replace(one, lease_id=name(16), owner=BOB, fence=6, acquired=moment(91), renewed=moment(91), beat=moment(91))
    quota = Quota(2, 10)
    pairs: list[tuple[ClaimCommand, tuple[Event, ...]]] = [
        (Claim(acquire(1), quota), (Granted(one),)),
        (ClaimNext(Claim(acquire(2), quota), ("issue:1", "issue:2")), (Granted(two),)),
        (acquire(3), (Granted(three),)),
        (replace(acquire(4, BOB), again="renew"), (Granted(alive),)),
        (acquire(5), (Granted(revs),)),
        (Renew(one.lease_id, ANN, Ttl(1500)), (Renewed(later),)),
        (Renew(two.lease_id, ANN), (Renewed(replace(two, renewed=moment(90))),)),
        (Beat(alive.lease_id, BOB, stopped=True), (Beaten(replace(alive, beat=moment(90), stopped=True)),)),
        (acquire(1, BOB), (Denied("issue:1", BOB, later),)),
        (Release(one.lease_id, BOB, "no"), (Refused("not-owner", BOB, one.lease_id, later),)),
        (Claim(acquire(9), quota), (Refused("agent-limit", ANN, "issue:9", None, 2),)),
        (
            Transfer(one.lease_id, ANN, BOB, heir.lease_id, "over", "dev"),
            (Transferred(heir, one.lease_id, ANN, "over"),),
        ),
        (Release(three.lease_id, ANN, "done \u2028 \x00"), (Released(three, ANN, "done \u2028 \x00"),)),
        (Evict(two.lease_id, BOB, "gone"), (Evicted(two, BOB, "gone"),)),
        (acquire(7, BOB), (Lapsed(alive), Lapsed(revs), Granted(replace(lease_of(7, None, None, BOB), fence=7)))),
        (acquire(8), (Lapsed(heir), Denied("issue:7", ANN, lease_of(7)))),
        (acquire(8), (Granted(replace(lease_of(8, Indefinite(5)), fence=8)),)),
    ]
    return [Batch(name(30 + n), command, evidence(n), events) for n, (command, events) in enumerate(pairs)]


def grant(number: int, *, ttl_ms: int = 600_000) -> Batch:
    """The batch that grants issue `number` to one agent, as the `number`-th grant."""
    lease = lease_of(number, Ttl(ttl_ms))
    return Batch(
        name(1000 + number), replace(acquire(number), policy=lease.policy), evidence(number), (Granted(lease),)
    )


def lease_of(
    number: int, policy: Ttl | Indefinite | WhileAlive | Revisions | None = None,
    resources: tuple[str, ...] | None = None, owner: Owner = ANN,
) -> Lease:  # fmt: skip
    now = moment(number)
    ask = resources or (f"issue:{number}",)
    return Lease(name(number), ask, owner, policy or Ttl(600_000), number, now, now, now, f"because {number}", "main")


def acquire(number: int, owner: Owner = ANN) -> Acquire:
    return Acquire(name(number), (f"issue:{number}",), owner, Ttl(600_000), "why", "main")


def evidence(number: int) -> Evidence:
    liveness = {BOB.process: "dead"} if BOB.process and number % 2 else {}
    return Evidence(moment(number), liveness, number or None)  # type: ignore[arg-type]


def moment(number: int) -> Instant:
    return Instant(START_MS + number, 5000 + number, "boot-1")


def name(number: int) -> str:
    return f"01{number:024d}"


def _mentioned(store: EventStore) -> list[Lease]:
    events = [event for x in store.read() for event in x.batch.events]
    return [event.lease for event in events if event.lease is not None]


def _holders(held: Held, resource: str) -> set[str]:
    return {x.lease_id for x in held.active.values() if resource in x.resources}


def _endless(held: Held, agent: str) -> int:
    leases = held.active.values()
    return sum(isinstance(x.policy, Indefinite) and agent in ("", x.owner.agent) for x in leases)
