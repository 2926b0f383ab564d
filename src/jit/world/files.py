"""How the world writes: two durable operations, given by whoever composes the program.

Only the store may replace and sync files. What the world keeps (a worktree's identity, heartbeats, settings) is written
through this pair, so that the rules of durability live in one place and tests can watch every write.
"""

from __future__ import annotations

from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Files(Record):
    write: Callable[[str, bytes], None]
    """Replace a file as a whole: readers see the old bytes or the new, never a part."""

    create: Callable[[str, bytes], bool]
    """Make a file that must not exist yet; False, and nothing changed, if it does."""
