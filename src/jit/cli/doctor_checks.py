"""What the doctor looks at. Each check reads, changes nothing, and gives one finding or several."""

from __future__ import annotations

import os

from jit.errors import JitError
from jit.kernel.instant import elapsed_ms
from jit.kernel.record import Record
from jit.views.active import active, clock_text, duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Literal

    from jit.app import Workspace
    from jit.cli.call import Call
    from jit.store.plane import Plane

    State = Literal["ok", "note", "warn", "bad"]
    Look = Callable[[Workspace, Call], list["Finding"]]

FIX = "jit doctor --fix"
LITTLE_BYTES = 100 << 20
HARDLY_BYTES = 1 << 20
SILENT_BEATS = 10


class Finding(Record):
    name: str
    state: State
    what: str
    next: str = ""
    corrupt: bool = False


def git_finding(call: Call) -> Finding:
    from jit.world.git import Repository
    from jit.world.git_questions import ask

    try:
        version = ask(Repository(call.cwd, call.cwd, "", "bare"), "--version").strip()
    except (JitError, OSError) as error:
        return Finding("git", "bad", f"git cannot be run: {error}", "install git, then: git --version")
    return Finding("git", "ok", version)


def repository_finding(call: Call) -> Finding:
    try:
        repo = call.workspace.repo
    except JitError as error:
        return Finding("repository", "bad", error.message, error.hint)
    where = repo.worktree or f"{repo.git_dir} (no worktree)"
    return Finding("repository", "ok", f"{repo.kind} worktree {where}, shared directory {repo.common_dir}")


def check_settings(space: Workspace, _call: Call) -> list[Finding]:
    from jit.world.config_validation import validate

    found = validate(space.paths, space.environ)
    rows = []
    for problem in found:
        place = f"{problem.file}:{problem.line}" if problem.line else problem.file
        state: State = "bad" if problem.severity == "error" else "warn"
        rows.append(Finding("config", state, f"{place}: {problem.what}", problem.hint))
    return rows or [Finding("config", "ok", "every configuration file and variable is in order")]


def check_agent(space: Workspace, _call: Call) -> list[Finding]:
    return [Finding("agent", "ok", f"you are {space.agent.id} (from {space.agent.source})")]


def check_plane(space: Workspace, _call: Call) -> list[Finding]:
    root = space.plane.root
    if not os.path.lexists(root):
        return [Finding("control plane", "warn", f"{root} does not exist yet", "jit init")]
    if not os.path.isdir(root):
        return [Finding("control plane", "bad", f"{root} is not a directory", f"mv '{root}' '{root}.away' && jit init")]
    return [Finding("control plane", "ok", root)]


def check_modes(space: Workspace, _call: Call) -> list[Finding]:
    rows = [(path, mode_of(path), due) for path, due in expected_modes(space.plane)]
    wrong = [
        Finding("modes", "warn", f"{path} has mode {was:04o}, it should be {due:04o}", FIX)
        for path, was, due in rows
        if was != due
    ]
    return wrong or [Finding("modes", "ok", f"{len(rows)} files and directories have the modes they should")]


def check_file_system(space: Workspace, _call: Call) -> list[Finding]:
    from jit.world.mounts import file_system, refuse_network

    path = space.plane.root if os.path.isdir(space.plane.root) else space.repo.common_dir
    refuse_network(path)
    return [Finding("file system", "ok", f"{path} is on {file_system(path) or 'a local file system'}")]


def check_space(space: Workspace, _call: Call) -> list[Finding]:
    path = space.plane.root if os.path.isdir(space.plane.root) else space.repo.common_dir
    found = os.statvfs(path)
    free = found.f_bavail * found.f_frsize
    state: State = "bad" if free < HARDLY_BYTES else "warn" if free < LITTLE_BYTES else "ok"
    return [Finding("disk", state, f"{free >> 20} MB are free at {path}", "" if state == "ok" else f"df -h '{path}'")]


def check_log(space: Workspace, call: Call) -> list[Finding]:
    from jit.store.audit import check_log as look

    def progress(done: int, total: int) -> None:
        call.out.progress(f"checking the log: {done} of {total} records")

    report = look(space.plane, progress)
    if report.faults:
        first = report.faults[0]
        more = f", and {len(report.faults) - 1} more places" if len(report.faults) > 1 else ""
        what = f"{first.path}, line {first.number} (byte {first.offset}): {first.what}{more}"
        is_live = any(fault.path == space.plane.log for fault in report.faults)
        way = FIX if is_live else f"put an undamaged copy of {first.path} back"
        return [Finding("log", "bad", what, way, corrupt=True)]
    tail = f", and {report.unfinished} unfinished bytes that the next writer drops" if report.unfinished else ""
    return [Finding("log", "ok", f"{report.records} records, {report.segments} archived segments{tail}")]


def check_caches(space: Workspace, _call: Call) -> list[Finding]:
    from jit.store.replay import check_index, check_table

    if not os.path.isfile(space.plane.log):
        return []
    found = [("table", check_table(space.plane, space.world.now())), ("index", check_index(space.plane))]
    return [Finding(name, state, words, FIX if state == "bad" else "") for name, (state, words) in found]  # type: ignore[arg-type]


def check_lock(space: Workspace, _call: Call) -> list[Finding]:
    from jit.store.plane import open_lock

    if not os.path.exists(space.plane.lock("claims")):
        return []
    lock = open_lock(space.plane, "claims", 0)
    try:
        if lock.try_acquire():
            lock.release()
            return [Finding("lock", "ok", "the writers' lock is free")]
        return [_busy(space, lock.last_note())]
    finally:
        lock.close()


