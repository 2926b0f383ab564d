"""Files that this session had and lost: another owner was granted them since.

A lease that merely ran out harms nobody. But if somebody else was granted the file afterwards, what is staged may be
that one's work, or may undo it. Grants are in the log in the order of their fences, so the log says who came after
whom. What the session saw last is in the ledger: a file that still holds just that was not changed, whoever had it.

Only the live log is read. A loss from before the last archive is forgotten.
"""

from __future__ import annotations

from jit.hooks.file_events import events_about
from jit.kernel.events import Granted, Released, Transferred
from jit.systems.files.names import seen_resource
from jit.world.content import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from jit.hooks.git_committer import Committer
    from jit.hooks.git_site import Site
    from jit.kernel.events import Event
    from jit.kernel.lease import Lease
    from jit.world.paths import Spot


def find_lost(site: Site, free: Mapping[str, Spot]) -> dict[str, Lease]:
    """Which of these files, that nobody holds now, others were granted after this session; and under which lease."""
    if not free:
        return {}
    taken = fold_losses(events_about(site.space.plane.log, free), site.committer)
    sights = {lease.resources[0]: lease for lease in site.ledger if site.committer.owns(lease.owner)}
    return {
        resource: rival
        for resource, rival in taken.items()
        if not _is_as_seen(resource, free[resource], sights.values())
    }


def fold_losses(events: Iterable[tuple[str, Event]], committer: Committer) -> dict[str, Lease]:
    """The last grant to somebody else of each file that the committer had and did not give back."""
    had: set[str] = set()
    taken: dict[str, Lease] = {}
    for resource, event in events:
        if isinstance(event, Granted | Transferred):
            if committer.owns(event.lease.owner):
                had.add(resource)
                taken.pop(resource, None)
            elif resource in had and not event.lease.shared:
                taken[resource] = event.lease
        elif isinstance(event, Released) and committer.owns(event.lease.owner):
            had.discard(resource)
    return taken


def _is_as_seen(resource: str, spot: Spot, mine: Iterable[Lease]) -> bool:
    """Does the file hold what this session saw in it when its lease ended?"""
    notes = [lease.note for lease in mine if lease.resources[0] == seen_resource(lease.owner, resource)]
    return bool(notes) and digest(spot.absolute) in notes
