"""What a decision about files needs to know of the world."""

from __future__ import annotations

from jit.kernel.lease import same_owner
from jit.systems.files.commands import Committed, Free, Touch
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
    if isinstance(command, Free):
        lease = leases.lease(command.lease_id)
        return ([], []) if lease is None else ([lease], list(lease.resources))
    if not isinstance(command, Touch):
        return [], []
    found: list[Lease] = []
    resources: list[str] = []
    for target in command.targets:
        held = leases.holders(target.resource)
        found += held
        if not any(_goes_on(lease, command) for lease in held):
            resources.append(target.resource)
        for rival in held:
            if not same_owner(rival.owner, command.owner):
                from jit.systems.files.circle import waited_for_by

                found += waited_for_by(leases, rival.owner)
        if target.rule == "queue":
            found += leases.holders(wait_resources(command.owner, target.resource)[1])
    return found, resources


def _goes_on(lease: Lease, command: Touch) -> bool:
    """Has the owner, whose process asks and so lives, the file already? Then nobody compares what is in it."""
    process = command.owner.process
    return (
        same_owner(lease.owner, command.owner)
        and not lease.stopped
        and process is not None
        and bool(process.namespace)  # else it cannot be seen, and silence ends its leases
        and lease.owner.process == process
    )
