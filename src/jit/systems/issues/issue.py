"""An issue: what one agent at a time works on. Documents in, documents out; unknown fields are kept."""

from __future__ import annotations

from jit.errors import Invalid
from jit.kernel.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA_VERSION = 1
STATES = ("backlog", "ready", "in_progress", "gated", "done", "rejected")
CLAIMABLE = ("ready", "in_progress")
PRIORITIES = ("critical", "high", "normal", "low")
_OWN = (
    "schema_version",
    "id",
    "title",
    "description",
    "state",
    "priority",
    "assignee",
    "labels",
    "created_at",
    "updated_at",
)


class Issue(Record):
    id: str
    title: str
    description: str
    state: str
    priority: str
    assignee: str
    labels: tuple[str, ...]
    created_at: str
    updated_at: str
    extra: tuple[tuple[str, object], ...] = ()


def encode(issue: Issue) -> dict[str, object]:
    """The document: own fields in a fixed order, labels sorted, then whatever else the file had."""
    return {
        "schema_version": SCHEMA_VERSION,
        "id": issue.id,
        "title": issue.title,
        "description": issue.description,
        "state": issue.state,
        "priority": issue.priority,
        "assignee": issue.assignee or None,
        "labels": sorted(set(issue.labels)),
        "created_at": issue.created_at,
        "updated_at": issue.updated_at,
        **dict(issue.extra),
    }


def decode(body: Mapping[str, object], path: str) -> Issue:
    """An issue from its document; `Invalid` that names the file and the field."""
    texts = {name: _text(body, name, path) for name in ("id", "title", "created_at", "updated_at")}
    labels = body.get("labels") or []
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise _fault(path, "labels must be a list of texts")
    extra = tuple((name, value) for name, value in body.items() if name not in _OWN)
    issue = Issue(
        id=texts["id"],
        title=texts["title"],
        description=str(body.get("description") or ""),
        state=str(body.get("state") or "ready"),
        priority=str(body.get("priority") or "normal"),
        assignee=str(body.get("assignee") or ""),
        labels=tuple(labels),
        created_at=texts["created_at"],
        updated_at=texts["updated_at"],
        extra=extra,
    )
    check(issue, path)
    return issue


def check(issue: Issue, where: str) -> None:
    """Raise for the first rule that an issue breaks."""
    if not issue.title.strip():
        raise _fault(where, "the title is empty")
    if issue.state not in STATES:
        raise _fault(where, f"state must be one of {', '.join(STATES)}, not {issue.state!r}")
    if issue.priority not in PRIORITIES:
        raise _fault(where, f"priority must be one of {', '.join(PRIORITIES)}, not {issue.priority!r}")


def change(issue: Issue, changes: Mapping[str, object], at: str) -> Issue:
    """The issue with some fields changed. An update that changes nothing is the same issue, to the byte."""
    changed = replace(issue, **changes)
    return issue if encode(changed) == encode(issue) else replace(changed, updated_at=at)


def urgency(issue: Issue) -> tuple[int, str]:
    """The order in which issues are taken: by priority, then the oldest first (ids sort by time)."""
    return PRIORITIES.index(issue.priority), issue.id


def _text(body: Mapping[str, object], name: str, path: str) -> str:
    value = body.get(name)
    if not isinstance(value, str):
        raise _fault(path, f"{name} must be text, not {value!r}")
    return value


def _fault(where: str, what: str) -> Invalid:
    return Invalid(
        f"{where}: {what}", hint=f"look into it: cat '{where}'" if "/" in where else "", details={"file": where}
    )
