"""`jit doctor`: is everything in order here, and with `--fix`, mend what can be mended.

A check is one line: ok, note (worth knowing), warn (worth mending) or bad, with the next command. Nothing is changed
without `--fix`. Mending begins with the log: its damaged bytes are copied before anything is touched.
"""

from __future__ import annotations

import os

from jit.cli import doctor_files
from jit.cli.doctor_checks import CHECKS, Finding, expected_modes, git_finding, leftovers, mode_of, repository_finding
from jit.errors import Invalid, JitError, LogCorrupt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.app import Workspace
    from jit.cli.call import Call
    from jit.cli.style import Role

    Fixed = dict[str, object]

ROLES: dict[str, Role] = {"ok": "ok", "note": "dim", "warn": "warn", "bad": "bad"}


def doctor(call: Call) -> int:
    if call.parsed.flag("--coverage"):
        from jit.cli.coverage import coverage

        return coverage(call)
    found = examine(call)
    fixed: list[Fixed] = []
    if call.parsed.flag("--fix") and not _is_outside(found):
        fixed = mend(call, found)
        found = examine(call)
    bad = [finding for finding in found if finding.state == "bad"]
    rows = [{"name": x.name, "state": x.state, "what": x.what, "next": x.next} for x in found]
    call.out.data({"checks": rows, "healthy": not bad, "fixed": fixed})
    for deed in fixed:
        call.out.line(f"{call.out.paint('ok', 'fixed')} {deed['what']}")
    for finding in found:
        _say(call, finding)
    call.out.note("all is well" if not bad else f"{len(bad)} of {len(found)} checks are bad")
    return LogCorrupt.exit_code if any(x.corrupt for x in bad) else Invalid.exit_code if bad else 0


def examine(call: Call) -> list[Finding]:
    """Every check that can be made; a fault inside one is that check's finding."""
    found = [git_finding(call), repository_finding(call)]
    if _is_outside(found):
        return found
    for name, check in (*CHECKS, *doctor_files.CHECKS):
        try:
            found += check(call.workspace, call)
        except JitError as error:
            found.append(Finding(name, "bad", error.message, error.hint, isinstance(error, LogCorrupt)))
        except OSError as error:
            found.append(Finding(name, "bad", f"{error.filename}: {error.strerror}", f"ls -ld '{error.filename}'"))
    return found


def mend(call: Call, found: list[Finding]) -> list[Fixed]:
    """Mend in the order in which things stand on each other; what cannot be mended is found again afterwards."""
    space = call.workspace
    fixed: list[Fixed] = []
    for step in (_mend_modes, _mend_log, _mend_caches, _mend_leftovers, _mend_identity, doctor_files.mend_mishaps):
        try:
            fixed += step(space, {finding.name: finding for finding in found})
        except (JitError, OSError) as error:
            call.out.warn(f"could not be mended: {error}")
    return fixed


def _is_outside(found: list[Finding]) -> bool:
    return any(finding.name == "repository" and finding.state == "bad" for finding in found)


def _mend_modes(space: Workspace, _found: dict[str, Finding]) -> list[Fixed]:
    fixed: list[Fixed] = []
    for path, due in expected_modes(space.plane):
        was = mode_of(path)
        if was != due:
            os.chmod(path, due)
            fixed.append({"what": f"mode of {path}: {was:04o} is now {due:04o}", "details": {"path": path}})
    return fixed


def _mend_log(space: Workspace, found: dict[str, Finding]) -> list[Fixed]:
    from jit.store.repair import repair

    if "log" not in found or not found["log"].corrupt:
        return []
    done = repair(space.plane, space.world.now(), wait_ms=space.settings.number("locks.wait_secs") * 1000)
    if done is None:
        return []
    details: dict[str, object] = {
        "copy": done.copy,
        "kept": done.kept,
        "lost": [{"line": x.number, "offset": x.offset, "what": x.what} for x in done.lost],
        "missing": [list(pair) for pair in done.missing],
        "leases": done.leases,
        "sequence": done.sequence,
    }
    places = "; ".join(f"line {x.number} (byte {x.offset}): {x.what}" for x in done.lost[:10])
    what = f"the log: {done.kept} records kept, {done.leases} leases active; left out: {places}; copy: {done.copy}"
    return [{"what": what, "details": details}]


def _mend_caches(space: Workspace, found: dict[str, Finding]) -> list[Fixed]:
    from jit.store.repair import rebuild_caches

    wrong = [name for name in ("log", "table", "index") if name in found and found[name].state in ("warn", "bad")]
    if not wrong or not os.path.isfile(space.plane.log):
        return []
    rebuild_caches(space.store)
    return [{"what": "table and index: made anew from the log", "details": {"because": wrong}}]


def _mend_leftovers(space: Workspace, _found: dict[str, Finding]) -> list[Fixed]:
    from jit.store.repair import forget

    paths = leftovers(space)
    for path in paths:
        forget(path)
    return [{"what": f"{len(paths)} leftover files removed", "details": {"paths": paths}}] if paths else []


def _mend_identity(space: Workspace, found: dict[str, Finding]) -> list[Fixed]:
    from jit.app import shared_files
    from jit.world.worktree import exclude

    if "worktree" not in found or found["worktree"].state != "warn":
        return []
    exclude(space.repo, shared_files())
    name = space.identity.worktree_id
    return [{"what": f"worktree identity {name}, and git's exclude entry for it", "details": {"worktree_id": name}}]


def _say(call: Call, finding: Finding) -> None:
    mark = call.out.paint(ROLES[finding.state], f"{finding.state:<4}")
    call.out.line(f"{mark}  {finding.name}: {finding.what}")
    if finding.next:
        call.out.line(f"      {call.out.paint('bold', 'next:')} {finding.next}")
