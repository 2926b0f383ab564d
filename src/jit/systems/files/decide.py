"""The file gate: every write is preceded by a lease, and nobody has to ask for it.

An attempt to write is judged in `touch`; how a lease ends, in `endings`, which a hook before a write never loads.
"""

from __future__ import annotations

from jit.systems.files.commands import Touch
from jit.systems.files.touch import Attempt, touch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.events import Event
    from jit.kernel.lease import Evidence
    from jit.kernel.ledger import Leases
    from jit.systems.files.commands import FileCommand


def decide(state: Leases, command: FileCommand, evidence: Evidence) -> tuple[Event, ...]:
    if isinstance(command, Touch):
        return touch(Attempt(state, command, evidence))
    from jit.systems.files.endings import end

    return end(state, command, evidence)
