"""`jit worktree`: the worktrees of the repository and their identity."""

from __future__ import annotations

import os

from jit.cli.table import Column
from jit.errors import AlreadyExists, Invalid
from jit.views.active import active

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.app import Workspace
    from jit.cli.call import Call

COLUMNS = (Column("WORKTREE", "id"), Column("BRANCH"), Column("CLAIMS", right=True), Column("NOTES"), Column("PATH"))


def info(call: Call) -> int:
    space = call.workspace
    identity = space.identity
    claims = active(space.snapshot().ledger, space.evidence())
    mine = [lease for lease in claims if lease.owner.worktree == identity.worktree_id]
    row = {
        "worktree_id": identity.worktree_id,
        "branch": space.branch,
        "root": space.repo.worktree,
        "created_at": identity.created_at,
        "relocated_at": identity.relocated_at or None,
        "kind": space.repo.kind,
        "common_dir": space.repo.common_dir,
        "control_plane": space.plane.root,
        "agent_id": space.agent.id,
        "agent_source": space.agent.source,
        "claims": len(mine),
    }
    call.out.data(row)
    for name, value in row.items():
        call.out.line(f"{name.replace('_', ' '):15} {value if value is not None else '-'}")
    return 0


def list_all(call: Call) -> int:
    rows = _rows(call.workspace)
    call.out.data({"worktrees": rows, "count": len(rows)})
    cells = [
        (str(r["worktree_id"] or "-"), str(r["branch"]), str(r["claims"]), str(r["notes"]), str(r["path"]))
        for r in rows
    ]
    call.out.table(COLUMNS, cells)
    return 0


def initialise(call: Call) -> int:
    identity = call.workspace.identity
    call.out.data({"worktree_id": identity.worktree_id, "root": identity.root, "created_at": identity.created_at})
    call.out.line(f"{call.out.paint('ok', 'ready')}: {identity.worktree_id} at {identity.root}")
    return 0


def create(call: Call) -> int:
    """`git worktree add`, and the new worktree's identity at once."""
    from jit.app import Workspace
    from jit.world.git_questions import ask, committed, existing_branches

    space, parsed = call.workspace, call.parsed
    path = os.path.abspath(os.path.join(call.cwd, parsed.text("path")))
    if os.path.lexists(path) and (not os.path.isdir(path) or os.listdir(path)):
        raise AlreadyExists(f"{path} is there already", hint=f"jit worktree create {path}-2", details={"path": path})
    if not committed(space.repo):
        hint = 'git commit --allow-empty -m "begin"'
        raise Invalid("the repository has no commit yet, so there is nothing to check out", hint=hint)
    branch = parsed.text("--branch") or os.path.basename(path)
    known = branch in existing_branches(space.repo, (branch,))
    where = (
        [path, branch] if known else ["-b", branch, path, *([parsed.text("--from")] if parsed.text("--from") else [])]
    )
    ask(space.repo, "worktree", "add", "--quiet", *where)
    made = Workspace(path, {k: v for k, v in call.environ.items() if not k.startswith("GIT_")}, warn=call.out.warn)
    identity = made.identity
    call.out.data({"worktree_id": identity.worktree_id, "branch": made.branch, "root": identity.root})
    call.out.line(
        f"{call.out.paint('ok', 'created')} {identity.worktree_id} on branch {made.branch} at {identity.root}"
    )
    call.out.note(f"next: cd {identity.root} && jit claim next")
    return 0


def _rows(space: Workspace) -> list[dict[str, object]]:
    from jit.world.git_questions import worktrees
    from jit.world.worktree_file import read

    leases = active(space.snapshot().ledger, space.evidence())
    rows: list[dict[str, object]] = []
    for listed in worktrees(space.repo):
        identity = None if listed.bare or not os.path.isdir(listed.path) else read(listed.path)
        name = identity.worktree_id if identity else None
        notes = [word for word, on in (("bare", listed.bare), ("detached", listed.detached)) if on]
        notes += [word for word, why in (("locked", listed.locked), ("prunable", listed.prunable)) if why is not None]
        rows.append(
            {
                "worktree_id": name,
                "path": listed.path,
                "branch": listed.branch or (f"detached:{listed.head[:12]}" if listed.detached else ""),
                "head": listed.head,
                "detached": listed.detached,
                "locked": listed.locked is not None,
                "prunable": listed.prunable is not None,
                "bare": listed.bare,
                "claims": sum(1 for lease in leases if name and lease.owner.worktree == name),
                "notes": ", ".join(notes),
            }
        )
    return rows
