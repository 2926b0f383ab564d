"""`jit setup CLIENT` and `jit uninstall`: hooks into agent clients, and everything out again."""

from __future__ import annotations

from jit.errors import NotFound, Unavailable, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from jit.cli.call import Call
    from jit.cli.style import Role
    from jit.install.changes import Change
    from jit.install.installation import Level, Outcome
    from jit.world.git import Repository

WORDS: dict[str, tuple[Role, str]] = {
    "written": ("ok", "written"),
    "kept": ("dim", "kept"),
    "restored": ("ok", "restored"),
    "removed": ("ok", "removed"),
    "edited": ("warn", "cleaned"),
    "clean": ("dim", "clean"),
    "gone": ("dim", "gone"),
}
UNTRUSTED = (
    "Codex skips hooks that nobody trusted, without a word: start codex, open /hooks and trust them there;"
    " or let jit write the trust for you: jit setup codex --trust"
)
HINTS = {
    "cline": "Cline cannot be told no: where a file is still held after the wait, its run is ended",
    "opencode": "opencode loads its plugins when it starts",
}
PROJECT_HINTS = {
    "codex": "Codex runs hooks of a repository only where the folder is trusted",
    "gemini": "Gemini CLI runs hooks of a repository only where the folder is trusted: /permissions",
    "copilot": "Copilot CLI runs hooks of a repository only where the folder is trusted",
    "claude": "Copilot CLI and Cursor may read this file as well",
}


SLOW = "jit's own folder cannot be written, so hooks start more slowly; whoever may write it can run this command once"


def setup(call: Call) -> int:
    """Write the client's own configuration, and say what else the client wants."""
    from jit.hooks.bundle import ensure
    from jit.install.command import installed
    from jit.install.installation import set_up

    name = call.parsed.text("client")
    trust = call.parsed.flag("--trust")
    if trust and name != "codex":
        raise UsageError(f"{name} asks nobody for trust: --trust is for codex", hint=f"jit setup {name}")
    program = installed()
    outcome = set_up(name, _level(call), program, trust=trust)
    notes = _notes(name, outcome, project=call.parsed.flag("--project"))
    if not ensure():
        notes.append(SLOW)
    rows = [{"path": change.path, "state": change.state} for change in outcome.changes]
    command = program.guarded_line("--client", name)
    call.out.data({"client": name, "files": rows, "command": command, "trusted": outcome.trusted, "notes": notes})
    _tell(call, outcome.changes)
    for note in notes:
        call.out.note(note)
    return 0


def uninstall(call: Call) -> int:
    """Give every file back."""
    from jit.hooks import away, bundle
    from jit.install.clients import PLACES
    from jit.install.command import installed
    from jit.install.installation import project_level, take_out, take_out_of_git, user_level

    repo = _repository(call)
    whole = call.parsed.flag("--repository")
    if whole:
        _require_consent(call, repo)
    name = call.parsed.text("--client")
    names = (name,) if name else tuple(PLACES)
    program = installed()
    done = take_out(user_level(call.environ), program, names)
    if repo is not None:
        level = project_level(call.environ, repo.worktree, f"{repo.common_dir}/jit")
        done += take_out(level, program, names if name else (*names, "git"))
        done += [] if name else take_out_of_git(repo, level, program)
    done += _take_back(call) if whole else []
    if not name:
        bundle.remove()
        away.remove(call.environ)
    rows = [{"path": change.path, "state": change.state, "aside": change.aside or None} for change in done]
    call.out.data({"files": rows, "count": len(rows)})
    _tell(call, done)
    if not done:
        call.out.note("nothing of jit was found")
    return 0


def _level(call: Call) -> Level:
    from jit.install.installation import project_level, user_level

    if not call.parsed.flag("--project"):
        return user_level(call.environ)
    space = call.workspace
    if not space.repo.worktree:
        raise NotFound("a bare repository has no worktree to set up", hint=f"jit setup {call.parsed.text('client')}")
    return project_level(call.environ, space.repo.worktree, space.shared_dir)


def _repository(call: Call) -> Repository | None:
    """The repository we stand in; an uninstallation may be asked for anywhere."""
    from jit.world.git import find

    try:
        return find(call.cwd, call.environ)
    except Unavailable:
        return None


def _require_consent(call: Call, repo: Repository | None) -> None:
    if repo is None:
        raise NotFound(f"there is no repository at {call.cwd}", hint="jit uninstall")
    if call.parsed.text("--client"):
        raise UsageError("--client and --repository do not go together", hint="jit uninstall --repository --yes")
    if not call.parsed.flag("--yes"):
        held = len(call.workspace.snapshot().ledger)
        raise UsageError(
            f"this removes the control plane {call.workspace.shared_dir} with its log and {held} active leases,"
            " for every worktree; issues stay",
            hint="jit uninstall --repository --yes",
            details={"active_leases": held},
        )


def _take_back(call: Call) -> list[Change]:
    from jit.cli.setup import ATTRIBUTES, MARK, SETTINGS
    from jit.install.repository import Initial, take_back

    space = call.workspace
    return take_back(space.repo, Initial(SETTINGS, MARK, ATTRIBUTES), space.shared_dir)


def _notes(name: str, outcome: Outcome, *, project: bool) -> list[str]:
    found = [HINTS[name]] if name in HINTS else []
    if outcome.trusted is False:
        found.append(UNTRUSTED)
    if project:
        found.append("this file holds paths of this machine: keep it out of commits")
        found += [PROJECT_HINTS[name]] if name in PROJECT_HINTS else []
    if any(change.state == "written" for change in outcome.changes):
        found.append("agents that are running now take it up when they are started again")
    return found


def _tell(call: Call, done: Sequence[Change]) -> None:
    for change in done:
        role, word = WORDS[change.state]
        call.out.line(f"{call.out.paint(role, word)}  {change.path}")
        if change.aside:
            call.out.note(f"it was edited since jit wrote it: the edited file is {change.aside}")
        elif change.state == "edited":
            call.out.note(f"{change.path} was edited since jit wrote it: only jit's entries were removed")
