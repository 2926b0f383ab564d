"""A write that may not happen now: waiting for it, and why not, in words for the model.

If the client can wait longer than the retry interval, the hook itself waits for the one retry, so that the agent only
sees a slow edit; a client that dies meanwhile ends the wait, and nothing is taken for the dead. None of this is loaded
before a write that may happen.
"""

from __future__ import annotations

import posix
import time

from jit.kernel.events import Denied, Refused
from jit.kernel.instant import elapsed_ms
from jit.systems.files.commands import Resume
from jit.systems.files.names import is_wait, path_of, waited_for
from jit.systems.files.wait import wait_of
from jit.views.blocker import blocked_words, outdated_words, waiting_words
from jit.world.process import liveness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.engine import Outcome
    from jit.hooks.clients import Client
    from jit.hooks.place import Place
    from jit.kernel.lease import Lease
    from jit.systems.files.commands import Touch

LOOK_SECS = 0.5  # how often a waiting hook makes sure that its client lives


def settle(client: Client, place: Place, touch: Touch, outcome: Outcome) -> str:
    """Wait as far as the settings and the client allow, and say why the write may still not happen; nothing if it
    may.
    """
    if is_free_after_all(place, outcome):
        return ""
    return words(place, _wait(client, place, touch, outcome))


def words(place: Place, outcome: Outcome) -> str:
    """Why the write may not happen, in words for the model; nothing if it may."""
    answer = outcome.events[-1] if outcome.events else None
    if isinstance(answer, Denied):
        return f"{path_of(answer.resource)} is held by {answer.lease.owner.agent}. Do other work first."
    if not isinstance(answer, Refused) or answer.lease is None:
        return ""
    if answer.code == "outdated":
        return outdated_words(path_of(answer.subject))
    if answer.code in ("blocked", "deadlock"):
        return blocked_words(answer.lease)
    return waiting_words(answer.lease, place.world.now())


def until_due_ms(place: Place, wait: Lease) -> int:
    due = wait_of(wait).due
    return 0 if due is None else elapsed_ms(place.world.now(), due)


def is_free_after_all(place: Place, outcome: Outcome) -> bool:
    """Does git ignore the file that is held? Asked only now, because asking git costs more than all the rest."""
    answer = outcome.answer
    if not isinstance(answer, (Refused, Denied)) or answer.lease is None:
        return False
    resource = waited_for(answer.lease) if is_wait(answer.lease) else answer.lease.resources[0]
    if not is_ignored(place, resource):
        return False
    if is_wait(answer.lease):
        place.engine.submit(Resume(answer.lease.lease_id, place.owner, "git ignores the file"))
    return True


def is_ignored(place: Place, resource: str) -> bool:
    """Does git ignore the file, and do the settings leave such files free?"""
    from jit.world.git_questions import run

    if place.settings.flag("files.lease_ignored"):
        return False
    return run(place.space.repo, "check-ignore", "--quiet", "--", place.world.paths.get(resource, ""))[0] == 0


def _wait(client: Client, place: Place, touch: Touch, outcome: Outcome) -> Outcome:
    """The answer after waiting, as far as the settings and the client allow it to be waited for."""
    answer = outcome.answer
    if not isinstance(answer, Refused) or place.settings.text("files.on_contention") != "wait":
        return outcome
    if answer.code == "queued":
        return _stand_in_queue(client, place, touch, outcome)
    return _retry_when_due(client, place, touch, outcome) if answer.code == "waiting" else outcome


def _retry_when_due(client: Client, place: Place, touch: Touch, outcome: Outcome) -> Outcome:
    """Sleep until the one retry is due, and make it. Nothing is tried for a client that died meanwhile.

    A client that cannot wait so long is told when to come back. One that cannot be told anything waits as long as it
    may: the file may be free by then.
    """
    wait, limit_ms = outcome.answer.lease, client.MANNERS.wait_secs * 1000
    if wait is None or (until_due_ms(place, wait) >= limit_ms and client.MANNERS.denies != "cancel"):
        return outcome
    place.close()  # a waiting hook holds nothing open
    end = time.monotonic() + min(limit_ms, until_due_ms(place, wait)) / 1000
    while (left := end - time.monotonic()) > 0 and _client_lives(place):
        time.sleep(min(LOOK_SECS, left))
    return place.engine.submit(touch) if _client_lives(place) else outcome


def _stand_in_queue(client: Client, place: Place, touch: Touch, outcome: Outcome) -> Outcome:
    """Ask again whenever something happened in the log, until it is our turn or the client would not wait longer.

    Where nothing happens it is asked after a retry interval, because the first in the queue may not have come.
    """
    place.close()
    seen, asked = _log_size(place), time.monotonic()
    end, interval = asked + client.MANNERS.wait_secs, place.settings.number("files.retry_interval_secs")
    while time.monotonic() < end and _client_lives(place):
        time.sleep(LOOK_SECS)
        if _log_size(place) == seen and time.monotonic() - asked <= interval:
            continue
        seen, asked = _log_size(place), time.monotonic()
        outcome = place.engine.submit(touch)
        place.close()
        answer = outcome.events[-1] if outcome.events else None
        if not isinstance(answer, Refused) or answer.code != "queued":
            break
    return outcome


def _client_lives(place: Place) -> bool:
    """Is the client that asked still there? One that cannot be seen counts as there."""
    process = place.owner.process
    return process is None or liveness(process) != "dead"


def _log_size(place: Place) -> int:
    try:
        return posix.stat(place.space.plane.log).st_size
    except OSError:
        return -1
