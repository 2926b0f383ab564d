"""`jit claim heartbeat`: signs of life, once or again and again.

A beat has two halves: the agent's heartbeat file, which is replaced, and the last sign of life of each of its claims,
which is recorded. The loop is one process per owner, kept single by a lock that it holds for as long as it lives. It
ends when there is nothing left to beat for, when the process it beats for has died, or when it is told to.
"""

from __future__ import annotations

import os
import sys

from jit.cli.answers import accept, lease_of
from jit.cli.resolve import find_lease
from jit.errors import JitError, LockTimeout, NotFound, UsageError
from jit.kernel.commands import Beat, Renew
from jit.kernel.events import Beaten, Renewed
from jit.kernel.lease import same_owner
from jit.kernel.policy import Ttl
from jit.views.active import active, active_row, remaining_ms, subject
from jit.world import heartbeat as signs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.app import Workspace
    from jit.cli.call import Call
    from jit.cli.child import Signals
    from jit.kernel.commands import Command
    from jit.kernel.lease import Lease, ProcessRef
    from jit.store.durable import FileLock
    from jit.world.heartbeat import Heartbeat

RENEW_BELOW_PCT = 20
TURN_OVER_MS = 1000  # how long a new loop waits for one that is just ending
SHELLS = ("sh", "bash", "dash", "zsh", "fish", "ksh", "ash")


def heartbeat(call: Call) -> int:
    if call.parsed.flag("--loop"):
        return _loop(call)
    if "--while-pid" in call.parsed.given:
        raise UsageError("--while-pid needs --loop", hint="jit claim heartbeat --loop --while-pid PID")
    space = call.workspace
    word = call.parsed.text("lease")
    leases = [_beat(space, find_lease(space, word))] if word else _tend(space, renewing=False)
    # The sign of life is the caller's, who goes on, not that of this process, which ends at once.
    _tell(call, leases, sign(space, os.getppid()))
    for lease in leases:
        lease_id = call.out.paint("id", lease.lease_id)
        call.out.line(f"{call.out.paint('ok', 'beat')} issue {subject(lease)}  lease {lease_id}")
    if not leases:
        call.out.note(f"{space.owner.agent} holds no claim in {space.owner.worktree}; its heartbeat file is written")
    return 0


def start_in_background(call: Call) -> None:
    """A loop that outlives this command and ends with whoever called it; where one runs already, it ends at once."""
    space = call.workspace
    words = [sys.executable, "-P", "-m", "jit", "claim", "heartbeat", "--loop", "--while-pid", str(_client_pid())]
    words += ["--agent-id", space.agent.id, "--repo", space.repo.worktree or call.cwd]
    nowhere = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    try:
        os.posix_spawn(sys.executable, words, dict(call.environ), file_actions=nowhere, setsid=True)
    except (OSError, NotImplementedError) as error:
        call.out.warn(f"background heartbeats could not be started: {error}; by hand: jit claim heartbeat --loop")


def sign(space: Workspace, pid: int) -> Heartbeat:
    """Write the agent's heartbeat file."""
    from jit.app import private_files
    from jit.store.durable import fault

    owner, interval = space.owner, space.settings.heartbeat_secs()
    beat = signs.Heartbeat(owner.agent, owner.worktree, space.branch, pid, space.world.now(), interval)
    try:
        signs.write(space.plane.root, beat, private_files(space.plane.root))
    except OSError as error:
        raise fault(signs.path_of(space.plane.root, owner.agent), error) from error
    return beat


def _loop(call: Call) -> int:
    import signal

    from jit.cli.child import Signals

    space = call.workspace
    watched = _watched(call.parsed.integer("--while-pid"))
    lock = _only_one(space)
    if lock is None:
        call.out.note(f"heartbeats of {space.owner.agent} in {space.owner.worktree} are running already")
        return 0
    try:
        with Signals((signal.SIGTERM, signal.SIGINT, signal.SIGHUP)) as signals:
            return _beat_on(call, watched, signals)
    finally:
        lock.close()


