"""`jit validate`: leases, settings, divergence, log and replay. Each check says what it looked at.

A check is valid or has problems, each with the next command. Notes are worth knowing and fail nothing. The exit code
is 0, or 4 for problems, or that of the fault that stopped a check: 21 for a damaged log, 20 where something cannot be
used.
"""

from __future__ import annotations

import os

from jit.errors import ConfigError, Invalid, JitError, LogCorrupt
from jit.kernel.instant import rfc3339
from jit.kernel.lease import lease_standing
from jit.kernel.record import Record
from jit.systems.claims import ISSUE
from jit.systems.files.names import is_file, path_of
from jit.views.active import active, is_claim, subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jit.app import Workspace
    from jit.cli.call import Call
    from jit.kernel.lease import Evidence, Lease
    from jit.store.scan import Progress

SHOWN = 20
FIX = "jit doctor --fix"


class Problem(Record):
    what: str
    hint: str
    details: dict[str, object]


class Check(Record):
    """One thing that was looked at: in words, with its problems and notes, and the exit code if there are problems."""

    name: str
    what: str
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    exit_code: int = Invalid.exit_code


def leases(call: Call) -> int:
    return tell(call, [check_leases])


def config(call: Call) -> int:
    return tell(call, [check_config])


def divergence(call: Call) -> int:
    return tell(call, [check_divergence])


def log(call: Call) -> int:
    return tell(call, [check_log])


def replay(call: Call) -> int:
    return tell(call, [check_replay])


def all_checks(call: Call) -> int:
    return tell(call, [check_config, check_divergence, check_log, check_replay, check_leases])


def tell(call: Call, checks: Iterable[Callable[[Call], Check]]) -> int:
    done = [_run(call, check) for check in checks]
    wrong = [check for check in done if check.problems]
    call.out.data({"valid": not wrong, "checks": [_row(check) for check in done]})
    for check in done:
        mark = call.out.paint("bad", "bad") if check.problems else call.out.paint("ok", "ok ")
        call.out.line(f"{mark}  {check.name}: {check.what}")
        for problem in check.problems:
            call.out.line(f"     {problem.what}")
            call.out.line(f"     {call.out.paint('bold', 'hint:')} {problem.hint}")
        for note in check.notes:
            call.out.line(f"     {call.out.paint('warn', 'note:')} {note}")
    codes = {check.exit_code for check in wrong}
    return next((code for code in (21, 20, 22) if code in codes), Invalid.exit_code if wrong else 0)


def check_config(call: Call) -> Check:
    from jit.world.config_validation import validate as problems_of

    space = call.workspace
    found = problems_of(space.paths, space.environ)
    problems, notes = [], []
    for problem in found:
        place = f"{problem.file}:{problem.line}" if problem.line else problem.file
        if problem.severity == "error":
            details: dict[str, object] = {"file": problem.file, "line": problem.line, "key": problem.key}
            problems.append(Problem(f"{place}: {problem.what}", problem.hint, details))
        else:
            notes.append(f"{place}: {problem.what}; {problem.hint}")
    return Check("config", "every configuration file and variable", tuple(problems), tuple(notes))


def check_divergence(call: Call) -> Check:
    from jit.world.git_questions import require_main_history

    main = require_main_history(call.workspace.repo)
    words = f"this branch contains all of {main}" if main else "there is no commit yet, so nothing to lack"
    return Check("divergence", words)


def check_log(call: Call) -> Check:
    from jit.store.audit import check_log as look

    report = look(call.workspace.plane, _progress(call, "checking the log"))
    notes = [_repair_words(line.body) for line in report.repairs]
    if report.unfinished:
        notes.append(f"{report.unfinished} bytes at the end were never finished; the next writer drops them")
    problems = [_log_problem(fault.path, fault.number, fault.offset, fault.what) for fault in report.faults[:SHOWN]]
    if len(report.faults) > SHOWN:
        notes.append(f"{len(report.faults) - SHOWN} more problems are not shown")
    words = f"{report.records} records in the log and {report.segments} archived segments"
    return Check("log", words, tuple(problems), tuple(notes), LogCorrupt.exit_code)


def check_replay(call: Call) -> Check:
    from jit.store.replay import replay as decide_anew

    space = call.workspace
    report = decide_anew(space.plane, space.snapshot(), _progress(call, "deciding anew"))
    problems = [
        Problem(f"sequence {found.sequence}: {found.what}", FIX, {"sequence": found.sequence})
        for found in report.mismatches
    ]
    notes = []
    if report.unjudged:
        notes.append(f"{report.unjudged} batches stood on records that a repair could not read; they were not judged")
    words = f"{report.batches} decisions made anew, each as the log has it; {report.index}"
    if problems:
        words = f"{report.batches} decisions made anew; {report.index}"
    return Check("replay", words, tuple(problems), tuple(notes))


def check_leases(call: Call) -> Check:
    space = call.workspace
    mode = space.settings.text("worktree.enforce_leases")
    if mode == "off":
        return Check("leases", "not checked", notes=("skipped: worktree.enforce_leases is off",))
    evidence = space.evidence()
    ledger = space.snapshot().ledger
    live = active(ledger, evidence)
    leased = [lease for lease in ledger if is_file(lease)]
    problems = [
        *_rivals([*live, *(lease for lease in leased if not lease.shared)]),
        *_of_no_issue(space, live),
        *_cache_problems(space),
    ]
    claims = filter(is_claim, ledger)
    notes = [*_standing_notes(claims, evidence), *(f"{what}; {way}" for what, way in orphans(space, live))]
    held = f"{len(live)} active claims and {len(leased)} leased files"
    words = f"{held}, compared with the issues, the worktrees, the index and the log"
    if mode == "warn":
        notes = [f"{problem.what}; {problem.hint}" for problem in problems] + notes
        problems = []
    return Check("leases", words, tuple(problems), tuple(notes))


