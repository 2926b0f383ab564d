"""Whole processes as contenders: commands from a cold start, and probes in fresh interpreters."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING

from harness import Failed, Sample
from race import percentile
from stores import run

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent
BARE_INTERPRETER = (sys.executable, "-I", "-S", "-c", "pass")
_PATIENCE_SECONDS = 60
_MEMORY = "import sys; sys.path.append(sys.argv[1]); import probe; print(str(probe.memory()).replace(chr(39), chr(34)))"


def time_command(command: Sequence[str], cwd: Path, times: int, *, undo: Sequence[str] = ()) -> Sample:
    """Start and await a command several times; `undo` runs after each and is not timed."""
    took = []
    with chdir(cwd):
        for _ in range(times):
            begun = time.perf_counter()
            spawn(command)
            took.append(time.perf_counter() - begun)
            if undo:
                spawn(undo)
    took.sort()
    return Sample(percentile(took, 0.5), percentile(took, 0.99), 1 / percentile(took, 0.5), took[-1])


def spawn(arguments: Sequence[str]) -> None:
    """Run to the end with no output, by posix_spawn: fork would copy more the larger the bench itself grows."""
    silence = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    pid = os.posix_spawn(arguments[0], list(arguments), os.environ, file_actions=silence)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
    signal.alarm(_PATIENCE_SECONDS)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    signal.alarm(0)
    if code:
        raise Failed(f"{' '.join(arguments)} ended with {code}")


def jit_command() -> list[str]:
    """The jit that is installed beside this interpreter; as a module where there is no script."""
    script = Path(sys.executable).parent / "jit"
    return [str(script)] if script.exists() else [sys.executable, "-m", "jit"]


def hook_line() -> str:
    """The hook as `jit setup claude` writes it into the client's configuration."""
    from jit.install.command import installed

    return installed().guarded_line("--client", "claude")


def probe(action: str, control_dir: str) -> dict[str, float]:
    output = run([sys.executable, str(HERE / "probe.py"), action, control_dir], HERE)
    answer: dict[str, float] = json.loads(output)
    return answer


def probe_speed(action: str, control_dir: str) -> Sample:
    """How fast a probe went through its records."""
    answer = probe(action, control_dir)
    each = answer["seconds"] / answer["records"]
    return Sample(each, each, 1 / each, each)


def probe_memory(control_dir: str, leases: int) -> Sample:
    answer = probe("list", control_dir)
    if answer["count"] < leases:
        raise Failed(f"listed {answer['count']:.0f} leases, expected {leases}")
    return Sample(answer["now"], answer["peak"], worst=answer["peak"])


def bare_memory() -> Sample:
    answer = json.loads(run([sys.executable, "-I", "-S", "-B", "-c", _MEMORY, str(HERE)], HERE))
    return Sample(answer["now"], answer["peak"], worst=answer["peak"])
