"""Leases for programs: `with jit.lease_files(["src/a.py"]):` in an agent framework of one's own.

The same gate as the hooks', with the calling process as proof of life: if it dies, its files are free at once. `async
with` does the same in a worker thread, so that an event loop goes on.
"""

from __future__ import annotations

import os
import time

from jit.app import Workspace
from jit.errors import Blocked, Held, Invalid
from jit.hooks.place import Place
from jit.hooks.refusal import until_due_ms, words
from jit.kernel.commands import Release
from jit.kernel.events import Denied, Granted, Refused
from jit.kernel.ids import agent_id_fault
from jit.kernel.lease import Owner
from jit.kernel.record import Record
from jit.systems.files.names import path_of
from jit.world.process import me

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from jit.engine import Outcome
    from jit.kernel.lease import Lease


class FileLease(Record):
    """One file that is now the caller's. A write that carries an older fence is not its holder's."""

    path: str
    lease_id: str
    fence: int


def lease_files(
    paths: Iterable[str], *, owner: str | None = None, session: str = "", repo: str | None = None, wait: bool = True
) -> FileLeases:
    """All of these files, or none, until the block ends.

    `owner` is an agent id (`agent:NAME`); without it, whoever jit finds in the environment. Where a file is held,
    `wait` waits for the one retry; after that, or without `wait`, `jit.errors.Blocked` or `Held` tells who has it.
    """
    why = agent_id_fault(owner) if owner is not None else ""
    if why:
        raise Invalid(f"the owner {owner!r} cannot be used: {why}", hint='jit.lease_files(paths, owner="agent:NAME")')
    space = Workspace(repo or os.getcwd(), os.environ, agent_flag=owner)
    process = me()
    who = Owner(space.agent.id, "", session or f"{process.pid}-{process.start}/", process)
    return FileLeases(Place(space, who), tuple(os.fspath(path) for path in paths), wait=wait)


class FileLeases:
    """A set of files, leased while the block runs."""

    def __init__(self, place: Place, paths: tuple[str, ...], *, wait: bool) -> None:
        self._place = place
        self._paths = paths
        self._wait = wait
        self._taken: list[Lease] = []

    def __enter__(self) -> tuple[FileLease, ...]:
        place = self._place
        targets = place.leasable(self._paths, place.space.cwd, ())
        touch = place.touch(targets, "lease_files")
        outcome = place.engine.submit(touch)
        if self._wait and self._sleep_until_due(outcome):
            outcome = place.engine.submit(touch)
        self._complain(outcome)
        self._taken = [event.lease for event in outcome.events if isinstance(event, Granted)]
        return tuple(FileLease(path_of(x.resources[0]), x.lease_id, x.fence) for x in self._taken)

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for lease in self._taken:
            self._place.engine.submit(Release(lease.lease_id, lease.owner, "the block ended"))
        self._taken = []
        self._place.close()

    async def __aenter__(self) -> tuple[FileLease, ...]:
        import asyncio

        return await asyncio.to_thread(self.__enter__)

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        import asyncio

        await asyncio.to_thread(self.__exit__, kind, value, trace)

    def _sleep_until_due(self, outcome: Outcome) -> bool:
        answer = outcome.events[-1] if outcome.events else None
        if not isinstance(answer, Refused) or answer.code != "waiting" or answer.lease is None:
            return False
        self._place.close()
        time.sleep(until_due_ms(self._place, answer.lease) / 1000)
        return True

    def _complain(self, outcome: Outcome) -> None:
        answer = outcome.events[-1] if outcome.events else None
        why = words(self._place, outcome)
        if isinstance(answer, Refused) and answer.code in ("blocked", "deadlock"):
            raise Blocked(why, hint="jit file blockers", details={"file": path_of(answer.subject)})
        if isinstance(answer, (Refused, Denied)) and why:
            raise Held(why, hint="jit file list")
