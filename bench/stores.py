"""jit as a contender: repositories whose control plane was filled with leases and history."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from harness import Failed
from subjects import acquire, open_store, release

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from jit.engine import Engine
    from jit.kernel.lease import Lease

_PATIENCE_SECONDS = 300


class JitStore:
    warmup_pairs = 5

    def __init__(self, directory: Path, *, leases: int, records: int) -> None:
        self.name = f"jit-{leases}-{records}"
        self.repository = directory / self.name
        self.leases = leases
        self.records = records

    @property
    def control_dir(self) -> str:
        return str(self.repository / ".git" / "jit")

    def prepare(self) -> None:
        if self.repository.exists():
            return
        draft = self.repository.with_suffix(f".{os.getpid()}")
        draft.mkdir(parents=True, exist_ok=True)
        run(["git", "init", "--quiet"], draft)
        fill = ["--leases", str(self.leases), "--records", str(self.records)]
        run([sys.executable, "-m", "jit.testing.fill", *fill], draft)
        draft.rename(self.repository)

    def connect(self, worker: int) -> JitSession:
        return JitSession(open_store(self.control_dir), f"agent:bench-{worker}")


class JitSession:
    def __init__(self, store: Engine, agent: str) -> None:
        self.store = store
        self.agent = agent

    def acquire(self, key: str) -> Lease:
        return acquire(self.store, key, self.agent)

    def release(self, _key: str, token: object) -> None:
        release(self.store, token)  # type: ignore[arg-type]  # the harness hands back what acquire gave

    def close(self) -> None:
        pass


def run(arguments: Sequence[str], cwd: Path) -> str:
    """The output of a command that must succeed."""
    command = " ".join(arguments)
    try:
        done = subprocess.run(
            arguments, cwd=cwd, capture_output=True, text=True, check=False, timeout=_PATIENCE_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"{command} took longer than {_PATIENCE_SECONDS} s") from None
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        raise Failed(f"{command} ended with {done.returncode}: {last}")
    return done.stdout
