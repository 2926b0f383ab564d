"""After a shell call: what really changed, compared with what was leased.

Before a command that may write, the moment is noted in a file of its own. Afterwards every file that git sees as
changed and that was written since then has been touched by somebody; those that nobody holds are leased now, and
those that others hold are told about. Some clients name the changed files themselves; then git is not asked. What was
leased because a command reaches a whole folder, and was left as it was, is given back.
"""

from __future__ import annotations

import posix
from binascii import crc32

from jit.disk import isdir, read_file
from jit.kernel.commands import Release
from jit.kernel.events import Granted
from jit.systems.files.names import is_file, owner_key
from jit.world.content import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.engine import Outcome
    from jit.hooks.intent import Intent
    from jit.hooks.place import Place

MANY = 64
OLD_NS = 86_400 * 10**9


def begin(place: Place, intent: Intent, outcome: Outcome | None) -> None:
    """Note the moment before a command that may write, and what was leased for one that reaches a whole folder."""
    folder = f"{place.space.plane.root}/calls"
    granted = outcome.events if outcome is not None and place.wide else ()
    leases = [event.lease for event in granted if isinstance(event, Granted) and is_file(event.lease)]
    lines = [f"{lease.lease_id} {place.world.paths[lease.resources[0]]}\0" for lease in leases]
    try:
        if not isdir(folder):
            posix.mkdir(folder, 0o700)
        _clear(folder)
        flags = posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC | posix.O_CLOEXEC
        fd = posix.open(_mark(place, intent), flags, 0o600)
        posix.write(fd, "".join(lines).encode("utf-8", "surrogateescape"))
        posix.close(fd)
    except OSError:
        return  # without the note there is nothing to compare with; the leases stand all the same


def find(place: Place, intent: Intent) -> str:
    """Words for the model about files that it changed although others hold them; nothing if all is well."""
    begun, leased = _take_mark(place, intent)
    _give_back(place, leased)
    changed = list(intent.paths) or (_written_since(place, begun) if begun else [])
    if not changed:
        return ""
    from jit.hooks.refusal import words

    ledger = place.space.snapshot().ledger
    held = {r for lease in ledger.of_agent(place.owner.agent) if is_file(lease) for r in lease.resources}
    slipped = [target for target in place.leasable(changed, intent.cwd, ()) if target.resource not in held]
    outcomes = [place.engine.submit(place.touch((target,), f"{intent.tool} (slip)")) for target in slipped]
    whys = [why for outcome in outcomes if (why := words(place, outcome))]
    return f"That command changed files that others hold. {' '.join(whys[:3])}" if whys else ""


def _take_mark(place: Place, intent: Intent) -> tuple[int, list[str]]:
    """When the command began, and what was leased for it; the mark is taken away."""
    mark = _mark(place, intent)
    try:
        begun, text = posix.stat(mark).st_mtime_ns, read_file(mark)
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
    """Changed files of this worktree that were written after a moment."""
    from jit.world.git_questions import run

    code, text, _ = run(place.space.repo, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
    root = place.space.repo.worktree
    names = [entry[3:] for entry in text.split("\0") if len(entry) > 3] if not code else []
    return [path for name in names if _is_newer(path := f"{root}/{name}", begun)]


def _is_newer(path: str, moment_ns: int) -> bool:
    try:
        return posix.lstat(path).st_mtime_ns >= moment_ns
    except OSError:
        return False


def _mark(place: Place, intent: Intent) -> str:
    """One for each call, where the client gives its calls names: some of them run at the same time."""
    name = f"{owner_key(place.owner)}|{intent.call_id}".encode("utf-8", "surrogateescape")
    return f"{place.space.plane.root}/calls/{crc32(name):08x}"


def _clear(folder: str) -> None:
    """Take old marks away once there are many: not every call is heard of again."""
    names = posix.listdir(folder)
    if len(names) < MANY:
        return
    import time

    oldest = time.time_ns() - OLD_NS
    for name in names:
        if not _is_newer(f"{folder}/{name}", oldest):
            posix.unlink(f"{folder}/{name}")
