"""Whose leases are the committer's own?

In a shell the subagent cannot be told, so the whole client session counts as the committer. A session is known by the
variables that its client gives to the commands it runs. Where a client gives none, its process stands for it: the
client is then an ancestor of the hook. Without any session the name decides, and a person is nobody's session.
"""

from __future__ import annotations

import os

from jit.kernel.record import Record
from jit.world.identity import CLIENTS, from_client, resolve
from jit.world.process import describe, parents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from jit.kernel.lease import Owner, ProcessRef
    from jit.world.config import Settings

SESSIONLESS = ("agent:opencode-", "agent:cline-")  # clients that tell the commands they run no session


class Committer(Record):
    agent: str
    sessions: tuple[str, ...] = ()
    processes: tuple[ProcessRef, ...] = ()

    def owns(self, owner: Owner) -> bool:
        """Is this owner part of the committer's client session?"""
        session = owner.session.partition("/")[0]
        if self.sessions and session:
            return session in self.sessions
        if owner.agent == self.agent:
            return True
        return owner.agent.startswith(SESSIONLESS) and owner.process in self.processes


def find_committer(environ: Mapping[str, str], settings: Settings) -> Committer:
    agent = resolve(None, environ, settings)
    sessions = sessions_of(environ)
    line = () if sessions else tuple(ref for pid in parents(os.getpid()) if (ref := describe(pid)) is not None)
    return Committer(agent.id, sessions, line)


def sessions_of(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Every name that the client which runs this command has for its session."""
    found = from_client(environ)
    client = next((name for name, variable in CLIENTS if found is not None and variable == found.source), "")
    told = [environ.get(variable, "") for name, variable in CLIENTS if name == client]
    if client == "opencode":
        return ()
    return tuple(text.rpartition("/")[2].partition(".")[0] for text in told if text)
