"""`jit file why` and `history`: one file's story, from the leases that stand and from the log."""

from __future__ import annotations

from jit.cli.file import find_file, leases_on, observe
from jit.cli.log import event_line
from jit.cli.style import printable
from jit.kernel.instant import elapsed_ms
from jit.kernel.policy import WhileAlive
from jit.store.history import entries, newest, picked
from jit.systems.files import WAITING
from jit.systems.files.wait import wait_of
from jit.views import files
from jit.views.active import clock_text, duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.cli.call import Call
    from jit.cli.file import Named
    from jit.kernel.lease import Evidence, Lease
    from jit.store.codec import Line
    from jit.store.history import Entry

    Contest = tuple[Lease, Lease | None]

LAST = 5


def why(call: Call) -> int:
    space = call.workspace
    named = find_file(space, call.parsed.text("path"))
    ledger = space.snapshot().ledger
    evidence = observe(space, ledger)
    leases = leases_on(ledger, named)
    holders = files.held(leases, evidence)
    waits = files.waits(ledger, evidence, resources=named.resources)
    contests = [(wait, files.awaited(ledger, wait, evidence)) for wait in waits]
    events = newest(space.plane, LAST, lambda line: speaks_of(line, named))
    call.out.data(
        {
            "file": named.path,
            "holders": [files.file_row(holder, evidence) for holder in holders],
            "waiters": [files.wait_row(*contest) for contest in contests],
            "events": [entry.lines[at].body for entry, at in events],
        }
    )
    if not call.out.json:
        facts = [fact for holder in holders for fact in _holding(holder, evidence)] or [_nobody(leases)]
        _tell(call, named, [*facts, *_waiting(contests, evidence)], events)
        call.out.line(f"{call.out.paint('bold', 'next:')} {printable(_next(named, holders, contests))}")
    return 0


def history(call: Call) -> int:
    space = call.workspace
    named = find_file(space, call.parsed.text("path"))
    chosen = list(picked(entries(space.plane), lambda line: speaks_of(line, named)))
    rows = [entry.lines[at].body for entry, at in chosen]
    call.out.data({"file": named.path, "events": rows, "count": len(rows)})
    for entry, at in chosen:
        call.out.line(event_line(call, entry, at))
    if not chosen:
        call.out.note(f"nobody has leased {named.path} so far")
    return 0


def speaks_of(line: Line, named: Named) -> bool:
    """Is this record about a lease on the file, or about somebody who waits for it?"""
    payload = line.body.get("payload")
    if not isinstance(payload, dict):
        return False
    names = {*named.resources, *(f"{WAITING}{resource}" for resource in named.resources)}
    return not names.isdisjoint(payload.get("resources") or ()) or bool(
        {payload.get("resource"), payload.get("subject")} & names
    )


def _tell(call: Call, named: Named, facts: list[tuple[str, str]], events: list[tuple[Entry, int]]) -> None:
    call.out.line(call.out.paint("bold", printable(named.path)))
    for name, text in facts:
        call.out.line(f"{name:<10}  {printable(text)}")
    if events:
        call.out.line()
    for entry, at in events:
        call.out.line(event_line(call, entry, at))
    call.out.line()


def _nobody(lapsed: list[Lease]) -> tuple[str, str]:
    ended = [f"; {lease.owner.agent}'s lease has lapsed, and the next write records it" for lease in lapsed[:1]]
    return "held by", f"nobody{''.join(ended)}"


def _holding(holder: Lease, evidence: Evidence) -> list[tuple[str, str]]:
    row = files.placed(holder.owner, holder.resources[0])
    of = [f"pid {row['pid']}" if row["pid"] else "", f"subagent {row['subagent_id']}" if row["subagent_id"] else ""]
    who = ", ".join(filter(None, [f"client {row['client']}", *of]))
    held = duration(max(0, elapsed_ms(holder.acquired, evidence.now)))
    silent = duration(max(0, elapsed_ms(holder.beat, evidence.now)))
    taken = f"taken for {holder.reason or 'a write'}"
    facts = [
        ("held by", f"{holder.owner.agent} ({who}) in {row['worktree_id']}"),
        ("since", f"{clock_text(holder.acquired.wall_ms)}, for {held}; last recorded sign of life {silent} ago"),
        ("lease", f"{holder.lease_id}, fence {holder.fence}, {'shared, ' if holder.shared else ''}{taken}"),
    ]
    if holder.stopped and isinstance(holder.policy, WhileAlive):
        left = duration(max(0, holder.policy.idle_ms - elapsed_ms(holder.beat, evidence.now)))
        facts.append(("stopped", f"it has finished its turn; if it does nothing more, the file is free in {left}"))
    return facts


def _waiting(contests: list[Contest], evidence: Evidence) -> list[tuple[str, str]]:
    if not contests:
        return [("waits", "nobody")]
    return [_wait_words(wait, holder, evidence) for wait, holder in contests]


def _wait_words(wait: Lease, holder: Lease | None, evidence: Evidence) -> tuple[str, str]:
    told, state = wait_of(wait), files.state_of(wait, holder)
    who = f"{wait.owner.agent} since {clock_text(wait.acquired.wall_ms)}"
    if state == "waiting" and told.due is not None:
        left = duration(max(0, elapsed_ms(evidence.now, told.due)))
        return "waits", f"{who}, until its one retry at {clock_text(told.due.wall_ms)} (in {left})"
    if state == "queued":
        return "queued", who
    if state == "free":
        return "may go on", f"{who}; whom it waited for is gone"
    circle = ", because the holder waits for a file of its own" if state == "deadlock" else ""
    return "blocked", f"{who}, after {'no' if circle else 'one'} retry{circle}; blocker {wait.lease_id}"


def _next(named: Named, holders: list[Lease], contests: list[Contest]) -> str:
    """The one command to try now."""
    for wait, awaited in contests:
        if files.state_of(wait, awaited) in files.HALTED:
            return f"jit file resume {wait.lease_id}"
    return f'jit file evict {named.typed} --reason "…"' if holders and contests else f"jit file history {named.typed}"
