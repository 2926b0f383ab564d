"""Randomness from the operating system, for names that nobody else makes."""

from __future__ import annotations

import posix

from jit.kernel.ids import ulid


class SystemEntropy:
    """The source of new ids."""

    def ulid(self, wall_ms: int) -> str:
        return ulid(wall_ms, posix.urandom(16))
