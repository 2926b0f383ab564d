"""A second opinion on leases, written from the requirements and without the kernel's judgement.

The oracle reads what was known and what happened. It keeps its own list of leases and its own idea of when a lease is
over, and it objects to any event that could not have been right. It never asks `decide`, `evolve` or `standing`: a
judge who asks the accused finds nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jit.kernel.events import Beaten, Denied, Evicted, Granted, Lapsed, Refused, Released, Renewed, Transferred
from jit.kernel.policy import Indefinite, Revisions, Ttl, WhileAlive

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jit.kernel.events import Event
    from jit.kernel.instant import Instant
    from jit.kernel.lease import Evidence, Lease, Owner


class Oracle:
    """The leases that ought to be active, and the highest fence that was ever given."""

    def __init__(self, held: dict[str, Lease] | None = None, fence: int = 0) -> None:
        self.held = dict(held or {})
        self.fence = fence

    def copy(self) -> Oracle:
        return Oracle(self.held, self.fence)

    def watch(self, events: Iterable[Event], evidence: Evidence) -> None:
        """Take note of what happened; `AssertionError` if it ought not to have."""
        for event in events:
            match event:
                case Granted():
                    self._begin(event.lease, evidence)
                case Renewed() | Beaten():
                    self._keep(event, evidence)
                case Released() | Transferred():
                    self._give_up(event, evidence)
                case Lapsed():
                    self._lapse(event, evidence)
                case Evicted():
                    self._must_be_live(event.lease.lease_id, evidence)
                    assert event.reason.strip(), "a lease was taken away without a reason"
                    del self.held[event.lease.lease_id]
                case Denied() | Refused():
                    self._refuse(event, evidence)

    def live_holders(self, resource: str, evidence: Evidence) -> list[Lease]:
        return [lease for lease in self.held.values() if resource in lease.resources and not is_over(lease, evidence)]

    def _begin(self, lease: Lease, evidence: Evidence) -> None:
        taken = [other for other in self.held.values() if set(other.resources) & set(lease.resources)]
        assert not taken, f"{lease} was granted beside {taken}"
        assert lease.lease_id not in self.held, f"{lease.lease_id} was given twice"
        assert lease.fence > self.fence, f"fence {lease.fence} was given after fence {self.fence}"
        assert lease.acquired == lease.renewed == lease.beat == evidence.now, "a lease begins when it is granted"
        self.held[lease.lease_id] = lease
        self.fence = lease.fence

    def _keep(self, event: Renewed | Beaten, evidence: Evidence) -> None:
        before, now = self._must_be_live(event.lease.lease_id, evidence), event.lease
        unchanged = ("resources", "fence", "acquired", "owner", "reason", "branch")
        changed = [name for name in unchanged if getattr(before, name) != getattr(now, name)]
        assert not changed, f"keeping {now.lease_id} changed its {changed}"
        assert now.beat == evidence.now, "a sign of life carries the present time"
        assert isinstance(event, Beaten) or now.renewed == evidence.now, "renewing starts the time anew"
        assert isinstance(event, Renewed) or now.renewed == before.renewed, "a beat does not prolong"
        self.held[now.lease_id] = now

    def _give_up(self, event: Released | Transferred, evidence: Evidence) -> None:
        ended = event.previous if isinstance(event, Transferred) else event.lease.lease_id
        before = self._must_be_live(ended, evidence)
        assert who(before.owner) == who(event.by), f"{event.by} gave up a lease of {before.owner}"
        del self.held[ended]
        if isinstance(event, Transferred):
            assert event.lease.resources == before.resources, "the heir has other resources"
            self._begin(event.lease, evidence)

    def _lapse(self, event: Lapsed, evidence: Evidence) -> None:
        lease = self.held.get(event.lease.lease_id)
        assert lease == event.lease, f"{event.lease} lapsed, and it was {lease}"
        assert is_over(lease, evidence), f"{lease} lapsed before its policy's end"
        del self.held[lease.lease_id]

    def _refuse(self, event: Denied | Refused, evidence: Evidence) -> None:
        if isinstance(event, Denied):
            lease = self._must_be_live(event.lease.lease_id, evidence)
            assert event.resource in lease.resources, "the lease that is in the way is on something else"
            assert who(lease.owner) != who(event.by), "an owner was denied its own lease"
        elif event.code in ("not-owner", "yours") and event.lease is not None:
            lease = self._must_be_live(event.lease.lease_id, evidence)
            assert (who(lease.owner) == who(event.by)) == (event.code == "yours"), f"{event} mistakes the owner"
        elif event.code in ("not-found", "expired"):
            assert event.subject not in self.held, f"{event}, and it is there"

    def _must_be_live(self, lease_id: str, evidence: Evidence) -> Lease:
        lease = self.held.get(lease_id)
        assert lease is not None, f"{lease_id} is no active lease"
        assert not is_over(lease, evidence), f"{lease} was over, and the answer treats it as held"
        return lease


def is_over(lease: Lease, evidence: Evidence) -> bool:
    """Has the lease ended by its own policy, by the words of the requirements?"""
    policy, now = lease.policy, evidence.now
    if isinstance(policy, Ttl):
        return passed(lease.renewed, now) > policy.ttl_ms
    if isinstance(policy, Revisions):
        known = evidence.revision is not None and lease.acquired_rev is not None
        return known and (evidence.revision or 0) - (lease.acquired_rev or 0) > policy.lease_revs
    if isinstance(policy, WhileAlive):
        silent = passed(lease.beat, now)
        process = lease.owner.process
        life = "unknown" if process is None else evidence.liveness.get(process, "unknown")
        limits = {"dead": -1, "alive": silent, "unknown": policy.silence_ms}
        return silent > limits[life] or (lease.stopped and silent > policy.idle_ms)
    return False


def is_stale(lease: Lease, evidence: Evidence) -> bool:
    """Without an end, and silent for too long?"""
    return isinstance(lease.policy, Indefinite) and passed(lease.beat, evidence.now) > lease.policy.stale_after_ms


def passed(since: Instant, now: Instant) -> int:
    """Milliseconds, by the clock that nobody can set where both readings have it, and by the wall otherwise."""
    same_boot = since.boot_id == now.boot_id
    first, last = (since.boot_ms, now.boot_ms) if same_boot else (since.wall_ms, now.wall_ms)
    return last - first if last > first else 0


def who(owner: Owner) -> tuple[str, str, str]:
    """What makes an owner the same owner: not the process, which may have been started again."""
    return owner.agent, owner.worktree, owner.session
