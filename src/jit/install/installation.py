"""Setting one client up, and taking everything out again.

What was changed is known from the records of a level: the user's, or one repository's. Where a record got lost, the
usual places are searched for entries of ours, so that an uninstallation never leaves a hook behind that nobody
remembers.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager

from jit.disk import state_folder
from jit.install import changes, git_hooks, shim
from jit.install.changes import Change
from jit.install.clients import PLACES, cline_shims, folder_of, path_of, target
from jit.install.command import Program
from jit.install.originals import Kept, Originals
from jit.install.plugin import PluginFile
from jit.install.settings import HooksFile
from jit.install.trust import TrustFile, hashes_of
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jit.install.shim import Shim
    from jit.world.git import Repository


class Level(Record):
    """The user's own level (no worktree), or that of one worktree; `trust` are the records of the user in both."""

    environ: Mapping[str, str]
    worktree: str
    originals: Originals
    trust: Originals


class Outcome(Record):
    """What became of the files, and whether the client will run the hooks; None where it asks nobody."""

    changes: tuple[Change, ...]
    trusted: bool | None = None


def user_level(environ: Mapping[str, str]) -> Level:
    records = Originals(os.path.join(state_folder(environ), "installed"))
    return Level(environ, "", records, records)


def project_level(environ: Mapping[str, str], worktree: str, control: str) -> Level:
    return Level(environ, worktree, Originals(os.path.join(control, "installed")), user_level(environ).originals)


def set_up(name: str, level: Level, program: Program, *, trust: bool = False) -> Outcome:
    """Write a client's configuration; what is already right is left alone."""
    path = path_of(name, level.environ, level.worktree)
    with _locked(level, make=True):
        if name == "cline":
            return Outcome(tuple(install_shims(path, name, cline_shims(path, program), level.originals)))
        steps = changes.plan([target(name, path, program)], level.originals)
        if name != "codex":
            return Outcome(tuple(changes.carry_out(steps, level.originals)))
        trusting = trust_file(level, path, steps[0].after)
        found = changes.plan([trusting], level.trust) if trust else []
        done = [*changes.carry_out(steps, level.originals), *changes.carry_out(found, level.trust, mode=0o600)]
        return Outcome(tuple(done), trusting.is_trusted(changes.read(trusting.path)))


def take_out(level: Level, program: Program, names: tuple[str, ...]) -> list[Change]:
    """Undo what was set up for these clients at a level."""
    with _locked(level, make=False):
        recorded = [kept for kept in level.originals.every() if kept.client in names]
        done = [change for kept in recorded for change in _undo(kept, level.originals, program)]
        known = {kept.path for kept in recorded}
        lost = [change for name in names if name in PLACES for change in _search(name, level, program, known)]
    return [*done, *_telling(lost)]


def take_out_of_git(repo: Repository, level: Level, program: Program) -> list[Change]:
    """Remove the shims from where git looks now, whether a record tells of them or not."""
    folder = git_hooks.hooks_folder(repo)
    with _locked(level, make=False):
        return _telling(remove_shims(git_hooks.shims(folder, program), level.originals.find(folder), level.originals))


def install_shims(folder: str, client: str, shims: list[Shim], originals: Originals) -> list[Change]:
    """Put executables into a folder, which is made if need be."""
    if any(one.state() not in ("installed", "chained") for one in shims):
        before = originals.find(folder)
        made = (*(before.made if before is not None else ()), *changes.missing_folders(os.path.join(folder, "x")))
        originals.keep(Kept(folder, client, "folder", None, b"", made))
        changes.make_folder(folder)
    return [Change(one.path, "written" if shim.install(one) else "kept") for one in shims]


def remove_shims(shims: list[Shim], kept: Kept | None, originals: Originals) -> list[Change]:
    done = [shim.uninstall(one) for one in shims]
    if kept is not None:
        changes.remove_empty(kept.made)
        originals.forget(kept.path)
    return done


@contextmanager
def _locked(level: Level, *, make: bool) -> Iterator[None]:
    """Both folders of records, the user's first; they may be the same one. An uninstallation makes no folder."""
    with ExitStack() as stack:
        for records in dict.fromkeys((level.trust, level.originals)):
            if make or os.path.isdir(records.folder):
                stack.enter_context(records.locked())
        yield


def _undo(kept: Kept, originals: Originals, program: Program) -> list[Change]:
    if kept.kind == "folder":
        shims = cline_shims if kept.client == "cline" else git_hooks.shims
        return remove_shims(shims(kept.path, program), kept, originals)
    return [changes.undo(_empty_target(kept.client, kept.path, kept.kind), kept, originals)]


def _telling(done: list[Change]) -> list[Change]:
    return [change for change in done if change.state in ("edited", "restored", "removed")]


def _search(name: str, level: Level, program: Program, known: set[str]) -> list[Change]:
    """Entries of ours that no record tells of."""
    path = path_of(name, level.environ, level.worktree)
    if name == "cline":
        return [] if path in known else remove_shims(cline_shims(path, program), None, level.originals)
    found = [(path, "plugin" if name == "opencode" else "hooks")]
    if name == "codex" and not level.worktree:
        found.append((os.path.join(folder_of(name, level.environ), "config.toml"), "trust"))
    return [changes.strip_unrecorded(_empty_target(name, one, kind)) for one, kind in found if one not in known]


def _empty_target(name: str, path: str, kind: str) -> HooksFile | TrustFile | PluginFile:
    """Enough of a target to take our part out."""
    if kind == "trust":
        return TrustFile(path, name, "", {})
    if kind == "plugin":
        return PluginFile(path, name, "")
    return HooksFile(path, name, {}, PLACES[name].beside)


def trust_file(level: Level, hooks_path: str, hooks_json: bytes) -> TrustFile:
    """Codex follows links in a folder that CODEX_HOME names, and none in its usual one."""
    folder = folder_of("codex", level.environ)
    shown = hooks_path
    if not level.worktree and level.environ.get("CODEX_HOME"):
        shown = os.path.join(os.path.realpath(folder), os.path.basename(hooks_path))
    return TrustFile(os.path.join(folder, "config.toml"), "codex", shown, hashes_of(hooks_json, shown))
