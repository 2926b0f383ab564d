"""Every cell of the table at the head of `jit.kernel.decide`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jit.kernel.commands import Acquire, Beat, Evict, Release, Renew, Transfer
from jit.kernel.decide import decide
from jit.kernel.events import Beaten, Denied, Evicted, Granted, Lapsed, Refused, Released, Renewed, Transferred
from jit.kernel.record import replace
from jit.testing import Spec
from tests.kernel.made import ANN, BOB, ENDLESS, EVE, START, TTL, known, later, made_lease
from tests.traceability import covers

if TYPE_CHECKING:
    from jit.kernel.commands import Command
    from jit.kernel.instant import Instant
    from jit.kernel.lease import Lease, Owner

HELD = (made_lease(), later(600_000))
STALE = (made_lease(policy=ENDLESS), later(3_600_001))
LAPSED = (made_lease(), later(600_001))
NEVER = "L9"

LIVE = pytest.mark.parametrize(("lease", "now"), [HELD, STALE], ids=["held", "stale"])


def of_lease(owner: Owner, lease_id: str = "L1") -> list[Command]:
    """Every command that names a lease."""
    return [
        Renew(lease_id, owner),
        Beat(lease_id, owner),
        Release(lease_id, owner),
        Transfer(lease_id, owner, EVE, "L2", "ill"),
        Evict(lease_id, owner, "gone"),
    ]


def name(command: Command) -> str:
    return type(command).__name__


@covers("002:T1", "002:op.acquire", "002:op.acquire.context")
def test_acquiring_what_nobody_holds_is_granted() -> None:
    command = Acquire("L1", ("issue:1",), ANN, TTL, "why", "main")
    Spec(decide).when(command, known(START)).then(Granted(made_lease()))


@covers("002:T2")
@LIVE
def test_acquiring_what_somebody_else_holds_is_denied(lease: Lease, now: Instant) -> None:
    command = Acquire("L2", ("issue:1",), BOB, TTL)
    Spec(decide).given(Granted(lease)).when(command, known(now)).then(Denied("issue:1", BOB, lease))


@LIVE
def test_acquiring_what_one_holds_oneself_is_refused(lease: Lease, now: Instant) -> None:
    command = Acquire("L2", ("issue:1",), ANN, TTL)
    Spec(decide).given(Granted(lease)).when(command, known(now)).then(Refused("yours", ANN, "issue:1", lease))


@covers("002:T3", "002:T11", "002:inv3", "002:expiry.evict")
@pytest.mark.parametrize("owner", [ANN, BOB], ids=["by the same owner", "by another"])
def test_acquiring_what_has_lapsed_records_the_lapse_and_is_granted(owner: Owner) -> None:
    lease, now = LAPSED
    granted = made_lease("L2", owner=owner, fence=2, at=now)
    command = Acquire("L2", ("issue:1",), owner, TTL, "why", "main")
    Spec(decide).given(Granted(lease)).when(command, known(now)).then(Lapsed(lease), Granted(granted))


@covers("002:T4", "002:op.renew", "002:op.renew.indefinite")
@LIVE
def test_its_owner_renews_a_lease(lease: Lease, now: Instant) -> None:
    renewed = replace(lease, renewed=now, beat=now)
    Spec(decide).given(Granted(lease)).when(Renew("L1", ANN), known(now)).then(Renewed(renewed))


@LIVE
@pytest.mark.parametrize("stopped", [False, True])
def test_its_owner_gives_a_sign_of_life(lease: Lease, now: Instant, *, stopped: bool) -> None:
    beaten = replace(lease, beat=now, stopped=stopped)
    Spec(decide).given(Granted(lease)).when(Beat("L1", ANN, stopped), known(now)).then(Beaten(beaten))


@covers("002:op.release")
@LIVE
def test_its_owner_releases_a_lease(lease: Lease, now: Instant) -> None:
    decision = Spec(decide).given(Granted(lease)).when(Release("L1", ANN, "done"), known(now))
    decision.then(Released(lease, ANN, "done"))


@covers("002:op.transfer")
@LIVE
def test_its_owner_transfers_a_lease(lease: Lease, now: Instant) -> None:
    heir = replace(lease, lease_id="L2", owner=BOB, fence=2, acquired=now, renewed=now, beat=now, branch="dev")
    decision = Spec(decide).given(Granted(lease)).when(Transfer("L1", ANN, BOB, "L2", "ill", "dev"), known(now))
    decision.then(Transferred(heir, "L1", ANN, "ill"))


@covers("002:T5", "002:op.evict")
@LIVE
@pytest.mark.parametrize("by", [ANN, BOB], ids=["by its owner", "by another"])
def test_anyone_with_a_reason_evicts_a_lease(lease: Lease, now: Instant, by: Owner) -> None:
    decision = Spec(decide).given(Granted(lease)).when(Evict("L1", by, "gone"), known(now))
    decision.then(Evicted(lease, by, "gone"))


@covers("002:inv2", "002:op.transfer.owner")
@LIVE
@pytest.mark.parametrize("command", of_lease(BOB)[:-1], ids=name)
def test_another_owner_may_do_nothing_but_evict(lease: Lease, now: Instant, command: Command) -> None:
    decision = Spec(decide).given(Granted(lease)).when(command, known(now))
    decision.then(Refused("not-owner", BOB, "L1", lease))


@pytest.mark.parametrize("owner", [ANN, BOB], ids=["by its owner", "by another"])
@pytest.mark.parametrize("position", range(4))
def test_touching_a_lapsed_lease_records_the_lapse_and_is_refused(owner: Owner, position: int) -> None:
    lease, now = LAPSED
    decision = Spec(decide).given(Granted(lease)).when(of_lease(owner)[position], known(now))
    decision.then(Lapsed(lease), Refused("expired", owner, "L1", lease))


@pytest.mark.parametrize("reason", ["gone", ""])
def test_evicting_a_lapsed_lease_only_records_the_lapse(reason: str) -> None:
    lease, now = LAPSED
    Spec(decide).given(Granted(lease)).when(Evict("L1", BOB, reason), known(now)).then(Lapsed(lease))


@pytest.mark.parametrize("command", of_lease(ANN, NEVER), ids=name)
def test_a_lease_that_never_was_is_not_found(command: Command) -> None:
    Spec(decide).given(Granted(made_lease())).when(command, known()).then(Refused("not-found", ANN, NEVER))


@pytest.mark.parametrize("command", of_lease(ANN), ids=name)
def test_a_lease_that_has_ended_is_not_found(command: Command) -> None:
    lease = made_lease()
    history = (Granted(lease), Released(lease, ANN, ""))
    Spec(decide).given(*history).when(command, known()).then(Refused("not-found", ANN, "L1"))


@covers("002:inv2")
@pytest.mark.parametrize(
    "other",
    [replace(ANN, worktree="wt:0000000b"), replace(ANN, agent="agent:bob"), replace(ANN, session="s2")],
    ids=["another worktree", "another agent", "another session"],
)
def test_an_owner_is_agent_worktree_and_session_together(other: Owner) -> None:
    lease = made_lease()
    decision = Spec(decide).given(Granted(lease)).when(Renew("L1", other), known())
    decision.then(Refused("not-owner", other, "L1", lease))


@covers("002:agent.stable")
def test_an_owner_whose_process_was_started_again_is_the_same_owner() -> None:
    lease, now = made_lease(), later(5)
    restarted = replace(ANN, process=None)
    decision = Spec(decide).given(Granted(lease)).when(Renew("L1", restarted), known(now))
    decision.then(Renewed(replace(lease, renewed=now, beat=now)))
