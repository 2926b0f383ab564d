"""Does a call concern jit? Answered before anything that decides is loaded, because most calls do not.

Whoever is unsure here says yes: then the gate looks.
"""

from __future__ import annotations

from jit.disk import dirname, exists, isdir, join, lexists, realpath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jit.hooks.intent import Intent

PROJECT = "CLAUDE_PROJECT_DIR"  # where the session began; many clients set it
TURNS = ("stop", "subagent-stop", "breakdown", "end")


def concerns(intent: Intent, environ: Mapping[str, str]) -> bool:
    """May this call change a file of a guarded repository, or end a turn in one?"""
    if intent.event in TURNS:
        return is_guarded(intent, environ) or _was_away(intent, environ)
    if intent.event not in ("pre", "post", "failed") or intent.manner == "none":
        return False
    if intent.event != "pre" and (intent.manner != "shell" or intent.background):
        return False
    if intent.manner == "shell" and not intent.paths:
        from jit.hooks.shell.readers import only_reads

        if only_reads(intent.command):
            return False
    return is_guarded(intent, environ)


def is_guarded(intent: Intent, environ: Mapping[str, str]) -> bool:
    """Is jit in use around the call, or around one of its files?"""
    if environ.get("GIT_DIR") or not intent.cwd:
        return True
    if is_guarded_folder(intent.cwd) or any(is_guarded_file(path, intent.cwd) for path in intent.paths):
        return True
    return intent.manner == "shell" and any(guarded_mentions(intent, environ))


def guarded_mentions(intent: Intent, environ: Mapping[str, str]) -> Iterator[str]:
    """The folders of guarded repositories that a command names."""
    from jit.hooks.shell.mentions import folders

    return filter(is_guarded_folder, folders(intent.command, intent.cwd, environ.get("HOME", "")))


def _was_away(intent: Intent, environ: Mapping[str, str]) -> bool:
    """Has the session left the repository in which it began, or written to another?"""
    from jit.hooks.away import noted

    began = environ.get(PROJECT, "")
    return (bool(began) and is_guarded_folder(began)) or bool(noted(intent, environ))


def is_guarded_file(path: str, cwd: str) -> bool:
    return path.startswith("~") or _is_guarded(dirname(realpath(join(cwd, path))))


def is_guarded_folder(folder: str) -> bool:
    return _is_guarded(realpath(folder))


def _is_guarded(folder: str) -> bool:
    """Where `.git` is not a folder it leads elsewhere, and that is for the gate to follow."""
    while True:
        dot_git = join(folder, ".git")
        if lexists(dot_git) and (not isdir(dot_git) or exists(f"{dot_git}/jit")):
            return True
        above = dirname(folder)
        if above == folder:
            return False
        folder = above
