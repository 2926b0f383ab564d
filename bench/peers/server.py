"""Servers that the bench starts for itself: on the loopback address, in a scratch directory, stopped by process id."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from harness import Absent, Failed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HOST = "127.0.0.1"
_START_SECONDS = 15.0
_ATTEMPTS = 3


class Server:
    """One server process. `command` turns a directory and two free ports into an argument list."""

    def __init__(self, directory: Path, command: Callable[[Path, int, int], Sequence[str]]) -> None:
        self.directory = directory
        self.command = command
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start once; a port that someone else took in between is worth another attempt."""
        if self._process is not None:
            return
        for _ in range(_ATTEMPTS):
            self.directory.mkdir(parents=True, exist_ok=True)
            self.port, second = free_ports()
            if self._launch(self.command(self.directory, self.port, second)):
                return
            self.stop()
        raise Failed(f"{self.directory.name} did not start: {self._last_words()}")

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _launch(self, arguments: Sequence[str]) -> bool:
        with (self.directory / "output").open("wb") as output:
            self._process = subprocess.Popen(
                arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=self.directory
            )
        deadline = time.monotonic() + _START_SECONDS
        while self._process.poll() is None and time.monotonic() < deadline:
            try:
                socket.create_connection((HOST, self.port), timeout=1).close()
            except OSError:
                time.sleep(0.02)
            else:
                return True
        return False

    def _last_words(self) -> str:
        lines = (self.directory / "output").read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"


def find_program(name: str) -> str:
    """The program beside this interpreter, or on the PATH."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise Absent(f"{name} is not installed")
    return found


def free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as other:
        one.bind((HOST, 0))
        other.bind((HOST, 0))
        return int(one.getsockname()[1]), int(other.getsockname()[1])


def open_connection(port: int) -> socket.socket:
    connection = socket.create_connection((HOST, port), timeout=30)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection
