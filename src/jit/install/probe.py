"""The proof that an installed hook works: it is asked, in a scratch repository, about a file that a live rival holds.

The line that stands in the client's configuration is run as it stands there. First the rival takes the files through
that very hook, so a hook that denies everything, or does nothing, is found out. Then an agent of another session tries
each way of writing. What is denied is `blocked`. What passes is done, and the hook is asked again as after the call:
if it speaks of the file, the way is `detected`, otherwise `blind`.
"""

from __future__ import annotations

import os

from jit.install.entries import Entry, Installed
from jit.install.git_hooks import NAMES
from jit.install.payloads import SPEECHES, denial_in, payload_of
from jit.install.scratch import HELD, NOTEBOOK, Scratch
from jit.install.shim import is_shim
from jit.install.ways import COMMIT, SUBAGENT, WAYS, WRITE, Actor, action_of
from jit.install.ways import NOTEBOOK as NOTEBOOK_WAY
from jit.kernel.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from jit.install.command import Program
    from jit.install.ways import Action

    State = Literal["blocked", "detected", "blind"]

RIVAL, ASKER, CHILD = "rival-of-the-probe", "probe", "child-of-the-rival"
GUARD = "claude"  # whose hook takes the lease that the probe of git needs


class Sight(Record):
    """What was seen of one way of writing, and how."""

    way: str
    state: State
    proof: str


class _Scene(Record):
    """One client's hooks, and the files that its rival holds."""

    installed: Installed
    scratch: Scratch
    desk: str


def probe_client(installed: Installed, scratch: Scratch) -> tuple[Sight, ...]:
    """Each way of writing that the client's agents have."""
    if installed.skipped:
        return tuple(Sight(way, "blind", installed.skipped) for way in WAYS)
    scene = _Scene(_runnable(installed, scratch), scratch, scratch.desk(installed.client))
    trouble = _occupy(scene)
    return tuple(Sight(way, "blind", trouble) if trouble else _try(scene, way) for way in WAYS)


def probe_git(folder: str, scratch: Scratch, program: Program) -> Sight:
    """A commit of a file that somebody else holds."""
    for name in NAMES:
        path = f"{folder}/{name}"
        if os.path.isfile(path) and _is_ours(path):
            scratch.copy_of(path, f"{scratch.root}/.git/hooks")
    line = program.line("--client", GUARD)
    scene = _Scene(Installed(GUARD, "", (Entry("", "", line),)), scratch, scratch.desk("git"))
    trouble = _occupy(scene) or scratch.git("add", f"git/{HELD}").fault
    if trouble:
        return Sight(COMMIT, "blind", trouble)
    answer = scratch.git("commit", "--quiet", "--message=probe")
    if answer.fault and HELD in answer.stderr:
        return Sight(COMMIT, "blocked", f"the commit was refused: {_brief(answer.stderr)}")
    return Sight(COMMIT, "blind", answer.fault or "a file of somebody else was committed")


def has_git_hook(folder: str) -> bool:
    path = f"{folder}/pre-commit"
    return os.path.isfile(path) and _is_ours(path)


def _is_ours(path: str) -> bool:
    with open(path, "rb") as file:
        return is_shim(file.read())


def _runnable(installed: Installed, scratch: Scratch) -> Installed:
    """Executables are copied, so that a foreign hook which they chain does not run."""
    if installed.client != "cline":
        return installed
    folder = f"{scratch.folder}/hooks"
    for entry in installed.entries:
        scratch.copy_of(f"{installed.path}/{entry.event}", folder)
    return replace(installed, entries=tuple(replace(x, line=f"{folder}/{x.event}") for x in installed.entries))


def _occupy(scene: _Scene) -> str:
    """Let the rival take its files through the hook; gives what went wrong."""
    actor = Actor(RIVAL, scene.desk)
    for way, name in ((WRITE, HELD), (NOTEBOOK_WAY, NOTEBOOK)):
        action = action_of(scene.installed.client, way, f"{scene.desk}/{name}")
        line = _line(scene, action)
        if not line:
            return f"no hook is run before {action.tool}"
        answer = scene.scratch.rival.ask(line, payload_of(scene.installed.client, actor, action), scene.desk)
        denied = denial_in(scene.installed.client, answer.stdout)
        if answer.fault or denied:
            return answer.fault or f"a file that nobody held was denied: {_brief(denied)}"
    return ""


def _try(scene: _Scene, way: str) -> Sight:
    client = scene.installed.client
    file = f"{scene.desk}/{NOTEBOOK if way == NOTEBOOK_WAY else HELD}"
    action = action_of(client, way, file)
    line = _line(scene, action)
    if not line:
        return Sight(way, "blind", f"no hook is run before {action.tool}")
    actor = Actor(RIVAL, scene.desk, CHILD) if way == SUBAGENT else Actor(f"{ASKER}-{WAYS.index(way)}", scene.desk)
    answer = scene.scratch.ask(line, payload_of(client, actor, action), scene.desk)
    words = denial_in(client, answer.stdout)
    if os.path.basename(file) in words and not answer.fault:
        return Sight(way, "blocked", f"{action.tool} was denied: {_brief(words)}")
    if answer.fault:
        return Sight(way, "blind", answer.fault)
    return _look_after(scene, way, actor, action, file)


def _look_after(scene: _Scene, way: str, actor: Actor, action: Action, file: str) -> Sight:
    """Do what was allowed, and see whether the hook after the call notices."""
    client, speech = scene.installed.client, SPEECHES[scene.installed.client]
    blind = Sight(way, "blind", scene.scratch.mishap() or f"{action.tool} was let through, and nothing was said later")
    with open(file, "a", encoding="utf-8") as changed:
        changed.write("new\n")
    line = scene.installed.line(speech.after, action.tool)
    if not line:
        return blind
    answer = scene.scratch.ask(line, payload_of(client, actor, action, changed=file), scene.desk)
    said = f"{answer.stdout}{answer.stderr}"
    if answer.fault or os.path.basename(file) not in said:
        return blind
    return Sight(way, "detected", f"after {action.tool}: {_brief(said)}")


def _line(scene: _Scene, action: Action) -> str:
    return scene.installed.line(SPEECHES[scene.installed.client].before, action.tool)


def _brief(words: str) -> str:
    return " ".join(words.split())[:160]
