"""The hooks of git: four shims in the directory where git looks for them.

Git alone knows that directory: `core.hooksPath`, linked worktrees and submodules all move it, so git is asked. A hook
before something (a commit, a push) runs the chained hook first and stops where that one stops; the hook after a commit
lets jit speak first, because nothing can stop any more. If jit itself is gone, a shim says so and lets git go on.
"""

from __future__ import annotations

import os
import shlex
from functools import partial

from jit.install.shim import CHAINED, Shim
from jit.world.git_questions import ask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.install.command import Program
    from jit.world.git import Repository

NAMES = ("pre-commit", "prepare-commit-msg", "post-commit", "pre-push")


def hooks_folder(repo: Repository) -> str:
    """Where git looks for hooks in this worktree."""
    told = ask(repo, "rev-parse", "--git-path", "hooks").removesuffix("\n")
    return os.path.normpath(os.path.join(repo.worktree or repo.git_dir, told))


def shims(folder: str, program: Program) -> list[Shim]:
    return [Shim(os.path.join(folder, name), partial(compose, name, program)) for name in NAMES]


def compose(name: str, program: Program, call: str) -> str:
    """The lines of a shim; `call` runs the chained hook."""
    write = {"post-commit": _after, "pre-push": _before_push}.get(name, _before)
    head = [
        "#!/bin/sh",
        f"# {name} of jit: `jit hooks uninstall` puts back what was here before.",
        "here=${0%/*}",
    ]
    return "\n".join([*head, *write(name, call, program), ""])


def _before(name: str, call: str, program: Program) -> list[str]:
    return [
        *(_if_chained(name, f'{call} "$@" || exit') if call else ()),
        f"if {_is_there(program)}; then",
        f'    exec {program.line("--git", name)} "$@"',
        "fi",
        _farewell(program, "this was not checked"),
        "exit 0",
    ]


def _before_push(name: str, call: str, program: Program) -> list[str]:
    """Both hooks read the list of what is pushed, so it is kept and fed to each."""
    return [
        "refs=$(cat)",
        'feed() { [ -z "$refs" ] || printf \'%s\\n\' "$refs"; }',
        *(_if_chained(name, f'feed | {call} "$@" || exit') if call else ()),
        f"if {_is_there(program)}; then",
        f'    feed | {program.line("--git", name)} "$@"',
        "    exit",
        "fi",
        _farewell(program, "this push was not checked"),
        "exit 0",
    ]


def _after(name: str, call: str, program: Program) -> list[str]:
    return [
        f"if {_is_there(program)}; then",
        f'    {program.line("--git", name)} "$@"',
        "else",
        f"    {_farewell(program, 'leases of these files were not released')}",
        "fi",
        *(_if_chained(name, f'exec {call} "$@"') if call else ()),
        "exit 0",
    ]


def _if_chained(name: str, action: str) -> tuple[str, ...]:
    """A hook that is not executable did not run before, and does not run now."""
    return (f'if [ -x "$here/{name}{CHAINED}" ]; then', f"    {action}", "fi")


def _is_there(program: Program) -> str:
    return f"[ -x {shlex.quote(program.python)} ] && [ -r {shlex.quote(program.entry)} ]"


def _farewell(program: Program, what: str) -> str:
    words = f"jit: {program.entry} cannot be run, so {what}. To repair: jit hooks install"
    return f"printf '%s\\n' {shlex.quote(words)} >&2"
