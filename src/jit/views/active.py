"""Who holds what now: the rows that `claim status`, the index and the tables show."""

from __future__ import annotations

from jit.kernel.instant import elapsed_ms, rfc3339
from jit.kernel.lease import expires_wall_ms, lease_standing
from jit.kernel.policy import Ttl
from jit.systems.claims import ISSUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from jit.kernel.instant import Instant
    from jit.kernel.lease import Evidence, Lease

    Row = dict[str, object]


def subject(lease: Lease) -> str:
    """What the lease is on, without the kind: an issue's id."""
    return ", ".join(resource.partition(":")[2] for resource in lease.resources)


def ttl_secs(lease: Lease) -> int | float:
    """As the log writes it: nought for a lease that has no end."""
    if not isinstance(lease.policy, Ttl):
        return 0
    whole, rest = divmod(lease.policy.ttl_ms, 1000)
    return lease.policy.ttl_ms / 1000 if rest else whole


def remaining_ms(lease: Lease, now: Instant) -> int | None:
    """How long the lease still lasts by its own clock; nothing if it has no end."""
    if not isinstance(lease.policy, Ttl):
        return None
    return max(0, lease.policy.ttl_ms - elapsed_ms(lease.renewed, now))


def granted_row(lease: Lease) -> Row:
    """The fields that a new or renewed claim prints."""
    expires = expires_wall_ms(lease)
    return {
        "lease_id": lease.lease_id,
        "issue_id": subject(lease),
        "agent_id": lease.owner.agent,
        "worktree_id": lease.owner.worktree,
        "branch": lease.branch,
        "ttl_secs": ttl_secs(lease),
        "acquired_at": rfc3339(lease.acquired.wall_ms),
        "expires_at": None if expires is None else rfc3339(expires),
        "fence": lease.fence,
    }


def active_row(lease: Lease, evidence: Evidence) -> Row:
    left = remaining_ms(lease, evidence.now)
    return granted_row(lease) | {
        "last_beat": rfc3339(lease.beat.wall_ms),
        "stale": lease_standing(lease, evidence) == "stale",
        "reason": lease.reason,
        "remaining_secs": None if left is None else left // 1000,
    }


def active(leases: Iterable[Lease], evidence: Evidence, *, issue: str = "", agent: str = "") -> list[Lease]:
    """The claims that have not lapsed, oldest first, of one issue or of one agent if asked."""
    chosen = [
        lease
        for lease in leases
        if is_claim(lease)
        and (not issue or f"{ISSUE}{issue}" in lease.resources)
        and (not agent or lease.owner.agent == agent)
        and lease_standing(lease, evidence) != "lapsed"
    ]
    return sorted(chosen, key=lambda lease: (lease.acquired.wall_ms, lease.lease_id))


def is_claim(lease: Lease) -> bool:
    """Is it on an issue? The file gate has leases of its own, which `views.files` shows."""
    return lease.resources[0].startswith(ISSUE)


def duration(ms: int) -> str:
    """`9m58s`: a length of time for people, in its two largest units."""
    seconds = ms // 1000
    parts: list[str] = []
    for unit, length in (("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)):
        count, seconds = divmod(seconds, length)
        if count or (unit == "s" and not parts):
            parts.append(f"{count}{unit}")
    return "".join(parts[:2])


def clock_text(wall_ms: int) -> str:
    """`2026-01-03 12:00:00Z`: a moment for people."""
    return rfc3339(wall_ms).replace("T", " ")[:19] + "Z"
