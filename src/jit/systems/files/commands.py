"""What can be asked of the file gate."""

from __future__ import annotations

from jit.kernel.lease import Owner
from jit.kernel.policy import WhileAlive
from jit.kernel.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Rule: TypeAlias = Literal["retry-then-halt", "queue", "fail-fast"]
    FileCommand: TypeAlias = "Touch | Stop | End | Committed | Free | Resume"


@record
class Target:
    """One file that is about to change.

    `fresh` says that the change is applied to the file as it then is, not to a copy; `shared`, that all who share it
    may change it at once.
    """

    resource: str
    rule: Rule = "retry-then-halt"
    fresh: bool = False
    shared: bool = False


@record
class Touch:
    """May this owner change these files now? All of them or none. `ids` has one new lease id for each target."""

    owner: Owner
    targets: tuple[Target, ...]
    ids: tuple[str, ...]
    policy: WhileAlive
    retry_ms: int
    tool: str = ""
    branch: str = ""


@record
class Stop:
    """The owner has finished its turn: its leases end after the idle time unless it goes on."""

    owner: Owner


@record
class End:
    """The owner is gone: everything it had ends now. `whole_session` takes its subagents with it."""

    owner: Owner
    reason: str
    whole_session: bool = False


@record
class Committed:
    """These files were committed by this client session: their leases have done their work."""

    owner: Owner
    resources: tuple[str, ...]


@record
class Free:
    """One file's lease ends before its time: given back by its owner, or with `forced` taken away by somebody else."""

    lease_id: str
    owner: Owner
    reason: str
    forced: bool = False


@record
class Resume:
    """An operator ends a wait, so that the next attempt begins a new round."""

    lease_id: str
    owner: Owner
    reason: str
