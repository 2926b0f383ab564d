"""After a shell call: what really changed, compared with what was leased.

Before a command that may write, the moment is noted in a file of its own. Afterwards every file that git sees as
changed and that was written since then has been touched by somebody; those that nobody holds are leased now, and
those that others hold are told about. Some clients name the changed files themselves; then git is not asked.
"""

from __future__ import annotations

import posix
from binascii import crc32

from jit.disk import isdir
from jit.systems.files.names import is_file, owner_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.intent import Intent
    from jit.hooks.place import Place


def begin(place: Place) -> None:
    """Note the moment before a command that may write."""
    folder = f"{place.space.plane.root}/calls"
    try:
        if not isdir(folder):
            posix.mkdir(folder, 0o700)
        flags = posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC | posix.O_CLOEXEC
        posix.close(posix.open(_mark(place), flags, 0o600))
    except OSError:
        return  # without the note there is nothing to compare with; the leases stand all the same


def find(place: Place, intent: Intent) -> str:
    """Words for the model about files that it changed although others hold them; nothing if all is well."""
    changed = list(intent.paths) or _written_since(place)
    if not changed:
        return ""
    from jit.hooks.refusal import words

    ledger = place.space.snapshot().ledger
    held = {r for lease in ledger.of_agent(place.owner.agent) if is_file(lease) for r in lease.resources}
    slipped = [target for target in place.leasable(changed, intent.cwd, ()) if target.resource not in held]
    outcomes = [place.engine.submit(place.touch((target,), f"{intent.tool} (slip)")) for target in slipped]
    whys = [why for outcome in outcomes if (why := words(place, outcome))]
    return f"That command changed files that others hold. {' '.join(whys[:3])}" if whys else ""


def _written_since(place: Place) -> list[str]:
    """Changed files of this worktree that were written after the mark; the mark is taken away."""
    from jit.world.git_questions import run

    mark = _mark(place)
    try:
        begun = posix.stat(mark).st_mtime_ns
        posix.unlink(mark)
    except OSError:
        return []
    code, text, _ = run(place.space.repo, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
    root = place.space.repo.worktree
    names = [entry[3:] for entry in text.split("\0") if len(entry) > 3] if not code else []
    return [path for name in names if _is_newer(path := f"{root}/{name}", begun)]


def _is_newer(path: str, moment_ns: int) -> bool:
    try:
        return posix.lstat(path).st_mtime_ns >= moment_ns
    except OSError:
        return False


def _mark(place: Place) -> str:
    return f"{place.space.plane.root}/calls/{crc32(owner_key(place.owner).encode()):08x}"
