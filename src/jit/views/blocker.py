"""The blocker report: what an operator needs to decide, as JSON and in few words."""

from __future__ import annotations

from jit.kernel.instant import elapsed_ms, rfc3339
from jit.systems.files.names import path_of, waited_for
from jit.systems.files.wait import wait_of
from jit.views.active import clock_text, duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.kernel.instant import Instant
    from jit.kernel.lease import Lease, Owner


def report(wait: Lease, holder: Lease | None, now: Instant, retry_secs: int) -> dict[str, object]:
    """The report of one blocked path; `holder` is the lease that blocks it, if it is still there."""
    told = wait_of(wait)
    since = holder.acquired if holder else told.held_since
    return {
        "blocker_id": wait.lease_id,
        "file": path_of(waited_for(wait)),
        "owner": owner_row(holder.owner) if holder else {"agent_id": told.held_by},
        "lock_age_secs": elapsed_ms(since, now) // 1000,
        "last_heartbeat_at": rfc3339((holder.beat if holder else wait.beat).wall_ms),
        "retry_interval_secs": retry_secs,
        "state": "waiting_for_instruction",
        "why": "deadlock" if told.phase == "deadlock" else "held",
        "blocked": owner_row(wait.owner),
        "blocked_since": rfc3339(wait.beat.wall_ms),
        "options": [
            f"jit file why {path_of(waited_for(wait))}",
            f"jit file resume {wait.lease_id}",
            f'jit file evict {path_of(waited_for(wait))} --reason "…"',
        ],
    }


def owner_row(owner: Owner) -> dict[str, object]:
    session, _, subagent = owner.session.partition("/")
    return {
        "agent_id": owner.agent,
        "session_id": session,
        "subagent_id": subagent or None,
        "client": owner.agent.partition(":")[2].partition("-")[0],
        "pid": owner.process.pid if owner.process else None,
        "worktree_id": owner.worktree,
    }


def waiting_words(wait: Lease, now: Instant) -> str:
    """For the model: why, until when, and what to do next."""
    told = wait_of(wait)
    path = path_of(waited_for(wait))
    held = f"{path} is being changed by {_holder(wait)} since {clock_text(told.held_since.wall_ms)}"
    if told.due is None or told.phase == "queued":
        return f"{held}. You are in its queue. Do other work, then try this edit again."
    left = duration(max(0, elapsed_ms(now, told.due)))
    return (
        f"{held}. Do not work around it. Do other work and try this same edit again at {clock_text(told.due.wall_ms)}"
        f" (in {left}); earlier attempts get this same answer."
    )


def _holder(wait: Lease) -> str:
    return _name(wait_of(wait).held_by, wait.owner.agent)


def _name(agent: str, reader: str) -> str:
    """Who has it; the parts of one session go by one name."""
    return f"another subagent of your own session ({agent})" if agent == reader else agent


def blocked_words(wait: Lease) -> str:
    told = wait_of(wait)
    path = path_of(waited_for(wait))
    if told.phase == "deadlock":
        return (
            f"{path} is held by {_holder(wait)}, who waits for a file of yours. Finish or commit what you hold,"
            f" or stop and tell your operator. Blocker {wait.lease_id}."
        )
    return (
        f"{path} is still held by {_holder(wait)} since {clock_text(told.held_since.wall_ms)}, after one retry."
        f" Stop this task, do not skip it, and tell your operator: jit file blockers. Blocker {wait.lease_id}."
    )


def overtaken_words(granted: Lease, rival: Lease) -> str:
    who, when = _name(rival.owner.agent, granted.owner.agent), clock_text(rival.beat.wall_ms)
    return (
        f"{path_of(granted.resources[0])} may have changed since you read it: {who} had it at {when}. You hold it now."
        " Read it again, then make your edit."
    )


def outdated_words(path: str) -> str:
    why = "another agent wrote to it"
    return f"{path} changed since you read it: {why}. You hold it now. Read it again, then make your edit."
