"""Files that this session had and lost: another owner was granted them since.

A lease that merely ran out harms nobody. But if somebody else was granted the file afterwards, what is staged may be
that one's work, or may undo it. Grants are in the log in the order of their fences, so the log says who came after
whom. What the session saw last is in the ledger: a file that still holds just that was not changed, whoever had it.

Only the live log is read. A loss from before the last archive is forgotten.
"""

from __future__ import annotations

from jit.kernel.events import Granted, Released, Transferred
from jit.kernel.jsontext import dumps
from jit.store.codec import decode_line, is_whole
from jit.store.events import decode_event
from jit.systems.files.names import seen_resource
from jit.world.content import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from jit.hooks.git_committer import Committer
    from jit.hooks.git_site import Site
    from jit.kernel.events import Event
    from jit.kernel.lease import Lease
    from jit.world.paths import Spot

OF_FILES = b'"event_type":"file.'
HEAD_BYTES = 80  # the event's type stands within the first bytes of a line
KEY = b'"resources":['


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


def events_about(log: str, resources: Collection[str]) -> Iterator[tuple[str, Event]]:
    """What the live log tells about these files, each event with the file it is about. Damaged lines tell nothing."""
    wanted = {dumps(resource).encode() for resource in resources}
    try:
        file = open(log, "rb")  # noqa: SIM115  closed below, once the file was found
    except FileNotFoundError:
        return
    with file:
        for line in file:
            if not _may_tell(line, wanted) or not is_whole(line[:-1]):
                continue
            told = decode_line(line[:-1])
            payload = told.body["payload"]
            if isinstance(payload, dict) and payload.get("resources", [""])[0] in resources:
                yield payload["resources"][0], decode_event(told.event_type, payload)


def _may_tell(line: bytes, wanted: set[bytes]) -> bool:
    """A look that needs no parsing, for a log of many records; names with escapes in them are looked at closely."""
    if OF_FILES not in line[:HEAD_BYTES]:
        return False
    start = line.find(KEY) + len(KEY)
    name = line[start : line.find(b"]", start)]
    return name in wanted or b"\\" in name or b"]" in b"".join(wanted)


def _is_as_seen(resource: str, spot: Spot, mine: Iterable[Lease]) -> bool:
    """Does the file hold what this session saw in it when its lease ended?"""
    notes = [lease.note for lease in mine if lease.resources[0] == seen_resource(lease.owner, resource)]
    return bool(notes) and digest(spot.absolute) in notes
