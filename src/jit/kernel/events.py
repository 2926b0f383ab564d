"""What happened. A refusal is an event like any other."""

from __future__ import annotations

from jit.kernel.lease import Lease, Owner
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Event: TypeAlias = "Granted | Renewed | Beaten | Released | Lapsed | Evicted | Transferred | Denied | Refused"
    Refusal: TypeAlias = Literal[
        "not-found", "not-owner", "expired", "yours", "empty", "reason",
        "forbidden", "agent-limit", "repo-limit", "no-work",
        "waiting", "queued", "blocked", "deadlock", "outdated",
    ]  # fmt: skip


class Granted(Record):
    lease: Lease


class Renewed(Record):
    lease: Lease


class Beaten(Record):
    lease: Lease


class Released(Record):
    lease: Lease
    by: Owner
    reason: str


class Lapsed(Record):
    """The lease had run out by its own policy; found when somebody next touched its resources."""

    lease: Lease


class Evicted(Record):
    lease: Lease
    by: Owner
    reason: str


class Transferred(Record):
    """`lease` is the new one; `previous` the id of the one that ended with it."""

    lease: Lease
    previous: str
    by: Owner
    reason: str


class Denied(Record):
    """Somebody else holds `resource`, under `lease`."""

    resource: str
    by: Owner
    lease: Lease


class Refused(Record):
    """The command cannot be done, for a reason that is not another holder."""

    code: Refusal
    by: Owner
    subject: str
    lease: Lease | None = None
    limit: int = 0


_KEPT = ("not-owner", "forbidden", "agent-limit", "repo-limit")


def recorded(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The events that belong in the log. A mistyped id or an empty queue changes nothing and explains nothing later."""
    return tuple([e for e in events if not isinstance(e, Refused) or e.code in _KEPT])
