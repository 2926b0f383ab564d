"""Every command there is, and who decides it. A system is imported when one of its commands comes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from jit.kernel.events import Event
    from jit.kernel.lease import Evidence
    from jit.kernel.ledger import Leases
    from jit.systems.claims.decide import ClaimCommand
    from jit.systems.files.commands import FileCommand

    AnyCommand: TypeAlias = "ClaimCommand | FileCommand"


def decide(state: Leases, command: AnyCommand, evidence: Evidence) -> tuple[Event, ...]:
    if is_of_files(command):
        from jit.systems.files.decide import decide as decide_files

        return decide_files(state, command, evidence)  # type: ignore[arg-type]
    from jit.systems.claims.decide import decide as decide_claims

    return decide_claims(state, command, evidence)  # type: ignore[arg-type]


def is_of_files(command: AnyCommand) -> bool:
    """Told by the module, so that nobody has to import the system to ask."""
    return type(command).__module__ == "jit.systems.files.commands"
