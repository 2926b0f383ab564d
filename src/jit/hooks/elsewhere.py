"""A call that also changes files of other repositories: each one is asked, and all of them agree or none is changed.

Nothing is held while another repository is waited for, so two such calls cannot wait for each other.
"""

from __future__ import annotations

from jit.hooks.place import find_place, note_where
from jit.hooks.refusal import is_free_after_all, settle
from jit.hooks.unread import why_not
from jit.kernel.events import Denied, Granted, Refused
from jit.kernel.record import replace
from jit.systems.files.commands import Free
from jit.systems.files.names import is_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from jit.engine import Outcome
    from jit.hooks.clients import Client
    from jit.hooks.intent import Intent
    from jit.hooks.place import Place
    from jit.systems.files.commands import Touch

    Asked = list[tuple[Place, Touch, Outcome]]


NOW_YOURS = "A file of another repository was held by another agent. It is yours now: make the same call again."


def ask(client: Client, intent: Intent, place: Place, environ: Mapping[str, str], here: Outcome | None) -> str:
    """Why the call may not happen because of what is elsewhere; nothing if it may. `here` is what it was granted."""
    others = _others(intent, place, environ)
    asked: Asked = []
    try:
        for there in others:
            replaced = [path for path, whole in place.elsewhere.items() if whole]
            targets = there.leasable(place.elsewhere, intent.cwd, replaced)
            if not targets:
                continue
            note_where(there, intent, environ)
            touch = there.touch(targets, intent.tool)
            outcome = there.engine.submit(touch)
            if _is_refused(outcome) and not is_free_after_all(there, outcome):
                return _with_empty_hands(client, (there, touch, outcome), asked, (place, here))
            there.stir()
            asked.append((there, touch, outcome))
        return next((words for each in asked if (words := why_not(*each))), "")
    finally:
        for there in others:
            there.close()


def _is_refused(outcome: Outcome) -> bool:
    return bool(outcome.events) and isinstance(outcome.answer, (Refused, Denied))


def _others(intent: Intent, place: Place, environ: Mapping[str, str]) -> list[Place]:
    """The other repositories that jit guards and that the call reaches into."""
    found: dict[str, Place] = {place.space.shared_dir: place}
    for path in place.elsewhere:
        there = find_place(replace(intent, manner="whole", paths=(path,)), environ)
        if there is not None:
            found.setdefault(there.space.shared_dir, there)
    return list(found.values())[1:]


def _with_empty_hands(
    client: Client, refused: tuple[Place, Touch, Outcome], asked: Asked, here: tuple[Place, Outcome | None]
) -> str:
    """Give back what this call was granted, wait for the one that is held, and let the agent ask for all of it anew."""
    there, touch, outcome = refused
    for place, granted in [here, *((place, granted) for place, _, granted in asked)]:
        _give_back(place, granted)
    return settle(client, there, touch, outcome) or NOW_YOURS


def _give_back(place: Place, granted: Outcome | None) -> None:
    for event in granted.events if granted is not None else ():
        if isinstance(event, Granted) and is_file(event.lease):
            place.engine.submit(Free(event.lease.lease_id, place.owner, "another file of the same call is held"))
