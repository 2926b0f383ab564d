"""The process behind a hook: the agent client, never the short-lived hook itself."""

from __future__ import annotations

import posix

from jit.world.process import describe, parents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from jit.kernel.lease import ProcessRef

SHELLS = ("sh", "bash", "dash", "zsh", "fish", "ksh", "ash", "env", "timeout", "setsid")
TOLD = ("CLAUDE_PID", "OPENCODE_PID")


def client_process(environ: Mapping[str, str]) -> ProcessRef | None:
    """The client that started this hook: as it says itself, else the nearest ancestor that is not a shell."""
    line = parents(posix.getpid())
    for name in TOLD:
        text = environ.get(name, "")
        if text.isdigit() and int(text) in line:
            return describe(int(text))
    own = [pid for pid in line if pid > 1 and _program(pid) not in SHELLS]
    return describe(own[0]) if own else None


def _program(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/comm", "rb") as file:
            return file.read(64).decode("utf-8", "replace").strip()
    except OSError:
        return ""
