"""The process behind a hook: the agent client, never the short-lived hook itself."""

from __future__ import annotations

import posix

from jit.disk import read_file
from jit.world.process import refer, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from jit.kernel.lease import ProcessRef

SHELLS = ("sh", "bash", "dash", "zsh", "fish", "ksh", "ash", "env", "timeout", "setsid")
TOLD = ("CLAUDE_PID", "OPENCODE_PID")
DAEMONS = {"cline": b"--cline-hub-daemon"}


def client_process(environ: Mapping[str, str], client: str = "") -> ProcessRef | None:
    """The client that started this hook: as it says itself, else the nearest ancestor that is not a shell.

    Nothing if that is a daemon which serves many sessions: its life says nothing about theirs.
    """
    found = _nearest(environ)
    return None if found is not None and client in DAEMONS and _is_daemon(found.pid, DAEMONS[client]) else found


def _nearest(environ: Mapping[str, str]) -> ProcessRef | None:
    told = [environ.get(name, "") for name in TOLD]
    named = [int(text) for text in told if text.isdigit()]
    nearest: ProcessRef | None = None
    for pid, seen in upwards(posix.getppid()):
        if pid in named:
            return refer(pid, seen)
        if nearest is None and pid > 1 and seen is not None and seen.program not in SHELLS:
            nearest = refer(pid, seen)
            if not named:
                break
    return nearest


def _is_daemon(pid: int, word: bytes) -> bool:
    try:
        return word in read_file(f"/proc/{pid}/cmdline").split(b"\0")
    except OSError:
        return False
