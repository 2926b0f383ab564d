"""The file gate, as a hook sees it: who asks, for which files, and what to answer.

A repository without a control plane is not jit's business: then nothing is read and nothing is said. An edit becomes
one engine command; what happens if that is refused is in `refusal`.
"""

from __future__ import annotations

from jit.hooks.concern import TURNS, is_guarded_file
from jit.hooks.place import Place, find_place, note_where
from jit.kernel.events import Denied, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from jit.engine import Outcome
    from jit.hooks.clients import Client
    from jit.hooks.intent import Intent, Reply
    from jit.systems.files.commands import Touch


def respond(client: Client, intent: Intent, environ: Mapping[str, str]) -> Reply:
    """The client's answer to a call that concerns jit."""
    if intent.event in TURNS:
        from jit.hooks.turns import over

        over(intent, environ)
        return client.allow(intent)
    place = find_place(intent, environ)
    if place is None:
        return client.allow(intent)
    try:
        if intent.event == "pre":
            return _before_write(client, intent, place, environ)
        return _after_call(client, intent, place)
    finally:
        place.close()


def _before_write(client: Client, intent: Intent, place: Place, environ: Mapping[str, str]) -> Reply:
    targets, unknown = place.targets(intent)
    outcome = None
    if targets:
        note_where(place, intent, environ)
        touch = place.touch(targets, intent.tool)
        outcome = place.engine.submit(touch)
        words = _settled(client, place, touch, outcome) or _unread(client, intent, place, touch, outcome)
        if words:
            return client.deny(intent, words)
    if targets or unknown:
        place.stir()
    if any(is_guarded_file(path, intent.cwd) for path in place.elsewhere):
        from jit.hooks.elsewhere import ask

        words = ask(client, intent, place, environ, outcome)
        if words:
            return client.deny(intent, words)
    if intent.manner == "shell" and (targets or unknown):
        from jit.hooks.slips import begin

        begin(place, intent, outcome)
    if unknown:
        from jit.hooks.commands import warning

        words = warning(place, unknown)
        if words:
            return client.remark(intent, words)
    return client.allow(intent)


def _settled(client: Client, place: Place, touch: Touch, outcome: Outcome) -> str:
    """Why the write may not happen, after waiting if need be; nothing if it may."""
    if not outcome.events or not isinstance(outcome.answer, (Refused, Denied)):
        return ""
    from jit.hooks.refusal import settle

    return settle(client, place, touch, outcome)


def _unread(client: Client, intent: Intent, place: Place, touch: Touch, outcome: Outcome) -> str:
    """Why the write may not happen although nobody else holds the file: its owner may know an older one."""
    checked = intent.tool in client.MANNERS.checks_copies
    if checked or not outcome.events or all(target.fresh for target in touch.targets):
        return ""
    from jit.hooks.unread import why_not

    return why_not(place, touch, outcome)


def _after_call(client: Client, intent: Intent, place: Place) -> Reply:
    """After a shell call: what changed without a lease is a slip, recorded and told."""
    from jit.hooks.slips import find

    words = find(place, intent)
    return client.remark(intent, words) if words else client.allow(intent)
