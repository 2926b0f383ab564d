"""What claims add to leases: limits on those that never end, and the next free issue of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jit.engine import Engine
from jit.kernel.commands import Acquire, Beat, Evict, Release, Renew, Transfer
from jit.kernel.decide import decide as decide_lease
from jit.kernel.events import Denied, Granted, Lapsed, Refused, Renewed
from jit.kernel.lease import Owner
from jit.kernel.ledger import Ledger, evolve, fold
from jit.kernel.policy import Indefinite, Ttl
from jit.kernel.record import replace
from jit.store.jsonl import JsonlStore
from jit.store.memory import MemoryStore
from jit.store.plane import Plane
from jit.systems.claims.decide import Claim, ClaimNext, Quota, decide
from jit.testing import FakeWorld, Spec
from tests.kernel.made import ANN, BOB, ENDLESS, EVE, TTL, known, later, made_lease
from tests.traceability import covers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from jit.kernel.events import Event
    from jit.kernel.policy import Policy
    from jit.store.api import EventStore

QUOTA = Quota(per_agent=2, per_repo=3)


def claim(
    lease_id: str = "L1", *, owner: Owner = ANN, policy: Policy = TTL, reason: str = "why", quota: Quota = QUOTA
) -> Claim:
    return Claim(Acquire(lease_id, ("issue:1",), owner, policy, reason, "main"), quota)


def endless(*owners: Owner) -> tuple[Granted, ...]:
    """An indefinite claim of each, on issues from 11 on."""
    return tuple(
        Granted(made_lease(f"E{n}", f"issue:{10 + n}", owner=owner, policy=ENDLESS, fence=n))
        for n, owner in enumerate(owners, 1)
    )


def next_of(lease_id: str, *issues: str, owner: Owner = ANN, policy: Policy = TTL, reason: str = "why") -> ClaimNext:
    return ClaimNext(claim(lease_id, owner=owner, policy=policy, reason=reason), issues)


def test_a_claim_with_an_end_needs_no_reason_and_no_room() -> None:
    bare = claim(reason="", quota=Quota(0, 0))
    Spec(decide).when(bare, known()).then(Granted(replace(made_lease(), reason="")))


def test_a_claim_without_an_end_is_granted_with_its_reason() -> None:
    Spec(decide).when(claim(policy=ENDLESS), known()).then(Granted(made_lease(policy=ENDLESS)))


@covers("L:7", "002:ttl0.3")
@pytest.mark.parametrize("reason", ["", "  \n"])
def test_a_claim_without_an_end_needs_a_reason(reason: str) -> None:
    decision = Spec(decide).when(claim(policy=ENDLESS, reason=reason), known())
    decision.then(Refused("reason", ANN, "issue:1"))


@covers("002:ttl0.4")
@pytest.mark.parametrize("quota", [Quota(0, 3), Quota(2, 0), Quota(0, 0), Quota(-1, 3)])
def test_a_limit_of_nought_forbids_claims_without_an_end(quota: Quota) -> None:
    decision = Spec(decide).when(claim(policy=ENDLESS, quota=quota), known())
    decision.then(Refused("forbidden", ANN, "issue:1"))


@covers("L:7", "002:ttl0.5")
def test_an_agent_has_only_so_many_claims_without_an_end() -> None:
    elsewhere = replace(ANN, worktree="wt:000000ff")
    one, two = endless(ANN, BOB), endless(ANN, elsewhere)
    granted = made_lease(policy=ENDLESS, fence=3)
    Spec(decide).given(*one).when(claim(policy=ENDLESS), known()).then(Granted(granted))
    Spec(decide).given(*two).when(claim(policy=ENDLESS), known()).then(Refused("agent-limit", ANN, "issue:1", None, 2))


@covers("L:7", "002:ttl0.6")
def test_a_repository_has_only_so_many_claims_without_an_end() -> None:
    Spec(decide).given(*endless(BOB, BOB, EVE)).when(claim(policy=ENDLESS), known()).then(
        Refused("repo-limit", ANN, "issue:1", None, 3)
    )


def test_claims_with_an_end_do_not_count_and_are_not_limited() -> None:
    finite = [Granted(made_lease(f"F{n}", f"issue:{20 + n}", fence=n)) for n in range(5)]
    spec = Spec(decide).given(*finite, *endless(BOB, BOB, EVE))
    spec.when(claim(), known()).then(Granted(made_lease(fence=4)))


def test_a_stale_claim_still_counts() -> None:
    now = later(10 * 3_600_000)
    decision = Spec(decide).given(*endless(ANN, ANN)).when(claim(policy=ENDLESS), known(now))
    decision.then(Refused("agent-limit", ANN, "issue:1", None, 2))


def test_a_claim_on_nothing_is_refused_with_and_without_an_end() -> None:
    nothing = replace(claim().acquire, resources=())
    for policy in (TTL, ENDLESS):
        command = Claim(replace(nothing, policy=policy), QUOTA)
        Spec(decide).when(command, known()).then(Refused("empty", ANN, ""))


def test_a_claim_that_is_held_is_denied_like_any_lease() -> None:
    held = made_lease("L0", owner=BOB)
    Spec(decide).given(Granted(held)).when(claim(), known()).then(Denied("issue:1", ANN, held))


@pytest.mark.parametrize(
    "command",
    [
        Acquire("L2", ("issue:2",), BOB, TTL),
        Renew("L1", ANN),
        Beat("L1", ANN),
        Release("L1", ANN),
        Transfer("L1", ANN, BOB, "L2", "ill"),
        Evict("L1", BOB, "gone"),
    ],
    ids=lambda command: type(command).__name__,
)
def test_every_other_command_is_the_kernels(command: Acquire | Renew | Beat | Release | Transfer | Evict) -> None:
    state, evidence = fold([Granted(made_lease())]), known(later(5))
    assert decide(state, command, evidence) == decide_lease(state, command, evidence)


def test_the_next_claim_is_the_first_free_issue_in_the_order_of_the_list() -> None:
    command = next_of("L1", "issue:7", "issue:3", "issue:5")
    Spec(decide).when(command, known()).then(Granted(made_lease("L1", "issue:7")))


def test_the_next_claim_passes_over_what_is_held_by_others_and_by_oneself() -> None:
    others, own = made_lease("L1", "issue:7", owner=BOB), made_lease("L2", "issue:3", fence=2)
    spec = Spec(decide).given(Granted(others), Granted(own))
    granted = made_lease("L3", "issue:5", fence=3)
    spec.when(next_of("L3", "issue:7", "issue:3", "issue:5", "issue:9"), known()).then(Granted(granted))


def test_the_next_claim_passes_over_what_is_stale() -> None:
    stale, now = made_lease("L1", "issue:7", owner=BOB, policy=ENDLESS), later(9_999_999)
    granted = made_lease("L3", "issue:5", fence=2, at=now)
    Spec(decide).given(Granted(stale)).when(next_of("L3", "issue:7", "issue:5"), known(now)).then(Granted(granted))


def test_the_next_claim_takes_what_has_lapsed_and_records_the_lapse() -> None:
    over, now = made_lease("L1", "issue:7", owner=BOB), later(600_001)
    granted = made_lease("L3", "issue:7", fence=2, at=now)
    Spec(decide).given(Granted(over)).when(next_of("L3", "issue:7", "issue:5"), known(now)).then(
        Lapsed(over), Granted(granted)
    )


@pytest.mark.parametrize("issues", [(), ("issue:7",), ("issue:7", "issue:3")])
def test_without_a_free_issue_there_is_no_work(issues: tuple[str, ...]) -> None:
    held = [Granted(made_lease(f"L{n}", f"issue:{n}", owner=BOB, fence=n)) for n in (3, 7)]
    Spec(decide).given(*held).when(next_of("L9", *issues), known()).then(Refused("no-work", ANN, ""))


def test_the_next_claim_without_an_end_obeys_the_limits() -> None:
    spec = Spec(decide).given(*endless(ANN, ANN))
    spec.when(next_of("L9", "issue:7", policy=ENDLESS), known()).then(Refused("agent-limit", ANN, "issue:7", None, 2))
    Spec(decide).when(next_of("L9", "issue:7", policy=ENDLESS, reason=""), known()).then(
        Refused("reason", ANN, "issue:7")
    )


def test_twenty_that_ask_for_the_next_of_ten_issues_get_ten_issues_and_ten_times_no_work() -> None:
    state = Ledger()
    issues = tuple(f"issue:{n}" for n in range(10))
    answers: list[Event] = []
    for number in range(20):
        owner = Owner(f"agent:{number}", "wt:0000000a")
        events = decide(state, next_of(f"L{number}", *issues, owner=owner), known())
        answers.append(events[-1])
        for event in events:
            evolve(state, event)
    won = [answer.lease.resources for answer in answers if isinstance(answer, Granted)]
    assert sorted(won) == sorted((issue,) for issue in issues)
    assert [answer.code for answer in answers if isinstance(answer, Refused)] == ["no-work"] * 10


@pytest.fixture(params=["memory", "files"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventStore]:
    if request.param == "memory":
        yield MemoryStore()
        return
    files = JsonlStore(Plane(str(tmp_path / "jit")), FakeWorld())
    yield files
    files.close()


def test_a_claim_that_is_given_an_end_no_longer_counts_in_any_store(store: EventStore) -> None:
    world = FakeWorld()
    engine = Engine(store, world)
    quota, ids = Quota(1, 1), [world.ulid(n) for n in range(9)]
    for lease_id in ids:
        acquire = Acquire(lease_id, (f"issue:{lease_id}",), ANN, Indefinite(1000), "by hand")
        assert isinstance(engine.submit(Claim(acquire, quota)).answer, Granted)
        refused = Acquire(world.ulid(99), ("issue:x",), BOB, Indefinite(1000), "by hand")
        assert isinstance(engine.submit(Claim(refused, quota)).answer, Refused)
        assert isinstance(engine.submit(Renew(lease_id, ANN, Ttl(600_000))).answer, Renewed)
    engine.submit(Release(ids[0], ANN))
    assert store.snapshot().ledger.indefinite("") == 0
