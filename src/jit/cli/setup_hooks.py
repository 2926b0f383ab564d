"""The hooks that `jit init` installs: those of git, and those of the agent clients that are used here.

A client is used here if it has a folder of its own in the person's home. One whose settings cannot be understood is
left alone and told about: the repository is set up all the same.
"""

from __future__ import annotations

import os

from jit.errors import JitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.cli.call import Call
    from jit.install.installation import Level

    Step = tuple[str, str, bool]


def set_up_git(call: Call, troubles: list[str]) -> list[Step]:
    from jit.cli.git_hooks import warning_about
    from jit.install import git_hooks
    from jit.install.command import installed
    from jit.install.installation import install_shims
    from jit.install.originals import Originals

    records = Originals(f"{call.workspace.shared_dir}/installed")
    try:
        folder = git_hooks.hooks_folder(call.workspace.repo)
        shims = git_hooks.shims(folder, installed())
        if all(one.state() in ("installed", "chained") for one in shims):
            return [("git hooks", folder, False)]
        with records.locked():
            install_shims(folder, "git", shims, records)
    except JitError as error:
        troubles.append(f"git hooks were not installed: {error.message}; {error.hint}")
        return []
    note = warning_about(call, folder)
    troubles += [note] if note else []
    return [("git hooks", folder, True)]


def set_up_clients(call: Call, troubles: list[str]) -> list[Step]:
    from jit.install.clients import PLACES, folder_of
    from jit.install.installation import user_level

    used = [name for name in PLACES if os.path.isdir(folder_of(name, call.environ))]
    level = user_level(call.environ)
    return [step for name in used for step in _set_up_client(name, level, troubles)]


def _set_up_client(name: str, level: Level, troubles: list[str]) -> list[Step]:
    from jit.cli.clients import UNTRUSTED
    from jit.install.clients import path_of
    from jit.install.command import installed
    from jit.install.installation import set_up

    try:
        outcome = set_up(name, level, installed())
    except JitError as error:
        troubles.append(f"{name} was not set up: {error.message}; {error.hint}, then: jit setup {name}")
        return []
    if outcome.trusted is False:
        troubles.append(UNTRUSTED)
    made = any(change.state == "written" for change in outcome.changes)
    return [(f"hooks of {name}", path_of(name, level.environ, ""), made)]
