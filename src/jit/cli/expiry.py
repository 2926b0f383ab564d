"""Warnings before a command: the agent's leases that soon run out, and those that have gone stale.

This stands before nearly every command, so it costs next to nothing when there is nothing to say: the point index is
searched for the agent without a lock, and only the records of its own leases are read. It is a courtesy. Where the
index is missing, behind the log or of another boot, it says nothing, and whatever is wrong with the settings or the
store is for the command itself to report.
"""

from __future__ import annotations

import os

from jit.errors import JitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.app import Workspace
    from jit.cli.output import Out
    from jit.cli.parse import Parsed
    from jit.kernel.instant import Instant
    from jit.kernel.lease import Lease
    from jit.store.table import Slot, Table

SILENT = ("config", "completion", "_complete", "doctor")
LIMIT = 16  # of an agent with more leases than this only those that end first are looked at


def warn_before(parsed: Parsed, space: Workspace, out: Out) -> None:
    """Warn, unless the command is one that must not talk, and not about the lease that the command itself is about."""
    path = parsed.command.path
    if path[0] in SILENT or (path == ("claim", "heartbeat") and parsed.flag("--loop")):
        return
    named = any(argument.name == "lease" for argument in parsed.command.arguments)
    warn_expiring(space, out, except_for=parsed.text("lease") if named else "")


def warn_expiring(space: Workspace, out: Out, *, except_for: str = "") -> None:
    """Tell the agent which of its leases need it. `except_for` is the beginning of a lease's or an issue's id."""
    try:
        near = _near(space)
        for lease, words in near:
            if not (except_for and _is_meant(lease, except_for)):
                out.warn(words)
    except (JitError, OSError):
        return


def _near(space: Workspace) -> list[tuple[Lease, str]]:
    from jit.store.table import open_table

    table = open_table(space.plane.table, writable=False)
    if table is None:
        return []
    try:
        slots = list(table.of_agent(space.agent.id)) if table.load() else []
        return _judge(space, table, slots) if slots else []
    finally:
        table.close()


def _judge(space: Workspace, table: Table, slots: list[Slot]) -> list[tuple[Lease, str]]:
    """The leases behind the slots that need attention, if the index is of this log and as far as it."""
    from jit.store.agreement import fits
    from jit.store.view import lease_at

    now = space.world.now()
    fd = os.open(space.plane.log, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if not fits(table, fd, now):
            return []
        chosen = sorted(slots, key=lambda slot: slot[3])[:LIMIT]
        leases = [lease_at(fd, slot[1] >> 3) for slot in chosen]
    finally:
        os.close(fd)
    threshold = space.settings.number("coordination.lease_renewal_threshold_pct")
    own = [lease for lease in leases if lease is not None and lease.owner.agent == space.agent.id]
    return [(lease, words) for lease in own if (words := warning(lease, now, threshold))]


def warning(lease: Lease, now: Instant, threshold_pct: int) -> str:
    """The warning, or nothing if the lease is well, or has run out already."""
    from jit.kernel.instant import elapsed_ms
    from jit.kernel.policy import Indefinite, Ttl
    from jit.views.active import clock_text, subject

    name = f"lease {lease.lease_id} on issue {subject(lease)}"
    match lease.policy:
        case Ttl(ttl_ms):
            left_ms = ttl_ms - elapsed_ms(lease.renewed, now)
            if not 0 < left_ms * 100 < ttl_ms * threshold_pct:
                return ""
            minutes, seconds = divmod(left_ms // 1000, 60)
            left = f"expires in {minutes}m{seconds:02d}s ({left_ms * 100 // ttl_ms} % left)"
            return f"{name} {left}; renew: jit claim renew {lease.lease_id} --ttl {max(1, ttl_ms // 1000)}"
        case Indefinite(stale_after_ms) if elapsed_ms(lease.beat, now) > stale_after_ms:
            silent = f"is stale: no sign of life since {clock_text(lease.beat.wall_ms)}, so it blocks your writes too"
            return f"{name} {silent}; beat: jit claim heartbeat {lease.lease_id}"
        case _:
            return ""


def _is_meant(lease: Lease, word: str) -> bool:
    wanted = word.strip().upper()
    issues = [resource.partition(":")[2] for resource in lease.resources]
    return any(name.startswith(wanted) for name in (lease.lease_id, *issues))
