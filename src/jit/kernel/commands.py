"""What can be asked of the kernel.

Ids are made before the asking, so that deciding twice gives the same answer twice.
"""

from __future__ import annotations

from jit.kernel.lease import Owner
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from jit.kernel.policy import Policy

    Command: TypeAlias = "Acquire | Renew | Beat | Release | Transfer | Evict"


class Acquire(Record):
    """All of the resources, or none. `again` says whether asking for one's own lease is refused or renews it."""

    lease_id: str
    resources: tuple[str, ...]
    owner: Owner
    policy: Policy
    reason: str = ""
    branch: str = ""
    again: str = "refuse"


class Renew(Record):
    """Start the lease's time anew, under the same policy or another."""

    lease_id: str
    owner: Owner
    policy: Policy | None = None


class Beat(Record):
    """A sign of life. `stopped` says that the owner has finished for now and that the idle time begins."""

    lease_id: str
    owner: Owner
    stopped: bool = False


class Release(Record):
    lease_id: str
    owner: Owner
    reason: str = ""


class Transfer(Record):
    """Hand the resources to another owner under a new lease id, without a moment in which they are free."""

    lease_id: str
    owner: Owner
    to: Owner
    new_lease_id: str
    reason: str
    branch: str = ""


class Evict(Record):
    """Take a lease away from its holder. Anyone may, with a reason that is kept."""

    lease_id: str
    owner: Owner
    reason: str
