"""What a decision about files needs to know of the world."""

from __future__ import annotations

from jit.systems.files.commands import Committed, Touch
from jit.systems.files.names import wait_resources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.lease import Lease
    from jit.kernel.ledger import Leases
    from jit.systems.files.commands import FileCommand


def concerned(leases: Leases, command: FileCommand) -> tuple[list[Lease], list[str]]:
    """The leases whose owners' life matters, and the resources whose content does."""
    if isinstance(command, Committed):
        return [], list(command.resources)
    if not isinstance(command, Touch):
        return [], []
    found: list[Lease] = []
    for target in command.targets:
        found += leases.holders(target.resource)
        if target.rule == "queue":
            found += leases.holders(wait_resources(command.owner, target.resource)[1])
    return found, [target.resource for target in command.targets]
