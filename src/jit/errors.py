"""Faults, and the exit codes they end in.

Answers are values: a refused claim is an event that the kernel decided. Faults are the exceptions below. A surface has
one boundary that turns either into words (or JSON) and an exit code.

    JitError
    ├── UsageError        2   the command line cannot be understood
    ├── NotFound          3   no such issue, lease, key, worktree
    ├── Invalid           4   a value or a document breaks its rules
    ├── NotPermitted      5   someone else's lease; a policy forbids it
    ├── AlreadyExists     6
    ├── ConfigError       7   configuration cannot be read or used
    ├── Held             10   held by someone else
    ├── Blocked          11   blocked, waiting for instruction
    ├── Expired          12   the lease ran out or went stale
    ├── VersionConflict  13   expected another version
    ├── LimitReached     14
    ├── Unavailable      20   store or git cannot be used
    ├── LogCorrupt       21   the log has a damaged record
    └── LockTimeout      22   the writers' lock stayed busy
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

EXIT_CODES: tuple[tuple[int, str, str], ...] = (
    (0, "done", "the command did what was asked"),
    (1, "internal", "a fault in jit itself; the report says what to send"),
    (2, "usage", "the command line cannot be understood"),
    (3, "not-found", "no such issue, lease, worktree or key"),
    (4, "invalid", "validation failed"),
    (5, "not-permitted", "not the holder, or a policy forbids it"),
    (6, "already-exists", "it is there already"),
    (7, "config", "configuration cannot be read or used"),
    (10, "held", "held by someone else"),
    (11, "blocked", "blocked, waiting for instruction"),
    (12, "expired", "the lease ran out or went stale"),
    (13, "version-conflict", "another version was expected"),
    (14, "limit", "a limit is reached"),
    (20, "unavailable", "the store or git cannot be used"),
    (21, "log-corrupt", "the log has a damaged record"),
    (22, "lock-timeout", "the writers' lock stayed busy too long"),
    (130, "interrupted", "stopped by a signal"),
    (141, "broken-pipe", "whoever read the output has gone"),
)


class JitError(Exception):
    """A fault with words for people: what happened, and the exact next command as a hint."""

    code = "internal"
    exit_code = 1

    def __init__(self, message: str, *, hint: str = "", details: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details = dict(details or {})


class UsageError(JitError):
    code = "usage"
    exit_code = 2


class NotFound(JitError):
    code = "not-found"
    exit_code = 3


class Invalid(JitError):
    code = "invalid"
    exit_code = 4


class NotPermitted(JitError):
    code = "not-permitted"
    exit_code = 5


class AlreadyExists(JitError):
    code = "already-exists"
    exit_code = 6


class ConfigError(JitError):
    code = "config"
    exit_code = 7


class Held(JitError):
    code = "held"
    exit_code = 10


class Blocked(JitError):
    code = "blocked"
    exit_code = 11


class Expired(JitError):
    code = "expired"
    exit_code = 12


class VersionConflict(JitError):
    code = "version-conflict"
    exit_code = 13


class LimitReached(JitError):
    code = "limit"
    exit_code = 14


class Unavailable(JitError):
    code = "unavailable"
    exit_code = 20


class LogCorrupt(JitError):
    code = "log-corrupt"
    exit_code = 21


class LockTimeout(JitError):
    code = "lock-timeout"
    exit_code = 22
