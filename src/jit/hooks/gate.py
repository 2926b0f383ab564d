"""The file gate, as a hook sees it: who asks, for which files, and what to answer.

A repository without a control plane is not jit's business: then nothing is read and nothing is said. An edit becomes
one engine command. If it is denied and the client can wait longer than the retry interval, the hook itself waits for
the one retry, so that the agent only sees a slow edit; a client that dies meanwhile ends the wait, and nothing is
taken for the dead.
"""

from __future__ import annotations

import time

from jit.hooks.place import Place, find_place
from jit.kernel.events import Refused
from jit.systems.files.commands import End, Stop, Touch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from jit.engine import Outcome
    from jit.hooks.clients import Client
    from jit.hooks.intent import Intent, Reply

LOOK_SECS = 0.5  # how often a waiting hook makes sure that its client lives
TURNS = ("stop", "subagent-stop", "end")


def respond(client: Client, intent: Intent, environ: Mapping[str, str]) -> Reply:
    """The client's answer to one call."""
    writes = intent.event == "pre" and intent.manner != "none"
    if not writes and intent.event not in (*TURNS, "post"):
        return client.allow(intent)
    place = find_place(intent, environ)
    if place is None:
        return client.allow(intent)
    try:
        if writes:
            return _before_write(client, intent, place)
        if intent.event == "post":
            return _after_call(client, intent, place)
        _turn_over(intent, place)
        return client.allow(intent)
    finally:
        place.close()


def _before_write(client: Client, intent: Intent, place: Place) -> Reply:
    targets, unknown = place.targets(intent)
    if intent.manner == "shell" and (targets or unknown):
        from jit.hooks.slips import begin

        begin(place)
    if not targets:
        return client.allow(intent)
    touch = place.touch(targets, intent.tool)
    outcome = place.engine.submit(touch)
    if place.refusal(outcome) and place.is_free_after_all(outcome):
        return client.allow(intent)
    outcome = _wait(client, place, touch, outcome)
    words = place.refusal(outcome)
    return client.deny(intent, words) if words else client.allow(intent)


def _wait(client: Client, place: Place, touch: Touch, outcome: Outcome) -> Outcome:
    """The answer after waiting, as far as the settings and the client allow it to be waited for."""
    answer = outcome.events[-1] if outcome.events else None
    waits = isinstance(answer, Refused) and answer.code in ("waiting", "queued") and answer.lease is not None
    if not waits or place.settings.text("files.on_contention") != "wait":
        return outcome
    if isinstance(answer, Refused) and answer.code == "queued":
        return _stand_in_queue(client, place, touch, outcome)
    return _retry_when_due(client, place, touch, outcome)


def _retry_when_due(client: Client, place: Place, touch: Touch, outcome: Outcome) -> Outcome:
    """Sleep until the one retry is due, and make it. Nothing is tried for a client that died meanwhile."""
    wait = outcome.answer.lease
    if wait is None or place.until_due_ms(wait) >= client.MANNERS.wait_secs * 1000:
        return outcome
    place.close()  # a waiting hook holds nothing open
    while (left_ms := place.until_due_ms(wait)) > 0 and place.client_lives():
        time.sleep(min(LOOK_SECS, left_ms / 1000))
    return place.engine.submit(touch) if place.client_lives() else outcome


def _stand_in_queue(client: Client, place: Place, touch: Touch, outcome: Outcome) -> Outcome:
    """Ask again whenever something happened in the log, until it is our turn or the client would not wait longer."""
    place.close()
    seen = place.log_size()
    end = time.monotonic() + client.MANNERS.wait_secs
    while time.monotonic() < end and place.client_lives():
        time.sleep(LOOK_SECS)
        if place.log_size() == seen:
            continue
        seen = place.log_size()
        outcome = place.engine.submit(touch)
        place.close()
        answer = outcome.events[-1] if outcome.events else None
        if not isinstance(answer, Refused) or answer.code != "queued":
            break
    return outcome


def _after_call(client: Client, intent: Intent, place: Place) -> Reply:
    """After a shell call: what changed without a lease is a slip, recorded and told."""
    if intent.manner != "shell" or intent.background:
        return client.allow(intent)
    from jit.hooks.slips import find

    words = find(place, intent)
    return client.remark(intent, words) if words else client.allow(intent)


def _turn_over(intent: Intent, place: Place) -> None:
    if intent.event == "end":
        place.engine.submit(End(place.owner, "the session ended", whole_session=not intent.subagent))
    else:
        place.engine.submit(Stop(place.owner))
