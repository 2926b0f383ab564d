"""The end of a turn, or of a session, in every repository that it wrote to."""

from __future__ import annotations

from jit.hooks.away import forget, noted
from jit.hooks.concern import PROJECT
from jit.hooks.marks import mark_of, marks_like, take_away
from jit.hooks.place import find_place
from jit.kernel.record import replace
from jit.systems.files.commands import End, Stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from jit.hooks.intent import Intent
    from jit.hooks.place import Place


def over(intent: Intent, environ: Mapping[str, str]) -> None:
    """Where the session is, where it began, and where else it has been."""
    met: set[str] = set()
    for folder in dict.fromkeys((intent.cwd, environ.get(PROJECT) or intent.cwd, *noted(intent, environ))):
        place = find_place(replace(intent, cwd=folder), environ)
        if place is None:
            continue
        try:
            if place.space.shared_dir not in met:
                _over_in(intent, place)
            met.add(place.space.shared_dir)
        finally:
            place.close()
    if intent.event == "end" and not intent.subagent:
        forget(intent, environ)


def _over_in(intent: Intent, place: Place) -> None:
    if not intent.background:  # then no command of this owner runs any more, whatever was heard of it
        for mark in marks_like(mark_of(place.space.plane, "calls", place.owner)):
            take_away(mark)
    if intent.event == "end":
        place.engine.submit(End(place.owner, "the session ended", whole_session=not intent.subagent))
    else:
        place.engine.submit(Stop(place.owner, _still_written(intent, place), failed=intent.event == "breakdown"))


def _still_written(intent: Intent, place: Place) -> tuple[str, ...]:
    """The files of shell commands that go on running after the turn."""
    if not intent.background:
        return ()
    from jit.hooks.commands import shell_targets

    return tuple(target.resource for target in shell_targets(place, intent)[0])
