"""Ears for the tests: streams that are terminals, and a command run with everything it said."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.cli_frame.sample import main

ROOT = Path(__file__).parents[2]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str


def say(*words: str, environ: dict[str, str] | None = None, report_dir: str | None = None) -> Said:
    """Run the sample in this process."""
    out, err = io.StringIO(), io.StringIO()
    code = main(words, stdout=out, stderr=err, environ=environ or {}, report_dir=report_dir)
    return Said(code, out.getvalue(), err.getvalue())


def process_environ(**extra: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH") if name in os.environ}
    return kept | {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"} | extra


def spawn(*words: str, **environ: str) -> Said:
    """Run the sample as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.cli_frame.sample", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=process_environ(**environ),
    )
    return Said(done.returncode, done.stdout, done.stderr)
