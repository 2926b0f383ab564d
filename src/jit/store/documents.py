"""Issue files: `.jit/issues/<id>/issue.json`, and where they are looked for.

An issue may be in this worktree, only committed, or only uncommitted in the main worktree; the first that has it is
the one that is read. Writes go to this worktree. Every file is replaced as a whole, and saving an unchanged issue
leaves its bytes alone.
"""

from __future__ import annotations

import os

from jit.errors import Invalid, NotFound
from jit.kernel.ids import ULID_LENGTH, is_ulid
from jit.kernel.jsontext import dumps, loads
from jit.kernel.record import Record
from jit.store import durable
from jit.systems.issues.issue import Issue, decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

FOLDER = ".jit/issues"
SHORTEST_PREFIX = 4


class Committed(Record):
    """What git has at HEAD; asked only when the files do not answer."""

    ids: Callable[[], list[str]]
    read: Callable[[str], bytes | None]


class IssueFiles:
    """The issues that can be seen from one worktree."""

    def __init__(self, worktree: str, main: str, committed: Committed) -> None:
        self.local = f"{worktree}/{FOLDER}"
        self.roots = [self.local] + ([f"{main}/{FOLDER}"] if main and main != worktree else [])
        self.committed = committed

    def load(self, issue_id: str) -> Issue:
        """The issue with exactly this id: the local file, else the committed one, else the main worktree's."""
        path = self.path(issue_id)
        data = _read(path)
        if data is None:
            data = self.committed.read(issue_id)
        for root in self.roots[1:] if data is None else ():
            path = f"{root}/{issue_id}/issue.json"
            data = _read(path)
        if data is None:
            raise NotFound(f"there is no issue {issue_id}", hint="jit issue list", details={"issue_id": issue_id})
        return _parse(data, path)

    def save(self, issue: Issue) -> bool:
        """Write the issue into this worktree; False if its file has these very bytes already."""
        path = self.path(issue.id)
        data = (dumps(encode(issue), indent=2) + "\n").encode()
        if _read(path) == data:
            return False
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            durable.replace_file(path, data)
        except OSError as error:
            raise durable.fault(path, error) from error
        return True

    def path(self, issue_id: str) -> str:
        return f"{self.local}/{issue_id}/issue.json"

    def exists(self, issue_id: str) -> bool:
        in_files = any(os.path.exists(f"{root}/{issue_id}/issue.json") for root in self.roots)
        return in_files or self.committed.read(issue_id) is not None

    def ids(self) -> list[str]:
        """Every issue that can be seen, oldest first."""
        found = {name for root in self.roots for name in _names(root)}
        return sorted(found | set(self.committed.ids()))

    def all(self) -> Iterator[Issue]:
        for issue_id in self.ids():
            yield self.load(issue_id)

    def resolve(self, word: str, others: Iterable[str] = ()) -> str:
        """The full id that a person means by an id or the beginning of one, in any case.

        `others` are ids that count although their files cannot be seen from here: those of active claims.
        """
        wanted = word.strip().upper()
        if is_ulid(wanted) and (self.exists(wanted) or wanted in set(others)):
            return wanted
        known = {*self.ids(), *others}
        hits = sorted(name for name in known if wanted and name.upper().startswith(wanted))
        if len(hits) == 1 and (len(wanted) >= SHORTEST_PREFIX or len(known) == 1):
            return hits[0]
        raise _unresolved(word, hits)


def _unresolved(word: str, hits: list[str]) -> Exception:
    if not hits:
        return NotFound(
            f"there is no issue {word!r}",
            hint="list the issues with: jit issue list; or make one: jit issue create --title TITLE",
            details={"issue": word},
        )
    shown = ", ".join(hits[:5]) + (f" and {len(hits) - 5} more" if len(hits) > 5 else "")
    if len(hits) == 1:
        return Invalid(f"{word!r} is too short to name {shown}", hint=f"give at least {SHORTEST_PREFIX} characters")
    return Invalid(
        f"{word!r} could be any of {len(hits)} issues: {shown}",
        hint=f"give more of the id, for example {hits[0][: _apart(hits)]}",
        details={"issue": word, "candidates": hits},
    )


def _apart(hits: list[str]) -> int:
    """How many characters tell the first of the hits from the others."""
    first, last = min(hits), max(hits)
    shared = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return min(shared + 1, ULID_LENGTH)


def _names(root: str) -> list[str]:
    try:
        return [
            entry.name for entry in os.scandir(root) if entry.is_dir() and os.path.exists(f"{entry.path}/issue.json")
        ]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise durable.fault(root, error) from error


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise durable.fault(path, error) from error


def _parse(data: bytes, path: str) -> Issue:
    try:
        body = loads(data.decode())
    except ValueError as error:
        raise Invalid(
            f"{path} is not JSON: {error}", hint=f"git checkout -- '{path}'", details={"file": path}
        ) from None
    if not isinstance(body, dict):
        raise Invalid(f"{path} is not an issue", hint=f"git checkout -- '{path}'", details={"file": path})
    return decode(body, path)
