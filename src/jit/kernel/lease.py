"""The lease: the right to change a set of resources, held by an owner, under a policy that says when it ends."""

from __future__ import annotations

from jit.kernel.instant import Instant
from jit.kernel.policy import Revisions, Signs, Ttl, WhileAlive, standing
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from jit.kernel.policy import Liveness, Policy, Standing


class ProcessRef(Record):
    """One process of one boot of one machine: a pid alone is reused, this is not."""

    host: str
    boot_id: str
    pid: int
    start: int
    namespace: str


class Owner(Record):
    """Who asks, or holds.

    Two owners are the same when agent, worktree and session agree; the process is proof of life.
    """

    agent: str
    worktree: str
    session: str = ""
    process: ProcessRef | None = None


class Evidence(Record):
    """Everything the world was asked before a decision.

    It is stored beside the decision, so that it can be made again.
    """

    now: Instant
    liveness: Mapping[ProcessRef, Liveness]
    revision: int | None = None
    content: Mapping[str, str] | None = None


class Lease(Record):
    """`note` is what the system that made the lease wants to remember with it."""

    lease_id: str
    resources: tuple[str, ...]
    owner: Owner
    policy: Policy
    fence: int
    acquired: Instant
    renewed: Instant
    beat: Instant
    reason: str = ""
    branch: str = ""
    stopped: bool = False
    acquired_rev: int | None = None
    note: str = ""
    shared: bool = False


def same_owner(one: Owner, other: Owner) -> bool:
    return one.agent == other.agent and one.worktree == other.worktree and one.session == other.session


def lease_standing(lease: Lease, evidence: Evidence) -> Standing:
    """The standing of a lease, given what is known of its owner's life and its document's revision."""
    policy = lease.policy
    alive: Liveness = "unknown"
    if isinstance(policy, WhileAlive) and lease.owner.process is not None:
        alive = evidence.liveness.get(lease.owner.process, "unknown")
    revisions = None
    if isinstance(policy, Revisions) and evidence.revision is not None and lease.acquired_rev is not None:
        revisions = evidence.revision - lease.acquired_rev
    return standing(policy, Signs(evidence.now, lease.renewed, lease.beat, alive, lease.stopped, revisions))


def expires_wall_ms(lease: Lease) -> int | None:
    """When a lease with a time to live runs out, as the wall clock stood when it was last renewed."""
    return lease.renewed.wall_ms + lease.policy.ttl_ms if isinstance(lease.policy, Ttl) else None
