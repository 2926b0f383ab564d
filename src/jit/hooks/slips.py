"""After a shell call: what really changed, compared with what was leased.

Before a command that may write, the moment is noted in a file of its own. Afterwards every file that git sees as
changed and that was written since then has been touched by somebody; those that nobody holds are leased now, and
those that others hold, and did not ask to write since then, are recorded and told about. Some clients name the changed
files themselves; then git is not asked. What was leased because a command reaches a whole folder, and was left as it
was, is given back.
"""

from __future__ import annotations

import posix

from jit.disk import dirname, read_file
from jit.hooks.marks import age, make, mark_of, marks_like
from jit.kernel.commands import Release
from jit.kernel.events import Denied, Granted
from jit.kernel.record import replace
from jit.systems.files.commands import SLIP
from jit.systems.files.names import is_file, path_of
from jit.world.content import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.engine import Outcome
    from jit.hooks.intent import Intent
    from jit.hooks.place import Place
    from jit.kernel.lease import Owner
    from jit.systems.files.commands import Target

MOST_NAMES = 3


def begin(place: Place, intent: Intent, outcome: Outcome | None) -> None:
    """Note the moment before a command that may write, and what was leased for one that reaches a whole folder."""
    granted = outcome.events if outcome is not None and place.wide else ()
    leases = [event.lease for event in granted if isinstance(event, Granted) and is_file(event.lease)]
    lines = [f"{lease.lease_id} {place.world.paths[lease.resources[0]]}\0" for lease in leases]
    make(place.space.plane, _mark(place, intent), "".join(lines).encode("utf-8", "surrogateescape"))


def find(place: Place, intent: Intent) -> str:
    """Words for the model about files that it changed although others hold them; nothing if all is well."""
    begun, leased = _take_mark(place, intent)
    _give_back(place, leased)
    changed = list(intent.paths) or (_written_since(place, begun) if begun else [])
    slipped = _slipped(place, place.leasable(changed, intent.cwd, ()), begun) if changed else []
    outcomes = [place.engine.submit(place.touch((target,), f"{intent.tool}{SLIP}")) for target in slipped]
    held = [outcome.answer for outcome in outcomes if outcome.events and isinstance(outcome.answer, Denied)]
    if not held:
        return ""
    names = [f"{path_of(event.resource)} (held by {event.lease.owner.agent})" for event in held[:MOST_NAMES]]
    more = f" and {len(held) - MOST_NAMES} more" if len(held) > MOST_NAMES else ""
    return (
        f"That command changed files that others hold: {', '.join(names)}{more}. They do not know of it. Do not touch"
        " these files again, and tell your operator: jit file why PATH"
    )


def _slipped(place: Place, targets: tuple[Target, ...], begun: int) -> list[Target]:
    """Those of the files that the command changed without a lease, each to be asked for once, without waiting."""
    ledger, found = place.space.snapshot().ledger, []
    for target in targets:
        owners = [lease.owner for lease in ledger.holders(target.resource)]
        mine = any(owner.agent == place.owner.agent for owner in owners)
        if not mine and not any(_may_have_written(place, owner, begun) for owner in owners):
            found.append(replace(target, rule="fail-fast"))
    return found


def _may_have_written(place: Place, owner: Owner, begun: int) -> bool:
    """Did the holder ask to write meanwhile, or does its own command run? One without hooks writes when it likes."""
    last = age(mark_of(place.space.plane, "active", owner))
    return last == 0 or last >= begun or bool(marks_like(mark_of(place.space.plane, "calls", owner)))


def _take_mark(place: Place, intent: Intent) -> tuple[int, list[str]]:
    """When the command began, and what was leased for it; the mark is taken away."""
    mark = _mark(place, intent)
    try:
        begun, text = age(mark), read_file(mark)
        posix.unlink(mark)
    except OSError:
        return 0, []
    return begun, text.decode("utf-8", "surrogateescape").split("\0")[:-1]


def _give_back(place: Place, leased: list[str]) -> None:
    """End the leases on files that a command over a whole folder left as they were."""
    if not leased:
        return
    ledger = place.space.snapshot().ledger
    for line in leased:
        lease_id, _, path = line.partition(" ")
        lease = ledger.lease(lease_id)
        if lease is not None and lease.note == digest(path):
            place.engine.submit(Release(lease_id, place.owner, "not changed"))


def _written_since(place: Place, begun: int) -> list[str]:
    """Changed files of this worktree that were written, or taken away, after a moment."""
    from jit.world.git_questions import run

    code, text, _ = run(place.space.repo, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
    root = place.space.repo.worktree
    names = [entry[3:] for entry in text.split("\0") if len(entry) > 3] if not code else []
    return [path for name in names if _is_newer(path := f"{root}/{name}", begun)]


def _is_newer(path: str, moment_ns: int) -> bool:
    """When a file was written; when it was taken away, its folder tells."""
    try:
        return posix.lstat(path).st_mtime_ns >= moment_ns
    except FileNotFoundError:
        return age(dirname(path)) >= moment_ns
    except OSError:
        return False


def _mark(place: Place, intent: Intent) -> str:
    """One for each call, where the client gives its calls names: some of them run at the same time."""
    return mark_of(place.space.plane, "calls", place.owner, intent.call_id)
