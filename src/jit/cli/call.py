"""One call of one command: what was asked, where it speaks, and the workspace it works in."""

from __future__ import annotations

import os

from jit.app import Workspace
from jit.cli.expiry import warn_before
from jit.errors import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from jit.cli.output import Out
    from jit.cli.parse import Parsed


class Call:
    """Given to every command function. The workspace is opened when it is first asked for."""

    def __init__(self, parsed: Parsed, out: Out, environ: Mapping[str, str]) -> None:
        self.parsed = parsed
        self.out = out
        self.environ = environ
        self.cwd = os.path.abspath(parsed.text("--repo") or current_directory())
        self._workspace: Workspace | None = None

    @property
    def workspace(self) -> Workspace:
        if self._workspace is None:
            self._workspace = Workspace(
                self.cwd,
                self.environ,
                agent_flag=self.parsed.text("--agent-id") if "--agent-id" in self.parsed.given else None,
                warn=self.out.warn,
                progress=self._progress,
            )
            warn_before(self.parsed, self._workspace, self.out)
        return self._workspace

    def close(self) -> None:
        if self._workspace is not None:
            self._workspace.close()

    def _progress(self, done: int, total: int) -> None:
        self.out.progress(f"reading the log: {done >> 20} of {total >> 20} MB ({100 * done // max(1, total)} %)")


def current_directory() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise Unavailable("the directory you are in was removed", hint="cd into a directory that exists") from None
