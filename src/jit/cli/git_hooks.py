"""`jit hooks`: the hooks of git in this repository."""

from __future__ import annotations

from jit.cli.table import Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.cli.call import Call
    from jit.cli.style import Role
    from jit.install.originals import Originals
    from jit.install.shim import Shim

COLUMNS = (Column("HOOK", "id"), Column("STATE"), Column("PATH"))
ROLES: dict[str, Role] = {"installed": "ok", "chained": "ok", "foreign": "warn", "missing": "dim", "outdated": "warn"}


def install(call: Call) -> int:
    from jit.install.installation import install_shims

    folder, shims, originals = _hooks(call)
    with originals.locked():
        done = install_shims(folder, "git", shims, originals)
    _tell(call, folder, shims, made=[change.path for change in done if change.state == "written"])
    note = warning_about(call, folder)
    if note:
        call.out.warn(note)
    return 0


def uninstall(call: Call) -> int:
    from jit.install.installation import remove_shims

    folder, shims, originals = _hooks(call)
    with originals.locked():
        done = remove_shims(shims, originals.find(folder), originals)
    for change in done:
        if change.aside:
            call.out.note(f"{change.path} was edited since jit wrote it: the edited file is {change.aside}")
    _tell(call, folder, shims, made=[change.path for change in done if change.state in ("restored", "removed")])
    return 0


def status(call: Call) -> int:
    folder, shims, _ = _hooks(call)
    _tell(call, folder, shims, made=[])
    if any(one.state() not in ("installed", "chained") for one in shims):
        call.out.note("to install or renew them: jit hooks install")
    return 0


def _hooks(call: Call) -> tuple[str, list[Shim], Originals]:
    from jit.install import git_hooks
    from jit.install.command import installed
    from jit.install.originals import Originals

    folder = git_hooks.hooks_folder(call.workspace.repo)
    return folder, git_hooks.shims(folder, installed()), Originals(f"{call.workspace.shared_dir}/installed")


def _tell(call: Call, folder: str, shims: list[Shim], *, made: list[str]) -> None:
    rows = [
        {"hook": one.path.rpartition("/")[2], "state": one.state(), "path": one.path, "changed": one.path in made}
        for one in shims
    ]
    call.out.data({"hooks": rows, "count": len(rows), "folder": folder})
    table = [
        (str(row["hook"]), call.out.paint(ROLES[str(row["state"])], str(row["state"])), str(row["path"]))
        for row in rows
    ]
    call.out.table(COLUMNS, table)


def warning_about(call: Call, folder: str) -> str:
    """Shims hold paths of this machine, so it matters who else reads them."""
    repo = call.workspace.repo
    if f"{folder}/".startswith(f"{repo.common_dir}/"):
        return ""
    if repo.worktree and f"{folder}/".startswith(f"{repo.worktree}/"):
        return f"{folder} is part of this worktree: do not commit the hooks, and install them in each worktree"
    return f"{folder} may serve other repositories as well: there the hooks do nothing"
