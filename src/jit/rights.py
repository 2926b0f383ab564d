"""What a write needs: the right to change what is everybody's, and a claim on the issue that it changes.

Asked by the commands before they write and by git's hooks before a commit, so that both give the same answer.
"""

from __future__ import annotations

from jit.errors import Expired, NotPermitted
from jit.kernel.lease import lease_standing, same_owner
from jit.views.active import active, clock_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.app import Workspace


def require_global_right(space: Workspace) -> None:
    """Settings of the repository are everybody's: they change on an allowed branch that contains all of main.

    Where none of the allowed branches exists there is nothing to agree with, and nothing to protect.
    """
    from jit.world.git_questions import existing_branches, require_main_history

    settings = space.settings
    allowed = settings.names("global_operations.allowed_branches")
    there = existing_branches(space.repo, allowed)
    if not there:
        return
    if space.branch not in allowed:
        raise NotPermitted(
            f"settings of the repository change only on {' or '.join(allowed)}; this worktree is on {space.branch}",
            hint=f"git switch {there[0]}; or for yourself alone: jit config set --global KEY VALUE",
            details={"branch": space.branch, "allowed_branches": list(allowed)},
        )
    if settings.flag("global_operations.require_main_history") and "main" in there:
        require_main_history(space.repo)


def claim_fault(space: Workspace, issue_id: str, operation: str) -> NotPermitted | Expired | None:
    """Why this owner may not write to the issue; nothing if it holds a claim that is neither lapsed nor stale."""
    evidence, owner = space.evidence(), space.owner
    held = active(space.snapshot().ledger, evidence, issue=issue_id)
    own = next((lease for lease in held if same_owner(lease.owner, owner)), None)
    if own is None:
        who = f"; it is held by {held[0].owner.agent} in {held[0].owner.worktree}" if held else ""
        return NotPermitted(
            f"{operation} {issue_id} needs an active claim of {owner.agent} in {owner.worktree}{who}",
            hint=f"jit claim acquire {issue_id}",
            details={"issue_id": issue_id},
        )
    if lease_standing(own, evidence) == "stale":
        return Expired(
            f"your claim on issue {issue_id} is stale: no heartbeat since {clock_text(own.beat.wall_ms)}",
            hint=f"jit claim heartbeat {own.lease_id}",
            details={"issue_id": issue_id, "lease_id": own.lease_id},
        )
    return None
