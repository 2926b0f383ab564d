"""The rare questions that only git can answer.

Git is run with a list of arguments, NUL-separated output where it has any, and an environment without the variables by
which a surrounding git command (a hook, an alias) would point it elsewhere. Never under a lock, never before an edit.
"""

from __future__ import annotations

import os
import subprocess

from jit.errors import Invalid, Unavailable
from jit.kernel.record import Record
from jit.world.git import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAIN_NAMES = ("origin/main", "main", "origin/master", "master")
TIMEOUT_SECS = 60
_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH")


class Worktree(Record):
    """One line of `git worktree list`; `locked` and `prunable` hold the reason, maybe empty, or None."""

    path: str
    head: str
    branch: str
    detached: bool
    locked: str | None
    prunable: str | None
    bare: bool


def ask(repo: Repository, *args: str) -> str:
    """What git prints; `Unavailable` with git's own words if it fails."""
    code, out, words = run(repo, *args)
    if code:
        command = " ".join(["git", *args])
        raise Unavailable(f"`{command}` failed: {words or f'exit code {code}'}", hint=f"cd {_place(repo)} && {command}")
    return out


def run(repo: Repository, *args: str) -> tuple[int, str, str]:
    """Exit code, output and first line of complaint of one git command."""
    try:
        done = subprocess.run(
            ["git", *args],
            cwd=_place(repo),
            env=_environment(repo),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=TIMEOUT_SECS,
        )
    except FileNotFoundError as fault:
        raise Unavailable("git cannot be run: it is not on PATH", hint="git --version") from fault
    except subprocess.TimeoutExpired as fault:
        raise Unavailable(
            f"`git {args[0]}` gave no answer in {TIMEOUT_SECS} s", hint=f"git {' '.join(args)}"
        ) from fault
    complaint = os.fsdecode(done.stderr).strip().split("\n", 1)[0]
    return done.returncode, os.fsdecode(done.stdout), complaint


def ask_branch(repo: Repository) -> str:
    code, name, _ = run(repo, "symbolic-ref", "--quiet", "HEAD")
    if code == 0:
        return name.rstrip("\n").removeprefix("refs/heads/")
    return f"detached:{ask(repo, 'rev-parse', 'HEAD')[:12]}"


def worktrees(repo: Repository) -> list[Worktree]:
    """Every worktree git knows of, the main one first."""
    code, out, _ = run(repo, "worktree", "list", "--porcelain", "-z")
    if code == 0:
        return list(parse_worktrees(out, "\0"))
    # Git before 2.36 has no -z.
    return list(parse_worktrees(ask(repo, "worktree", "list", "--porcelain"), "\n"))


def parse_worktrees(text: str, end: str) -> Iterator[Worktree]:
    """`git worktree list --porcelain`: attributes, each closed by `end`; an empty one closes a worktree."""
    found: dict[str, str] = {}
    for line in [*text.split(end), ""]:
        if line:
            name, _, value = line.partition(" ")
            found[name] = value
        elif found:
            yield _worktree(found)
            found = {}


def require_main_history(repo: Repository, names: tuple[str, ...] = MAIN_NAMES) -> str:
    """The name of the main branch, if HEAD contains all of it; `Invalid` if HEAD has diverged."""
    main = next((name for name in names if _commit(repo, name)), "")
    if not _commit(repo, "HEAD"):
        return main
    if not main:
        raise Invalid(
            f"there is no main branch to compare with: none of {', '.join(names)} exists", hint="git fetch origin"
        )
    code, _, words = run(repo, "merge-base", "--is-ancestor", main, "HEAD")
    if code == 1:
        raise Invalid(
            f"this branch has diverged from {main}: it lacks {_missing(repo, main)}; global operations need them all",
            hint=f"git rebase {main}",
            details={"main": main},
        )
    if code:
        raise Unavailable(f"git cannot compare HEAD with {main}: {words}", hint="git fsck")
    return main


def committed(repo: Repository) -> bool:
    """Does HEAD lead to a commit?"""
    return bool(_commit(repo, "HEAD"))


def existing_branches(repo: Repository, names: tuple[str, ...]) -> list[str]:
    """Those of the names that are branches here or on origin."""
    return [
        name for name in names if _commit(repo, f"refs/heads/{name}") or _commit(repo, f"refs/remotes/origin/{name}")
    ]


def committed_file(repo: Repository, path: str) -> bytes | None:
    """A file as HEAD has it, or nothing if it has none."""
    code, text, _ = run(repo, "cat-file", "-p", f"HEAD:{path}")
    return None if code else text.encode("utf-8", "surrogateescape")


def committed_names(repo: Repository, folder: str) -> list[str]:
    """The names in a folder as HEAD has it."""
    code, text, _ = run(repo, "ls-tree", "-z", "--name-only", f"HEAD:{folder}")
    return [] if code else [name for name in text.split("\0") if name]


def _missing(repo: Repository, main: str) -> str:
    count = ask(repo, "rev-list", "--count", f"HEAD..{main}").strip()
    return f"{count} commit{'' if count == '1' else 's'} of it"


def _commit(repo: Repository, name: str) -> str:
    code, out, _ = run(repo, "rev-parse", "--quiet", "--verify", f"{name}^{{commit}}")
    return "" if code else out.strip()


def _worktree(found: dict[str, str]) -> Worktree:
    return Worktree(
        path=found.get("worktree", ""),
        head=found.get("HEAD", ""),
        branch=found.get("branch", "").removeprefix("refs/heads/"),
        detached="detached" in found,
        locked=found.get("locked"),
        prunable=found.get("prunable"),
        bare="bare" in found,
    )


def _place(repo: Repository) -> str:
    return repo.worktree or repo.git_dir


def _environment(repo: Repository) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _KEPT}
    clean |= {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    if repo.worktree and not os.path.lexists(os.path.join(repo.worktree, ".git")):
        clean |= {"GIT_DIR": repo.git_dir, "GIT_WORK_TREE": repo.worktree}
    return clean
