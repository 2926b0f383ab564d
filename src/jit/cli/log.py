"""`jit log`, `log at`, `log archive` and `claim history`: what happened, and why. Reading takes no lock."""

from __future__ import annotations

import time

from jit.cli.claim_show import COLUMNS, lease_cells
from jit.cli.file import FILES, file_cells
from jit.cli.output import flush
from jit.cli.resolve import find_issue
from jit.cli.style import printable
from jit.errors import Invalid, NotFound
from jit.kernel.instant import Instant, rfc3339
from jit.kernel.lease import Evidence
from jit.store.history import Follower, batch_of, entries, newest, picked, restored
from jit.systems.claims import ISSUE
from jit.systems.files import SEEN, STOP
from jit.views.active import active, active_row, clock_text
from jit.views.files import file_row, held
from jit.views.timeline import held_at, tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jit.app import Workspace
    from jit.cli.call import Call
    from jit.cli.style import Role
    from jit.store.codec import Line
    from jit.store.history import Entry, Wanted
    from jit.views.timeline import Moment

POLL_S = 0.2
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
ROLES: dict[str, Role] = {"denied": "warn", "refused": "warn", "evicted": "bad", "acquired": "ok", "repaired": "bad"}


def show(call: Call) -> int:
    space, parsed = call.workspace, call.parsed
    wanted = _filter(call)
    limit = parsed.integer("--limit") or 0
    reached = _reached(space)
    chosen = newest(space.plane, limit, wanted) if limit else picked(entries(space.plane), wanted)
    shown = _print(call, chosen)
    batch = parsed.text("--batch")
    if batch and not shown:
        raise NotFound(f"there is no batch {batch} in the log", hint="jit log --limit 0", details={"batch_id": batch})
    if parsed.flag("--follow"):
        _follow(call, max(reached, shown), wanted)
    elif not shown:
        call.out.note("nothing is in the log that fits; the first claim begins it: jit claim next")
    return 0


def at_time(call: Call) -> int:
    space = call.workspace
    wall_ms = moment(call.parsed.text("time"), space.world.now().wall_ms)
    ledger = held_at(_moments(space), wall_ms)
    evidence = Evidence(Instant(wall_ms, 0, ""), {})  # of no boot: compared by the wall clock, which is what was asked
    leases = active(ledger, evidence)
    files = held(ledger, evidence)
    rows = [active_row(lease, evidence) for lease in leases]
    told = [file_row(lease, evidence) for lease in files]
    call.out.data({"at": rfc3339(wall_ms), "leases": rows, "count": len(rows), "files": told})
    call.out.note(f"held at {clock_text(wall_ms)}:")
    if leases or not files:
        call.out.table(COLUMNS, [lease_cells(lease, evidence) for lease in leases], empty="nobody held anything then")
    if files:
        call.out.table(FILES, [file_cells(lease, evidence) for lease in files])
    return 0


def archive_now(call: Call) -> int:
    """Check first: what is archived is not looked at again for a long time."""
    from jit.cli.validate import log_problems
    from jit.errors import LogCorrupt
    from jit.store.archive import archive

    space = call.workspace
    problems = log_problems(space, call.out.progress)
    if problems:
        raise LogCorrupt(problems[0].what, hint=problems[0].hint, details=problems[0].details)
    done = archive(space.store, space.world.now())
    path = done.segment.path if done.segment else None
    call.out.data(
        {
            "segment": path,
            "records": done.records,
            "carried": done.carried,
            "bytes_before": done.bytes_before,
            "bytes_after": done.bytes_after,
        }
    )
    if path is None:
        call.out.line("nothing to archive: the log has no record that is not archived already")
        return 0
    call.out.line(f"{call.out.paint('ok', 'archived')} {done.records} records in {path}")
    sizes = f"{done.bytes_before} bytes and has {done.bytes_after}"
    call.out.line(f"the log had {sizes}; it begins with the active leases, {done.carried} of them")
    return 0


def tell_history(call: Call, *, issue: str) -> int:
    space = call.workspace
    chosen = list(picked(entries(space.plane), lambda line: is_about(line, issue)))
    rows = [entry.lines[at].body for entry, at in chosen]
    call.out.data({"issue_id": issue, "events": rows, "count": len(rows)})
    for entry, at in chosen:
        call.out.line(event_line(call, entry, at))
    if not chosen:
        call.out.note(f"issue {issue} was never claimed; claim it: jit claim acquire {issue}")
    return 0