def log_problems(space: Workspace, say: Callable[[str], None]) -> list[Problem]:
    """What is wrong with the log, for those who must not go on if anything is."""
    from jit.store.audit import check_log as look

    report = look(space.plane, lambda done, total: say(f"checking the log: {done} of {total} records"))
    return [_log_problem(fault.path, fault.number, fault.offset, fault.what) for fault in report.faults]


def orphans(space: Workspace, live: Iterable[Lease]) -> list[tuple[str, str]]:
    """Words about each lease of a worktree that is gone, and the command that ends it."""
    from jit.world.git_questions import worktrees
    from jit.world.worktree_file import read

    known = set()
    for listed in worktrees(space.repo):
        try:
            identity = None if listed.bare or not os.path.isdir(listed.path) else read(listed.path)
        except JitError:
            return []  # one that cannot be read may be the one a lease belongs to
        known.add(identity.worktree_id if identity else "")
    return [
        (
            f"{lease.owner.agent} holds issue {subject(lease)} from a worktree that is gone ({lease.owner.worktree})",
            f'jit claim force-evict {lease.lease_id} --reason "worktree removed"',
        )
        for lease in live
        if lease.owner.worktree not in known
    ]


def _run(call: Call, check: Callable[[Call], Check]) -> Check:
    """A fault that stops one check does not stop the others."""
    try:
        return check(call)
    except JitError as error:
        name = check.__name__.removeprefix("check_")
        code = Invalid.exit_code if isinstance(error, ConfigError) else error.exit_code
        return Check(name, "could not be finished", (Problem(error.message, error.hint, error.details),), (), code)


def _row(check: Check) -> dict[str, object]:
    problems = [{"what": x.what, "hint": x.hint, "details": x.details} for x in check.problems]
    notes = list(check.notes)
    return {"name": check.name, "valid": not problems, "checked": check.what, "problems": problems, "notes": notes}


def _log_problem(path: str, number: int, offset: int, what: str) -> Problem:
    in_segment = path.endswith(".gz")
    hint = f"put an undamaged copy of {path} back; the active leases do not depend on it" if in_segment else FIX
    details: dict[str, object] = {"file": path, "line": number, "offset": offset}
    return Problem(f"{path}, line {number} (byte {offset}): {what}", hint, details)


def _repair_words(body: dict[str, object]) -> str:
    payload = body.get("payload")
    lost = len(payload["lost"]) if isinstance(payload, dict) else 0
    return f"the log was mended at sequence {body.get('sequence')}: {lost} damaged places are on record there"


def _rivals(live: Iterable[Lease]) -> list[Problem]:
    """Issues and files that more than one lease is on."""
    holders: dict[str, list[Lease]] = {}
    for lease in live:
        for resource in lease.resources:
            holders.setdefault(resource, []).append(lease)
    return [
        Problem(
            f"{resource.replace(':', ' ', 1)} has {len(rivals)} live leases: {', '.join(x.lease_id for x in rivals)}",
            _eviction(rivals[0]),
            {"resource": resource, "leases": [lease.lease_id for lease in rivals]},
        )
        for resource, rivals in holders.items()
        if len(rivals) > 1
    ]


def _eviction(lease: Lease) -> str:
    if is_file(lease):
        return f'jit file evict {path_of(lease.resources[0])} --reason "two leases on one file"'
    return f'jit claim force-evict {lease.lease_id} --reason "two leases on one issue"'


def _of_no_issue(space: Workspace, live: list[Lease]) -> list[Problem]:
    from jit.store.documents import FOLDER
    from jit.world.git_questions import worktrees

    seen = set(space.issues.ids()) if live else set()
    named = [(x, r.removeprefix(ISSUE)) for x in live for r in x.resources if r.startswith(ISSUE)]
    claimed = [(lease, issue) for lease, issue in named if issue not in seen]
    places = [listed.path for listed in worktrees(space.repo)] if claimed else []
    return [
        Problem(
            f"lease {lease.lease_id} of {lease.owner.agent} is on issue {issue}, which no worktree has",
            f'jit claim force-evict {lease.lease_id} --reason "no such issue"',
            {"lease_id": lease.lease_id, "issue_id": issue},
        )
        for lease, issue in claimed
        if not any(os.path.exists(f"{place}/{FOLDER}/{issue}/issue.json") for place in places)
    ]


def _cache_problems(space: Workspace) -> list[Problem]:
    from jit.store.replay import check_index, check_table

    if not os.path.exists(space.plane.log):
        return []
    found = [
        (space.plane.index, check_index(space.plane)),
        (space.plane.table, check_table(space.plane, space.world.now())),
    ]
    return [Problem(words, FIX, {"file": path}) for path, (state, words) in found if state == "bad"]


def _standing_notes(ledger: Iterable[Lease], evidence: Evidence) -> list[str]:
    notes = []
    for lease in ledger:
        standing = lease_standing(lease, evidence)
        name = f"lease {lease.lease_id} of {lease.owner.agent} on issue {subject(lease)}"
        if standing == "stale":
            notes.append(f"{name} is stale: no sign of life since {rfc3339(lease.beat.wall_ms)}")
        elif standing == "lapsed":
            notes.append(f"{name} has run out; the next claim of that issue records it")
    return notes


def _progress(call: Call, what: str) -> Progress:
    return lambda done, total: call.out.progress(f"{what}: {done} of {total} records")
