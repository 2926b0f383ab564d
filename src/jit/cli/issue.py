"""`jit issue`: making, showing, listing and changing issues."""

from __future__ import annotations

from jit.cli.resolve import claimable, find_issue
from jit.cli.table import Column
from jit.errors import Invalid, UsageError
from jit.kernel.instant import rfc3339
from jit.rights import claim_fault
from jit.systems.issues.issue import Issue, change, check, encode
from jit.views.active import active, active_row, subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.cli.call import Call
    from jit.kernel.lease import Lease

COLUMNS = (Column("ISSUE", "id"), Column("STATE"), Column("PRIORITY"), Column("HELD BY"), Column("TITLE"))


def create(call: Call) -> int:
    space, parsed = call.workspace, call.parsed
    now = space.world.now()
    at = rfc3339(now.wall_ms)
    issue = Issue(
        id=space.world.ulid(now.wall_ms),
        title=parsed.text("--title"),
        description=parsed.text("--description"),
        state=parsed.text("--state") or "ready",
        priority=parsed.text("--priority") or "normal",
        assignee=parsed.text("--assignee"),
        labels=parsed.many("--label"),
        created_at=at,
        updated_at=at,
    )
    check(issue, "the new issue")
    _ = space.identity  # the worktree gets its identity with the first thing that is written in it
    space.issues.save(issue)
    call.out.data(encode(issue))
    call.out.line(f"{call.out.paint('ok', 'created')} issue {call.out.paint('id', issue.id)}  {issue.title}")
    call.out.note(f"take it with: jit claim acquire {issue.id}")
    return 0


def show(call: Call) -> int:
    space = call.workspace
    issue = space.issues.load(find_issue(space, call.parsed.text("issue")))
    evidence = space.evidence()
    held = active(space.snapshot().ledger, evidence, issue=issue.id)
    call.out.data(encode(issue) | {"lease": active_row(held[0], evidence) if held else None})
    call.out.line(f"{call.out.paint('id', issue.id)}  {call.out.paint('bold', issue.title)}")
    call.out.line(f"{issue.state}, {issue.priority}, {_holder(held) or 'free'}")
    for name, value in (("labels", ", ".join(issue.labels)), ("assignee", issue.assignee)):
        if value:
            call.out.line(f"{name}: {value}")
    if issue.description:
        call.out.line()
        call.out.line(issue.description)
    return 0


def list_all(call: Call) -> int:
    space = call.workspace
    issues = claimable(space) if call.parsed.flag("--available") else list(space.issues.all())
    state = call.parsed.text("--state")
    chosen = [issue for issue in issues if not state or issue.state == state]
    holders = {subject(lease): lease for lease in active(space.snapshot().ledger, space.evidence())}
    rows = [encode(x) | {"held_by": holders[x.id].owner.agent if x.id in holders else None} for x in chosen]
    call.out.data({"issues": rows, "count": len(rows)})
    cells = [(x.id, x.state, x.priority, holders[x.id].owner.agent if x.id in holders else "", x.title) for x in chosen]
    call.out.table(COLUMNS, cells, empty="no issues; make one with: jit issue create --title TITLE")
    return 0


def update(call: Call) -> int:
    space, parsed = call.workspace, call.parsed
    issue_id = find_issue(space, parsed.text("issue"))
    changes: dict[str, object] = {
        name: parsed.text(f"--{name}")
        for name in ("title", "description", "state", "priority", "assignee")
        if f"--{name}" in parsed.given
    }
    issue = space.issues.load(issue_id)
    if parsed.many("--label"):
        changes["labels"] = _labels(issue.labels, parsed.many("--label"))
    if not changes:
        raise UsageError("nothing to change was said", hint="jit issue update --help")
    require_active_lease(call, issue_id, "update issue")
    changed = change(issue, changes, rfc3339(space.world.now().wall_ms))
    check(changed, "the change")
    space.issues.save(changed)
    call.out.data(encode(changed))
    same = changed is issue
    call.out.line(f"{call.out.paint('ok', 'unchanged' if same else 'updated')} issue {issue_id}")
    return 0


def require_active_lease(call: Call, issue_id: str, operation: str) -> None:
    """A write needs the caller's own lease that is neither lapsed nor stale; the settings say how strictly."""
    space = call.workspace
    mode = space.settings.text("worktree.enforce_leases")
    if mode == "off" and not call.parsed.flag("--strict"):
        return
    fault = claim_fault(space, issue_id, operation)
    if fault is None:
        return
    if mode == "strict" or call.parsed.flag("--strict"):
        raise fault
    call.out.warn(f"{fault.message}; allowed because worktree.enforce_leases is warn")


def _labels(before: tuple[str, ...], words: tuple[str, ...]) -> tuple[str, ...]:
    labels = set(before)
    for word in words:
        if word in ("", "-"):
            raise Invalid("a label cannot be empty", hint="jit issue update --help")
        if word.startswith("-"):
            labels.discard(word[1:])
        else:
            labels.add(word)
    return tuple(sorted(labels))


def _holder(held: list[Lease]) -> str:
    return f"held by {held[0].owner.agent}" if held else ""