def event_line(call: Call, entry: Entry, at: int) -> str:
    """Sequence, time, event and words of one event."""
    line = entry.lines[at]
    role = ROLES.get(line.event_type.partition(".")[2], "")
    number = call.out.paint("dim", f"{line.sequence:>5}")
    when = entry.timestamp.replace("T", " ")[:19] + "Z"
    return f"{number}  {when}  {call.out.paint(role, f'{line.event_type:<17}')}  {printable(words(entry, at))}"


def words(entry: Entry, at: int) -> str:
    """What one event of an entry means."""
    if entry.kind == "repaired":
        payload = entry.lines[0].body["payload"]
        lost = len(payload["lost"]) if isinstance(payload, dict) else 0
        copy = payload["copy"] if isinstance(payload, dict) else ""
        return f"the log was mended: {lost} damaged place{'' if lost == 1 else 's'}; the damaged log is kept as {copy}"
    batch = batch_of(entry)
    return tell(batch.events[at], batch)


def moment(text: str, now_ms: int) -> int:
    """A wall-clock time from `2026-01-03T12:00:00Z`, `14:32` (today, here) or `10m` (ago)."""
    word = text.strip()
    if word[:-1].isdigit() and word[-1:] in UNITS:
        return now_ms - int(word[:-1]) * UNITS[word[-1]] * 1000
    from datetime import datetime

    try:
        if ":" in word and "-" not in word.partition(":")[0]:
            clock = datetime.strptime(word, "%H:%M:%S" if word.count(":") == 2 else "%H:%M")  # noqa: DTZ007  local
            today = datetime.fromtimestamp(now_ms / 1000).astimezone()
            found = today.replace(hour=clock.hour, minute=clock.minute, second=clock.second, microsecond=0)
        else:
            found = datetime.fromisoformat(word).astimezone()
    except ValueError:
        raise Invalid(
            f"{text!r} is not a time",
            hint="jit log at 2026-01-03T12:00:00Z; or of today: jit log at 14:32; or ago: jit log at 10m",
        ) from None
    return round(found.timestamp() * 1000)


def is_about(line: Line, issue: str) -> bool:
    """Does this record speak of that issue?"""
    payload = line.body.get("payload")
    if not isinstance(payload, dict):
        return False
    resources = payload.get("resources") or ()
    name = f"{ISSUE}{issue}"
    return payload.get("issue_id") == issue or name in resources or payload.get("subject") == name


def is_told(line: Line) -> bool:
    """Is it worth telling to people? What owners saw of files, and that they rest, is bookkeeping of the file gate."""
    return not line.event_type.startswith((SEEN.replace(":", "."), STOP.replace(":", ".")))


def is_of(line: Line, agent: str) -> bool:
    """Did this agent do it, or was it done to it?"""
    payload = line.body.get("payload")
    told = payload if isinstance(payload, dict) else {}
    places = (told, told.get("by"), told.get("requested_by"), line.body.get("actor"))
    return any(isinstance(place, dict) and place.get("agent_id") == agent for place in places)


def _filter(call: Call) -> Wanted:
    parsed = call.parsed
    issue = find_issue(call.workspace, parsed.text("--issue")) if parsed.text("--issue") else ""
    agent, batch = parsed.text("--agent"), parsed.text("--batch").upper()

    def wanted(line: Line) -> bool:
        of_issue = not issue or is_about(line, issue)
        return (
            (call.out.json or is_told(line))
            and of_issue
            and (not agent or is_of(line, agent))
            and (not batch or line.batch_id == batch)
        )

    return wanted


def _print(call: Call, chosen: Iterable[tuple[Entry, int]]) -> int:
    """Show events; the sequence of the last one, nought if there was none."""
    last = 0
    for entry, at in chosen:
        call.out.item(entry.lines[at].body)
        if not call.out.json:
            call.out.line(event_line(call, entry, at))
        last = entry.last
    return last


def _reached(space: Workspace) -> int:
    last = newest(space.plane, 1, lambda _: True)
    return last[0][0].last if last else 0


def _follow(call: Call, last: int, wanted: Wanted) -> None:
    """Until somebody interrupts, or nobody reads any more."""
    follower = Follower(call.workspace.plane, last)
    while True:
        _print(call, picked(follower.poll(), wanted))
        flush(call.out.stdout)
        time.sleep(POLL_S)


def _moments(space: Workspace) -> Iterator[Moment]:
    """The history as `held_at` takes it."""
    for entry in entries(space.plane):
        if entry.kind == "repaired":
            yield moment(entry.timestamp, 0), restored(entry)
        elif entry.kind == "decision":
            batch = batch_of(entry)
            yield batch.evidence.now.wall_ms, batch.events
