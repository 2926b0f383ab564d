"""`jit claim`: taking, keeping and giving back. Each command is parsed, becomes one engine command, and is told."""

from __future__ import annotations

from jit.cli.answers import accept, lease_of, was_lapsed
from jit.cli.resolve import find_issue, find_lease
from jit.errors import Invalid, NotFound
from jit.kernel.commands import Acquire, Evict, Release, Renew, Transfer
from jit.kernel.events import Refused
from jit.kernel.ids import agent_id_fault, is_worktree_id
from jit.kernel.lease import Owner
from jit.kernel.policy import Indefinite, Ttl
from jit.systems.claims import ISSUE
from jit.systems.claims.decide import Claim, ClaimNext, Quota
from jit.views.active import clock_text, duration, granted_row, remaining_ms, subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.app import Workspace
    from jit.cli.call import Call
    from jit.engine import Outcome
    from jit.kernel.lease import Lease
    from jit.kernel.policy import Policy

CANDIDATES = 50


def acquire(call: Call) -> int:
    space = call.workspace
    issue = find_issue(space, call.parsed.text("issue"))
    outcome = space.engine.submit(claim_of(call, (f"{ISSUE}{issue}",)))
    lease = lease_of(accept(outcome, space.evidence()))
    _start_heartbeat(call)
    return _granted(call, lease, outcome, "acquired")


def take_next(call: Call) -> int:
    """Offer the most urgent free issues, and look again if others took all of them meanwhile."""
    space = call.workspace
    while True:
        candidates = _available(space)
        claim = claim_of(call, candidates[:1] or ("issue:",))
        outcome = space.engine.submit(ClaimNext(claim, candidates))
        answer = outcome.answer
        if candidates and isinstance(answer, Refused) and answer.code == "no-work":
            continue
        lease = lease_of(accept(outcome, space.evidence()))
        _start_heartbeat(call)
        return _granted(call, lease, outcome, "acquired")


def renew(call: Call) -> int:
    space = call.workspace
    lease_id = find_lease(space, call.parsed.text("lease"))
    ttl = call.parsed.integer("--ttl")
    policy = None if ttl is None else policy_of(space, ttl)
    outcome = space.engine.submit(Renew(lease_id, space.owner, policy))
    return _granted(call, lease_of(accept(outcome, space.evidence())), outcome, "renewed")


def release(call: Call) -> int:
    space = call.workspace
    lease_id = find_lease(space, call.parsed.text("lease"))
    outcome = space.engine.submit(Release(lease_id, space.owner, call.parsed.text("--reason")))
    lease = lease_of(accept(outcome, space.evidence()))
    call.out.data({"released": granted_row(lease), "sequence": outcome.sequence})
    call.out.line(f"{call.out.paint('ok', 'released')} issue {subject(lease)}")
    return 0


def transfer(call: Call) -> int:
    space = call.workspace
    lease_id = find_lease(space, call.parsed.text("lease"))
    to, branch = _receiver(call)
    new_id = space.world.ulid(space.world.now().wall_ms)
    command = Transfer(lease_id, space.owner, to, new_id, call.parsed.text("--reason"), branch)
    outcome = space.engine.submit(command)
    lease = lease_of(accept(outcome, space.evidence()))
    return _granted(call, lease, outcome, f"transferred to {to.agent}:")


def force_evict(call: Call) -> int:
    space = call.workspace
    lease_id = find_lease(space, call.parsed.text("lease"))
    outcome = space.engine.submit(Evict(lease_id, space.owner, call.parsed.text("--reason")))
    answer = accept(outcome, space.evidence())
    lease = lease_of(answer)
    how = "had already run out" if was_lapsed(answer) else "evicted"
    call.out.data({"evicted": granted_row(lease), "lapsed": was_lapsed(answer), "sequence": outcome.sequence})
    call.out.line(f"{call.out.paint('warn', how)}: {lease.owner.agent}'s claim on issue {subject(lease)}")
    return 0


def claim_of(call: Call, resources: tuple[str, ...]) -> Claim:
    """The claim that the command line asks for."""
    space = call.workspace
    ttl = call.parsed.integer("--ttl")
    policy = policy_of(space, space.settings.ttl_secs() if ttl is None else ttl)
    lease_id = space.world.ulid(space.world.now().wall_ms)
    settings = space.settings
    quota = Quota(
        settings.number("coordination.max_indefinite_leases_per_agent"),
        settings.number("coordination.max_indefinite_leases_per_repo"),
    )
    return Claim(Acquire(lease_id, resources, space.owner, policy, call.parsed.text("--reason"), space.branch), quota)


def policy_of(space: Workspace, ttl_secs: int) -> Policy:
    if ttl_secs == 0:
        return Indefinite(space.settings.number("coordination.stale_threshold_secs") * 1000)
    return Ttl(ttl_secs * 1000)


def _available(space: Workspace) -> tuple[str, ...]:
    """The most urgent issues that nobody holds, as far as can be seen without a lock."""
    from jit.cli.resolve import claimable

    return tuple(f"{ISSUE}{issue.id}" for issue in claimable(space)[:CANDIDATES])


def _receiver(call: Call) -> tuple[Owner, str]:
    """Who gets the claim, where, and on which branch that worktree is."""
    from jit.world.worktree import find_by_id

    space = call.workspace
    agent, place = call.parsed.text("--to-agent"), call.parsed.text("--to-worktree") or space.identity.worktree_id
    why = agent_id_fault(agent)
    if why:
        raise Invalid(f"--to-agent {agent!r}: {why}", hint="jit claim transfer LEASE --to-agent agent:NAME --reason …")
    if not is_worktree_id(place):
        raise Invalid(f"--to-worktree {place!r} is not a worktree id (wt: and 8 hex digits)", hint="jit worktree list")
    if place == space.identity.worktree_id:
        return Owner(agent, place), space.branch
    there = find_by_id(space.repo, place)
    if there is None:
        raise NotFound(f"no worktree of this repository has the id {place}", hint="jit worktree list")
    return Owner(agent, place), there.branch


def _granted(call: Call, lease: Lease, outcome: Outcome, verb: str) -> int:
    call.out.data(granted_row(lease) | {"sequence": outcome.sequence, "reason": lease.reason})
    left = remaining_ms(lease, call.workspace.world.now())
    span = "without end" if left is None else f"for {duration(lease_ttl(lease))}, until {_until(lease)}"
    call.out.line(f"{call.out.paint('ok', verb)} issue {subject(lease)} {span}")
    call.out.line(f"lease {call.out.paint('id', lease.lease_id)}  fence {lease.fence}")
    return 0


def lease_ttl(lease: Lease) -> int:
    return lease.policy.ttl_ms if isinstance(lease.policy, Ttl) else 0


def _until(lease: Lease) -> str:
    return clock_text(lease.renewed.wall_ms + lease_ttl(lease))


def _start_heartbeat(call: Call) -> None:
    if call.workspace.settings.flag("behavior.auto_heartbeat"):
        from jit.cli.claim_heartbeat import start_in_background

        start_in_background(call)
