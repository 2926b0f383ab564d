"""What the doctor looks at for the file gate: its times, its shell parser, and what went wrong inside hooks."""

from __future__ import annotations

import os

from jit.cli.doctor_checks import FIX, Finding
from jit.kernel.instant import rfc3339
from jit.kernel.jsontext import loads
from jit.store import durable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.app import Workspace
    from jit.cli.call import Call
    from jit.cli.doctor_checks import Look

CONTRACT = {"files.retry_interval_secs": 180, "files.stop_idle_secs": 30}
SHOWN = 3
TAIL_BYTES = 1 << 16


def check_times(space: Workspace, _call: Call) -> list[Finding]:
    settings = space.settings
    found = [
        Finding(
            "file gate",
            "note",
            f"{key} is {settings.number(key)} ({settings.origin(key)}), and the contract says {due}",
            f"jit config reset {key}",
        )
        for key, due in CONTRACT.items()
        if settings.number(key) != due
    ]
    return found or [Finding("file gate", "ok", "retry after 180 s, idle after 30 s, as the contract says")]


def check_parser(_space: Workspace, _call: Call) -> list[Finding]:
    from jit.hooks.shell.syntax import Unparsable, locate

    try:
        return [Finding("shell parser", "ok", locate())]
    except Unparsable as fault:
        what = f"{fault}: what shell commands write is not blocked"
        return [Finding("shell parser", "warn", what, "pip install shfmt-py")]


def check_mishaps(space: Workspace, _call: Call) -> list[Finding]:
    """The newest first: what jit did not judge because it failed itself."""
    newest = _tail(mishaps_file(space))[-SHOWN:][::-1]
    found = [Finding("mishaps", "warn", _told(line), f"look: jit doctor --coverage; then: {FIX}") for line in newest]
    return found or [Finding("mishaps", "ok", "no hook failed")]


CHECKS: tuple[tuple[str, Look], ...] = (
    ("file gate", check_times),
    ("shell parser", check_parser),
    ("mishaps", check_mishaps),
)


def mend_mishaps(space: Workspace, found: dict[str, Finding]) -> list[dict[str, object]]:
    """Seen is seen: the file is moved aside, so that the next mishap is news again."""
    path = mishaps_file(space)
    if "mishaps" not in found or found["mishaps"].state != "warn" or not os.path.isfile(path):
        return []
    stamp = rfc3339(space.world.now().wall_ms).replace("-", "").replace(":", "").replace(".", "")
    aside = f"{path}.seen-{stamp}"
    durable.rename(path, aside)
    return [{"what": f"the mishaps of hooks were moved to {aside}", "details": {"path": aside}}]


def mishaps_file(space: Workspace) -> str:
    return f"{space.shared_dir}/mishaps.jsonl"


def _tail(path: str) -> list[str]:
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL_BYTES))
            return file.read().decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return []


def _told(line: str) -> str:
    try:
        mishap = loads(line)
    except ValueError:
        mishap = None
    if not isinstance(mishap, dict):
        return "a hook failed, and what it wrote about it cannot be read"
    paths = mishap.get("paths")
    named = ", ".join(str(path) for path in paths[:SHOWN]) if isinstance(paths, list) else ""
    where = " ".join(str(word) for word in (mishap.get("client"), mishap.get("tool"), named) if word)
    return f"{mishap.get('timestamp')} jit failed inside the hook of {where}: {mishap.get('what')}"
