"""When a lease ends. Four policies, and one question that every part of jit asks in the same way: `standing`."""

from __future__ import annotations

from jit.kernel.instant import Instant, elapsed_ms
from jit.kernel.record import Record, unreachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Standing: TypeAlias = Literal["held", "stale", "lapsed"]
    Liveness: TypeAlias = Literal["alive", "dead", "unknown"]
    Policy: TypeAlias = "Ttl | Indefinite | WhileAlive | Revisions"


class Ttl(Record):
    """Ends when more than `ttl_ms` have passed since it was last granted or renewed; never earlier."""

    ttl_ms: int


class Indefinite(Record):
    """Never ends by itself.

    Silent for longer than `stale_after_ms` it is stale: it still blocks others, and its holder too.
    """

    stale_after_ms: int


class WhileAlive(Record):
    """Ends when the owner's process is proven dead, or `idle_ms` after it said that it stopped.

    An owner whose life cannot be known may be silent for `silence_ms` before the lease lapses.
    """

    silence_ms: int
    idle_ms: int


class Revisions(Record):
    """Ends when the document's revision is more than `lease_revs` ahead of the one it was acquired at.

    No clock at all.
    """

    lease_revs: int


class Signs(Record):
    """What is known about one lease at the moment of asking."""

    now: Instant
    renewed: Instant
    beat: Instant
    alive: Liveness = "unknown"
    stopped: bool = False
    revisions: int | None = None


def standing(policy: Policy, signs: Signs) -> Standing:
    """Is a lease under this policy held, stale or lapsed?"""
    match policy:
        case Ttl():
            return "lapsed" if elapsed_ms(signs.renewed, signs.now) > policy.ttl_ms else "held"
        case Indefinite():
            return "stale" if elapsed_ms(signs.beat, signs.now) > policy.stale_after_ms else "held"
        case WhileAlive():
            return "lapsed" if _ended(policy, signs) else "held"
        case Revisions():
            past = signs.revisions is not None and signs.revisions > policy.lease_revs
            return "lapsed" if past else "held"
        case _:
            unreachable(policy)


def _ended(policy: WhileAlive, signs: Signs) -> bool:
    silent_ms = elapsed_ms(signs.beat, signs.now)
    if signs.alive == "dead":
        return True
    if signs.stopped and silent_ms > policy.idle_ms:
        return True
    return signs.alive == "unknown" and silent_ms > policy.silence_ms
