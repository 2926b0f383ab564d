"""What can be asked of the file gate."""

from __future__ import annotations

from jit.kernel.lease import Owner
from jit.kernel.policy import WhileAlive
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Rule: TypeAlias = Literal["retry-then-halt", "queue", "fail-fast"]
    FileCommand: TypeAlias = "Touch | Stop | End | Committed | Free | Resume"


SLIP = " (slip)"  # behind the tool's name: it is asked after the fact, because the tool wrote without asking


class Target(Record):
    """One file that is about to change.

    `fresh` says that the change is applied to the file as it then is, not to a copy; `shared`, that all who share it
    may change it at once.
    """

    resource: str
    rule: Rule = "retry-then-halt"
    fresh: bool = False
    shared: bool = False


class Touch(Record):
    """May this owner change these files now? All of them or none. `ids` has one new lease id for each target."""

    owner: Owner
    targets: tuple[Target, ...]
    ids: tuple[str, ...]
    policy: WhileAlive
    retry_ms: int
    tool: str = ""
    branch: str = ""


class Stop(Record):
    """The owner has finished its turn: its leases end after the idle time unless it goes on.

    `keep` are files that something it started is still writing. `failed`: it did not end its turn itself, so nobody
    waits for it to go on.
    """

    owner: Owner
    keep: tuple[str, ...] = ()
    failed: bool = False


class End(Record):
    """The owner is gone: everything it had ends now. `whole_session` takes its subagents with it."""

    owner: Owner
    reason: str
    whole_session: bool = False


class Committed(Record):
    """These files were committed by this client session: their leases have done their work."""

    owner: Owner
    resources: tuple[str, ...]


class Free(Record):
    """One file's lease ends before its time: given back by its owner, or with `forced` taken away by somebody else."""

    lease_id: str
    owner: Owner
    reason: str
    forced: bool = False


class Resume(Record):
    """An operator ends a wait, so that the next attempt begins a new round."""

    lease_id: str
    owner: Owner
    reason: str
