"""A child process and the signals around it, without polling: a loop that sleeps until something happens.

Signals are turned into bytes of a pipe, so one `select` waits for a signal, for the child's end (SIGCHLD) and for a
time. Those that are meant for the child go on to it, except what the terminal has sent to it already: Ctrl-C reaches
every process of the group in the foreground, and twice is not the same as once.
"""

from __future__ import annotations

import os
import select
import signal
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from subprocess import Popen
    from types import TracebackType
    from typing import Protocol, Self

    class Keeping(Protocol):
        """What has to be kept while the child lives."""

        def due_in_ms(self) -> int | None: ...
        def turn(self) -> None: ...
        @property
        def is_lost(self) -> bool: ...


GRACE_MS = 10_000
STOPPING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
FORWARDED = (*STOPPING, signal.SIGUSR1, signal.SIGUSR2)
FROM_TERMINAL = (signal.SIGINT, signal.SIGQUIT)


def accompany(child: Popen[bytes], kept: Keeping, signals: Signals, *, grace_ms: int = GRACE_MS) -> int:
    """Stay with the child until it ends, turn to what is kept when it is due, and stop the child if that is lost."""
    patience = Patience(grace_ms)
    try:
        while child.poll() is None:
            _forward(signals.wait(_soonest(kept.due_in_ms(), patience.left_ms())), child)
            kept.turn()
            if kept.is_lost:
                patience.press(child)
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


class Patience:
    """SIGTERM first; SIGKILL when that was not heard for long enough."""

    def __init__(self, grace_ms: int) -> None:
        self._grace_ms = grace_ms
        self._kill_at_ms: int | None = None

    def press(self, child: Popen[bytes]) -> None:
        if self._kill_at_ms is None:
            self._kill_at_ms = _monotonic_ms() + self._grace_ms
            child.terminate()
        elif _monotonic_ms() >= self._kill_at_ms:
            child.kill()

    def left_ms(self) -> int | None:
        return None if self._kill_at_ms is None else max(1, self._kill_at_ms - _monotonic_ms())


class Signals:
    """Signals as something to wait for: each one that comes is a byte in a pipe."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self.numbers = tuple(numbers)

    def __enter__(self) -> Self:
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)
        self._wakeup = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        # What was ignored stays ignored, for the child too: that is how nohup works.
        heard = [n for n in self.numbers if n == signal.SIGCHLD or signal.getsignal(n) != signal.SIG_IGN]
        self._before = {number: signal.signal(number, lambda _number, _frame: None) for number in heard}
        return self

    def wait(self, timeout_ms: int | None) -> list[int]:
        """The signals that came, as soon as there is one or the time is over."""
        select.select([self._read], [], [], None if timeout_ms is None else timeout_ms / 1000)
        try:
            return list(os.read(self._read, 4096))
        except BlockingIOError:
            return []

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        os.close(self._read)
        os.close(self._write)


def _forward(numbers: Iterable[int], child: Popen[bytes]) -> None:
    for number in numbers:
        if number in FORWARDED and not _child_has(number):
            child.send_signal(number)


def _child_has(number: int) -> bool:
    """Has the terminal sent this signal to the child as well?"""
    if number not in FROM_TERMINAL:
        return False
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


def _soonest(*times_ms: int | None) -> int | None:
    return min((time_ms for time_ms in times_ms if time_ms is not None), default=None)


def _monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000
