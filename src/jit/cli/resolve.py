"""What a person typed, as the one id that the log knows."""

from __future__ import annotations

from jit.errors import Invalid, NotFound
from jit.kernel.ids import is_ulid
from jit.systems.claims import ISSUE
from jit.systems.issues.issue import CLAIMABLE, Issue, urgency
from jit.views.active import active, is_claim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.app import Workspace
    from jit.kernel.lease import Lease


def find_issue(space: Workspace, word: str) -> str:
    """An issue's full id, from an id or the beginning of one."""
    wanted = word.strip().upper()
    if is_ulid(wanted) and space.issues.exists(wanted):
        return wanted
    return space.issues.resolve(word, _claimed(space))


def find_lease(space: Workspace, word: str) -> str:
    """A lease's full id, from the id or the beginning of it, or from the issue it is on."""
    wanted = word.strip().upper()
    leases = [lease for lease in space.snapshot().ledger if is_claim(lease)]
    hits = sorted(lease.lease_id for lease in leases if wanted and _is_named(lease, wanted))
    if len(hits) == 1:
        return hits[0]
    if len(hits) > 1:
        shown = ", ".join(hits[:5])
        raise Invalid(
            f"{word!r} could be any of {len(hits)} leases: {shown}",
            hint="jit claim status",
            details={"candidates": hits},
        )
    if is_ulid(wanted):
        return wanted  # the engine says whether it ever was one
    raise NotFound(
        f"there is no active lease {word!r}, nor one on such an issue", hint="jit claim status", details={"lease": word}
    )


def _is_named(lease: Lease, beginning: str) -> bool:
    """Does the lease's id begin so, or that of its issue? Both count alike: a beginning may fit one of each."""
    return lease.lease_id.startswith(beginning) or any(x.startswith(ISSUE + beginning) for x in lease.resources)


def claimable(space: Workspace) -> list[Issue]:
    """The issues that can be claimed now, the most urgent first."""
    held = _claimed(space)
    free = [issue for issue in space.issues.all() if issue.state in CLAIMABLE and issue.id not in held]
    return sorted(free, key=urgency)


def _claimed(space: Workspace) -> set[str]:
    leases = active(space.snapshot().ledger, space.evidence())
    return {r[len(ISSUE) :] for lease in leases for r in lease.resources if r.startswith(ISSUE)}
