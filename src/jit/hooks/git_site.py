"""Where a git hook was called: the repository as that very git command sees it, the leases, and who commits.

Git tells its hooks in the environment which index it is about to commit: a temporary one for `git commit -- PATHS`. So
git is asked here with the hook's own environment, unlike everywhere else.
"""

from __future__ import annotations

import os
import subprocess

from jit.app import Workspace
from jit.errors import Unavailable
from jit.hooks.git_committer import find_committer
from jit.kernel.lease import Evidence, lease_standing
from jit.kernel.record import Record
from jit.systems.files.names import REPOSITORY, file_resource
from jit.world.paths import Spot, locate
from jit.world.worktree_file import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from jit.hooks.git_committer import Committer
    from jit.kernel.lease import Lease
    from jit.kernel.ledger import Ledger
    from jit.kernel.policy import Standing

TIMEOUT_SECS = 60


class Complaint(Record):
    """What is wrong, the details and the way on, each a line; one that does not stop is a warning."""

    what: str
    lines: tuple[str, ...] = ()
    stops: bool = True


class Site:
    """One call of a git hook."""

    def __init__(self, cwd: str, environ: Mapping[str, str]) -> None:
        self.cwd = cwd
        self.environ = environ
        self.space = Workspace(cwd, environ)
        self.repo = self.space.repo
        self._ledger: Ledger | None = None
        self._committer: Committer | None = None

    @property
    def ledger(self) -> Ledger:
        if self._ledger is None:
            self._ledger = self.space.snapshot().ledger
        return self._ledger

    @property
    def committer(self) -> Committer:
        if self._committer is None:
            self._committer = find_committer(self.environ, self.space.settings)
        return self._committer

    def git(self, *args: str, feed: bytes = b"") -> str:
        """What git prints, asked about the index of this very command."""
        environ = {**self.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
        try:
            done = subprocess.run(
                ["git", "-c", "diff.relative=false", *args],
                cwd=self.cwd,
                env=environ,
                input=feed,
                capture_output=True,
                check=False,
                timeout=TIMEOUT_SECS,
            )
        except (OSError, subprocess.TimeoutExpired) as fault:
            raise Unavailable(f"`git {args[0]}` could not be run: {fault}", hint="git --version") from fault
        if done.returncode:
            words = os.fsdecode(done.stderr).strip().partition("\n")[0]
            raise Unavailable(f"`git {' '.join(args)}` failed: {words or done.returncode}", hint="git status")
        return os.fsdecode(done.stdout)

    def names(self, *args: str) -> list[str]:
        """The paths that a git command prints with `-z`, each once."""
        return list(dict.fromkeys(name for name in self.git(*args).split("\0") if name))

    def merge_heads(self) -> list[str]:
        """The commits that are being merged into HEAD; none outside of a merge."""
        try:
            with open(f"{self.repo.git_dir}/MERGE_HEAD", encoding="ascii") as file:
                return file.read().split()
        except FileNotFoundError:
            return []

    def resources(self, names: list[str]) -> dict[str, Spot]:
        """Every name that the file gate may have for these files, each with git's own."""
        root = self.repo.worktree
        identity = read(root) if root else None
        scopes = (REPOSITORY,) if identity is None else (identity.worktree_id, REPOSITORY)
        found = [(name, spot) for name in names if (spot := _spot(name, root, self)) is not None]
        return {
            file_resource(scope, spot.path): Spot(root, name, spot.absolute) for name, spot in found for scope in scopes
        }

    def standing(self, lease: Lease) -> Standing:
        process = lease.owner.process
        alive = {} if process is None else {process: self.space.world.liveness(process)}
        return lease_standing(lease, Evidence(self.space.world.now(), alive))

    def close(self) -> None:
        self.space.close()


def _spot(name: str, root: str, site: Site) -> Spot | None:
    """A link that is committed is itself, not what it leads to."""
    absolute = f"{root}/{name}"
    return Spot(root, name, absolute) if os.path.islink(absolute) else locate(name, root, site.repo)
