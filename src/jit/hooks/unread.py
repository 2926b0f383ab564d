"""A write of whole content by an owner of whom nothing is known: may it have read the file before others changed it?

Reads pass no hook. So an owner that never held the file, nor waited for it, may have read it at any time since its
client began. If others changed it meanwhile, and it is not again what it was before them, the write is refused once,
with the lease already held. Some clients check such copies themselves; they are not asked twice.
"""

from __future__ import annotations

from jit.hooks.file_events import events_about
from jit.hooks.refusal import is_ignored
from jit.kernel.events import Granted, Released
from jit.systems.files.names import is_file, seen_resource, wait_resources
from jit.systems.files.sight import overtaken
from jit.views.blocker import overtaken_words
from jit.world.process import began_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.engine import Outcome
    from jit.hooks.place import Place
    from jit.kernel.lease import Lease
    from jit.systems.files.commands import Touch


def why_not(place: Place, touch: Touch, outcome: Outcome) -> str:
    """Words for the model about the first such file; nothing if there is none."""
    fresh = {target.resource for target in touch.targets if target.fresh}
    over = {event.lease.resources[0] for event in outcome.events if isinstance(event, Released)}
    granted = [event.lease for event in outcome.events if isinstance(event, Granted) and is_file(event.lease)]
    unsure = {
        lease.resources[0]: lease
        for lease in granted
        if lease.resources[0] not in fresh and not lease.shared and not _had_known(lease, over)
    }
    if not unsure or place.owner.process is None:
        return ""
    began = began_at(place.owner.process, place.world.now())
    others: dict[str, list[Lease]] = {resource: [] for resource in unsure}
    for resource, event in events_about(place.space.plane.log, unsure, began):
        if event.lease is not None:
            others[resource].append(event.lease)
    for resource, lease in unsure.items():
        rival = overtaken(lease, others[resource])
        if rival is not None and not is_ignored(place, resource):
            return overtaken_words(lease, rival)
    return ""


def _had_known(lease: Lease, over: set[str]) -> bool:
    """Was it known what the owner had last seen? Then that has been compared."""
    resource = lease.resources[0]
    return seen_resource(lease.owner, resource) in over or wait_resources(lease.owner, resource)[0] in over
