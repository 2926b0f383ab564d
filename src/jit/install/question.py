"""One question to a hook, put the way a client puts it: a line for the shell, a payload on its input, little patience.

A hook that does not answer in time is killed with all that it started. To its client, silence is permission.
"""

from __future__ import annotations

import os
import signal
import subprocess

from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PATIENCE_S = 10


class Answer(Record):
    """What came back; `fault` says why it does not count as an answer."""

    stdout: str
    fault: str = ""
    stderr: str = ""


def ask(line: str, payload: str, cwd: str, environ: Mapping[str, str]) -> Answer:
    """Run the line, and give what it printed."""
    process = subprocess.Popen(
        ("sh", "-c", line),
        cwd=cwd,
        env=dict(environ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(payload.encode("utf-8", "surrogateescape"), timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Answer("", f"the hook did not answer within {PATIENCE_S} s")
    said, words = out.decode("utf-8", "replace"), err.decode("utf-8", "replace").strip()
    return Answer(said, f"the hook ended with {process.returncode}: {words}" if process.returncode else "", words)
