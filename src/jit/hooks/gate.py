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
from jit.systems.files.commands import End, Stop

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
    targets, _unknown = place.targets(intent)
    if not targets:
        return client.allow(intent)
    touch = place.touch(targets, intent.tool)
    outcome = place.engine.submit(touch)
    if place.refusal(outcome) and place.is_free_after_all(outcome):
        return client.allow(intent)
    if _may_wait(client, outcome, place):
        waited = _wait_for_retry(outcome, place)
        if not waited:
            return client.allow(intent)  # nobody is there to hear it
        outcome = place.engine.submit(touch)
    words = place.refusal(outcome)
    if not words:
        return client.allow(intent)
    return client.deny(intent, words)


def _may_wait(client: Client, outcome: Outcome, place: Place) -> bool:
    """Can the one retry be made inside this very call?"""
    answer = outcome.events[-1] if outcome.events else None
    if not isinstance(answer, Refused) or answer.code != "waiting" or answer.lease is None:
        return False
    left_ms = place.until_due_ms(answer.lease)
    return place.settings.text("files.on_contention") == "wait" and left_ms < client.MANNERS.wait_secs * 1000


def _wait_for_retry(outcome: Outcome, place: Place) -> bool:
    """Sleep until the retry is due. False if the client died meanwhile."""
    wait = outcome.answer.lease
    if wait is None:
        return False
    place.close()  # a waiting hook holds nothing open
    while (left_ms := place.until_due_ms(wait)) > 0:
        if not place.client_lives():
            return False
        time.sleep(min(LOOK_SECS, left_ms / 1000))
    return place.client_lives()


def _after_call(client: Client, intent: Intent, place: Place) -> Reply:
    """After a shell call: what changed without a lease is a slip, recorded and told."""
    if intent.manner != "shell" or intent.background:
        return client.allow(intent)
    slips = place.slips(intent)
    if not slips:
        return client.allow(intent)
    return client.remark(intent, slips)


def _turn_over(intent: Intent, place: Place) -> None:
    if intent.event == "end":
        place.engine.submit(End(place.owner, "the session ended", whole_session=not intent.subagent))
    else:
        place.engine.submit(Stop(place.owner))
