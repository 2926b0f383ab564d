"""`jit status`: where you are, what there is to do, who holds what. One screen; it creates nothing."""

from __future__ import annotations

import os

from jit.cli.claim_show import left_cell
from jit.cli.file import observe
from jit.cli.log import event_line, is_told, words
from jit.cli.table import Column
from jit.kernel.lease import lease_standing, same_owner
from jit.systems.issues.issue import CLAIMABLE, STATES
from jit.views import files
from jit.views.active import active, active_row, subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.app import Workspace
    from jit.cli.call import Call
    from jit.kernel.lease import Evidence, Lease
    from jit.store.history import Entry

NEWEST = 5
COLUMNS = (Column("YOUR CLAIM", "id"), Column("LEFT", right=True), Column("TITLE"), Column("LEASE", "id"))


def status(call: Call) -> int:
    from jit.store.history import newest

    space = call.workspace
    ledger = space.snapshot().ledger
    evidence = observe(space, ledger)
    ready = os.path.isdir(space.plane.root)
    claims = active(ledger, evidence)
    mine = _own(space, claims)
    issues = list(space.issues.all())
    states = {state: count for state in STATES if (count := sum(1 for issue in issues if issue.state == state))}
    taken = {subject(lease) for lease in claims}
    free = any(issue.state in CLAIMABLE and issue.id not in taken for issue in issues)
    stale = sum(1 for lease in claims if lease_standing(lease, evidence) == "stale")
    gate = files.count(ledger, evidence)
    counts = {"issues": states, "claims": len(claims), "stale": stale, "yours": len(mine), "files": gate}
    events = newest(space.plane, NEWEST, is_told)
    following = _next(space, mine, evidence, ready=ready, free=free)
    if ready and not mine and gate["blocked"]:
        following = "jit file blockers"
    document = _places(space, ready=ready) | {
        "counts": counts,
        "claims": [active_row(lease, evidence) for lease in mine],
        "events": [_event_row(entry, at) for entry, at in events],
        "next": following,
    }
    call.out.data(document)
    if not call.out.json:
        titles = {issue.id: issue.title for issue in issues}
        _show(call, document, [(lease, titles.get(subject(lease), "")) for lease in mine], events)
    return 0


def _places(space: Workspace, *, ready: bool) -> dict[str, object]:
    repo = space.repo
    identity = _identity(space)
    return {
        "repository": {
            "worktree": repo.worktree or None,
            "common_dir": repo.common_dir,
            "control_plane": space.plane.root,
            "ready": ready,
        },
        "you": {
            "agent_id": space.agent.id,
            "agent_source": space.agent.source,
            "worktree_id": identity or None,
            "branch": space.branch,
        },
    }


def _show(
    call: Call, document: dict[str, object], mine: list[tuple[Lease, str]], events: list[tuple[Entry, int]]
) -> None:
    space, out = call.workspace, call.out
    evidence = space.evidence()
    where = _identity(space) or "no worktree identity yet"
    out.line(f"repository  {space.repo.worktree or space.repo.common_dir}")
    out.line(f"you         {space.agent.id} (from {space.agent.source}) in {where} on {space.branch}")
    for name, text in _count_lines(document):
        out.line(f"{name:<11} {text}")
    if mine:
        out.line()
        rows = [(subject(lease), left_cell(lease, evidence), title, lease.lease_id) for lease, title in mine]
        out.table(COLUMNS, rows)
    if events:
        out.line()
        for entry, at in events:
            out.line(event_line(call, entry, at))
    out.line()
    out.line(f"{out.paint('bold', 'next:')} {document['next']}")


def _count_lines(document: dict[str, object]) -> list[tuple[str, str]]:
    counts = document["counts"]
    if not isinstance(counts, dict):
        return []
    states = counts["issues"]
    issues = ", ".join(f"{count} {state}" for state, count in states.items()) or "none yet"
    claims = f"{counts['claims']} active, {counts['yours']} of them yours, {counts['stale']} stale"
    gate = ", ".join(f"{number} {state}" for state, number in counts["files"].items() if number)
    return [("issues", issues), ("claims", claims), *([("files", gate)] if gate else [])]


def _identity(space: Workspace) -> str:
    """The worktree's id if it has one; asking for the status does not make one."""
    has_one = space.repo.worktree and os.path.exists(f"{space.repo.worktree}/.jit/worktree.json")
    return space.identity.worktree_id if has_one else ""


def _own(space: Workspace, claims: list[Lease]) -> list[Lease]:
    if not _identity(space):
        return []
    return [lease for lease in claims if same_owner(lease.owner, space.owner)]


def _event_row(entry: Entry, at: int) -> dict[str, object]:
    line = entry.lines[at]
    return {
        "sequence": line.sequence,
        "timestamp": entry.timestamp,
        "event_type": line.event_type,
        "words": words(entry, at),
    }


def _next(space: Workspace, mine: list[Lease], evidence: Evidence, *, ready: bool, free: bool) -> str:
    """The one command to try now."""
    if not ready:
        return "jit init"
    for lease in mine:
        if lease_standing(lease, evidence) == "stale":
            return f"jit claim heartbeat {lease.lease_id}"
    if mine:
        return f"jit claim renew {mine[0].lease_id}"
    if free and space.repo.worktree:
        return "jit claim next"
    return 'jit issue create --title "…"'