def _beat_on(call: Call, watched: ProcessRef | None, signals: Signals) -> int:
    space = call.workspace
    renewing = space.settings.flag("coordination.auto_renew_leases")
    pause_ms = space.settings.heartbeat_secs() * 1000
    stops: set[int] = set()
    while not stops:
        if watched is not None and space.world.liveness(watched) == "dead":
            call.out.note(f"process {watched.pid} has ended, and so do its heartbeats")
            return 0
        try:
            leases = _tend(space, renewing=renewing)
            _tell(call, leases, sign(space, os.getpid()))
            if not leases:
                call.out.note("no claims are left to beat for")
                return 0
            pause_ms = _pause_ms(space, leases, renewing=renewing)
        except JitError as error:
            if not os.path.isdir(space.plane.root):
                return 0
            call.out.warn(error.message)
        stops = {number for number in signals.wait(pause_ms) if number in signals.numbers}
    return 0


def _tend(space: Workspace, *, renewing: bool) -> list[Lease]:
    """Beat for, or renew, every claim of this owner; those that end meanwhile are left out."""
    evidence = space.evidence()
    own = active(space.snapshot().ledger, evidence, agent=space.owner.agent)
    kept: list[Lease] = []
    for lease in own:
        if not same_owner(lease.owner, space.owner):
            continue
        command: Command = Beat(lease.lease_id, space.owner)
        if renewing and _needs_renewal(space, lease):
            command = Renew(lease.lease_id, space.owner)
        answer = space.engine.submit(command).answer
        if isinstance(answer, Beaten | Renewed):
            kept.append(answer.lease)
    return kept


def _needs_renewal(space: Workspace, lease: Lease) -> bool:
    """Is so little left that the next turns might come too late?"""
    left_ms = remaining_ms(lease, space.world.now())
    if left_ms is None or not isinstance(lease.policy, Ttl):
        return False
    return left_ms < max(lease.policy.ttl_ms * RENEW_BELOW_PCT // 100, 2 * space.settings.heartbeat_secs() * 1000)


def _pause_ms(space: Workspace, leases: list[Lease], *, renewing: bool) -> int:
    """The configured pause, shorter if a claim that is renewed would run out in it."""
    short = [lease.policy.ttl_ms // 3 for lease in leases if renewing and isinstance(lease.policy, Ttl)]
    return min([space.settings.heartbeat_secs() * 1000, *short])


def _beat(space: Workspace, lease_id: str) -> Lease:
    return lease_of(accept(space.engine.submit(Beat(lease_id, space.owner)), space.evidence()))


def _tell(call: Call, leases: list[Lease], beat: Heartbeat) -> None:
    evidence = call.workspace.evidence()
    rows = [active_row(lease, evidence) for lease in leases]
    call.out.item({"beaten": rows, "count": len(rows), "heartbeat": signs.as_json(beat)})


def _watched(pid: int | None) -> ProcessRef | None:
    from jit.world.process import describe

    if pid is None:
        return None
    found = describe(pid)
    if found is None:
        raise NotFound(f"there is no process {pid} to beat for", hint="jit claim heartbeat --loop")
    return found


def _only_one(space: Workspace) -> FileLock | None:
    """The lock of this owner's loop, or nothing if another process has it."""
    from hashlib import sha256

    from jit.store.plane import open_lock, prepare

    owner = space.owner
    prepare(space.plane)
    name = sha256(f"{owner.agent} {owner.worktree}".encode()).hexdigest()[:16]
    lock = open_lock(space.plane, f"heartbeat-{name}", TURN_OVER_MS)
    try:
        lock.acquire()
    except LockTimeout:
        lock.close()
        return None
    lock.note(f"pid {os.getpid()} {owner.agent} {owner.worktree}".encode())
    return lock


def _client_pid() -> int:
    """The nearest ancestor that lasts: agent clients start a shell for one command, and that shell ends with it."""
    from jit.world.process import parents

    line = list(parents(os.getpid())) or [os.getppid()]
    return next((pid for pid in line if not _is_passing_shell(pid)), line[0])


def _is_passing_shell(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as text:
            words = text.read(4096).decode("utf-8", "replace").split("\0")
    except OSError:
        return False
    options = [word for word in words[1:3] if word.startswith("-") and not word.startswith("--")]
    return os.path.basename(words[0]) in SHELLS and any(word.endswith("c") for word in options)