def check_heartbeats(space: Workspace, _call: Call) -> list[Finding]:
    from jit.world.heartbeat import read_all

    now = space.world.now()
    beats = read_all(space.plane.root)
    silent = [beat for beat in beats if elapsed_ms(beat.beat, now) > beat.interval_secs * 1000 * SILENT_BEATS]
    if silent:
        return [
            Finding(
                "heartbeat",
                "note",
                f"{beat.agent_id} is silent since {clock_text(beat.beat.wall_ms)} (beat: {beat.interval_secs} s)",
                f"jit claim status --agent {beat.agent_id}",
            )
            for beat in silent
        ]
    return [Finding("heartbeat", "ok", f"{len(beats)} agents with heartbeats, none silent for long")]


def check_worktree(space: Workspace, _call: Call) -> list[Finding]:
    from jit.world.worktree_file import IDENTITY_FILE, read

    if not space.repo.worktree:
        return [Finding("worktree", "note", "a bare repository has no worktree of its own", "git worktree add ../work")]
    identity = read(space.repo.worktree)
    if identity is None:
        return [Finding("worktree", "note", "this worktree has no identity yet", "jit worktree init")]
    name = identity.worktree_id
    if not os.path.isdir(identity.root) or not os.path.samefile(identity.root, space.repo.worktree):
        return [Finding("worktree", "warn", f"{name} says it lies at {identity.root}: moved or copied", FIX)]
    if IDENTITY_FILE.encode() not in _excluded(space):
        return [Finding("worktree", "warn", f"git is not told to ignore {IDENTITY_FILE}", FIX)]
    return [Finding("worktree", "ok", f"{name} at {identity.root}")]


def check_orphans(space: Workspace, _call: Call) -> list[Finding]:
    from jit.cli.validate import orphans

    live = active(space.snapshot().ledger, space.evidence())
    gone = [Finding("worktrees", "warn", what, way) for what, way in orphans(space, live)]
    return gone or [Finding("worktrees", "ok", "every claim is of a worktree that exists")]


def check_leftovers(space: Workspace, _call: Call) -> list[Finding]:
    paths = leftovers(space)
    if not paths:
        return [Finding("leftovers", "ok", "no temporary files of dead processes")]
    what = f"{len(paths)} temporary files of dead processes: {', '.join(paths[:3])}"
    return [Finding("leftovers", "warn", what, FIX)]


CHECKS: tuple[tuple[str, Look], ...] = (
    ("config", check_settings),
    ("agent", check_agent),
    ("worktree", check_worktree),
    ("control plane", check_plane),
    ("modes", check_modes),
    ("file system", check_file_system),
    ("disk", check_space),
    ("log", check_log),
    ("table", check_caches),
    ("lock", check_lock),
    ("heartbeat", check_heartbeats),
    ("worktrees", check_orphans),
    ("leftovers", check_leftovers),
)


def expected_modes(plane: Plane) -> Iterator[tuple[str, int]]:
    """Every file and directory whose mode matters, with the mode it should have."""
    folders = [plane.root, f"{plane.root}/locks", f"{plane.root}/heartbeat", plane.archive]
    for folder in folders:
        if os.path.isdir(folder):
            yield folder, plane.folder_mode
    for folder in (plane.root, f"{plane.root}/locks", plane.archive):
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            path = f"{folder}/{name}"
            if name.endswith((".jsonl", ".index.json", ".table", ".lock", ".gz")) and os.path.isfile(path):
                yield path, plane.file_mode


def mode_of(path: str) -> int:
    return os.stat(path).st_mode & 0o7777


def leftovers(space: Workspace) -> list[str]:
    """Temporary files, `<name>.<pid>.tmp`, whose process is gone."""
    root = space.plane.root
    folders = [root, f"{root}/locks", f"{root}/heartbeat", f"{root}/archive"]
    if space.repo.worktree:
        folders.append(f"{space.repo.worktree}/.jit")
    return [
        f"{folder}/{name}"
        for folder in folders
        if os.path.isdir(folder)
        for name in sorted(os.listdir(folder))
        if name.endswith(".tmp") and _is_dead(name.removesuffix(".tmp").rpartition(".")[2])
    ]


def _is_dead(digits: str) -> bool:
    from jit.world.process import this_machine

    return digits.isdigit() and int(digits) > 0 and this_machine().probe(int(digits)) == "absent"


def _busy(space: Workspace, note: str) -> Finding:
    """Somebody writes just now. No decision reads the note; it tells a person where to look."""
    from jit.cli.log import moment

    limit_secs = space.settings.number("locks.max_age_secs")
    now_ms = space.world.now().wall_ms
    try:
        age_ms = now_ms - moment(note.rpartition(" ")[2], now_ms)
    except JitError:
        age_ms = 0
    words = f"the writers' lock is held by {note or 'an unknown process'}"
    if age_ms <= limit_secs * 1000:
        return Finding("lock", "ok", words)
    pid = note.split(" ")[1] if note.startswith("pid ") else "PID"
    return Finding("lock", "warn", f"{words}, for {duration(age_ms)} already", f"look at that process: ps -p {pid}")


def _excluded(space: Workspace) -> list[bytes]:
    try:
        with open(f"{space.repo.common_dir}/info/exclude", "rb") as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []
