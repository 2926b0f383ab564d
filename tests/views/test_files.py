"""What `jit file` shows of leases on files, and the words for what happens to them."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from jit.kernel.events import Beaten, Denied, Evicted, Granted, Lapsed, Refused, Released, Renewed
from jit.kernel.instant import Instant
from jit.kernel.lease import Evidence, Lease, Owner, ProcessRef
from jit.kernel.ledger import Ledger
from jit.kernel.policy import Ttl, WhileAlive
from jit.kernel.record import replace
from jit.store.api import Batch
from jit.systems.files.commands import Stop
from jit.views.active import active
from jit.views.files import awaited, blocker_row, blockers, count, file_row, held, of_files, state_of, wait_row, waits
from jit.views.timeline import tell
from tests.traceability import covers

NOON = 1_767_441_600_000  # 2026-01-03 12:00:00Z
ANN_RUNS = ProcessRef("host", "boot", 11, 1, "pid")
BOB_RUNS = ProcessRef("host", "boot", 22, 2, "pid")
ANN = Owner("agent:claude-ann", "", "ann-session/", ANN_RUNS)
BOB = Owner("agent:codex-bob", "", "bob-session/sub", BOB_RUNS)
OPERATOR = Owner("human:operator", "wt:0000000a")
RESOURCE = "file:wt:0000000a/src/x.py"


def at(seconds: float) -> Instant:
    return Instant(NOON + round(seconds * 1000), 5_000 + round(seconds * 1000), "boot")


def known(seconds: float, **lives: str) -> Evidence:
    """What is known so many seconds after noon; everybody lives unless told otherwise."""
    return Evidence(at(seconds), {ANN_RUNS: lives.get("ann", "alive"), BOB_RUNS: lives.get("bob", "alive")})  # type: ignore[dict-item]


HELD = Lease(
    "L1", (RESOURCE,), ANN, WhileAlive(3_600_000, 30_000), 7, at(0), at(0), at(20), "Edit", "main", note="hash"
)

DUE = at(190)


def waiting(phase: str = "waiting", due: Instant | None = DUE, holder: str = "L1") -> Lease:
    note = {
        "phase": phase,
        "due": None if due is None else [due.wall_ms, due.boot_ms, due.boot_id],
        "holder": holder,
        "held_by": ANN.agent,
        "held_since": [at(0).wall_ms, at(0).boot_ms, "boot"],
        "content": "hash",
    }
    names = (f"wait:agent:codex-bob||bob-session/sub|{RESOURCE}", f"waiting:{RESOURCE}")
    return Lease("WL2", names, BOB, HELD.policy, 8, at(10), at(10), at(190), "Write", "main", note=json.dumps(note))


STOP = replace(HELD, lease_id="ZL1", resources=("stop:agent:claude-ann||ann-session/",))
SEEN = replace(HELD, lease_id="SL1", resources=(f"seen:agent:claude-ann||ann-session/|{RESOURCE}",))


def ledger(*leases: Lease) -> Ledger:
    found = Ledger()
    for lease in leases:
        found.put(lease)
    return found


def test_a_file_row_has_the_file_its_owner_and_its_times() -> None:
    row = file_row(HELD, known(60))
    assert {name: row[name] for name in ("file", "lease_id", "fence", "tool", "content", "scope")} == {
        "file": "src/x.py", "lease_id": "L1", "fence": 7, "tool": "Edit", "content": "hash", "scope": "wt:0000000a",
    }  # fmt: skip
    assert row["owner"] == {
        "agent_id": "agent:claude-ann", "session_id": "ann-session", "subagent_id": None, "client": "claude", "pid": 11,
        "worktree_id": "wt:0000000a",
    }  # fmt: skip
    times = [datetime.fromisoformat(str(row[name])).timestamp() for name in ("since", "last_heartbeat_at")]
    assert times == [NOON / 1000, NOON / 1000 + 20]
    assert (row["stopped"], row["shared"], row["lapsed"]) == (False, False, False)


def test_a_file_of_the_whole_repository_is_of_no_worktree() -> None:
    row = file_row(replace(HELD, resources=("file:repo/poetry.lock",)), known(60))
    owner = row["owner"]
    assert isinstance(owner, dict)
    assert (row["scope"], owner["worktree_id"]) == ("repo", None)


@covers("001:M1")
@pytest.mark.parametrize(
    ("lease", "evidence", "stands"),
    [
        (HELD, known(60), True),
        (HELD, known(60, ann="dead"), False),
        (HELD, known(3620, ann="unknown"), True),
        (HELD, known(3621, ann="unknown"), False),
        (HELD, known(999_999), True),
        (replace(HELD, stopped=True), known(50), True),
        (replace(HELD, stopped=True), known(51), False),
    ],
)
def test_only_leases_that_stand_are_held(lease: Lease, evidence: Evidence, *, stands: bool) -> None:
    assert held([lease], evidence) == ([lease] if stands else [])
    assert of_files([lease]) == [lease]
    assert file_row(lease, evidence)["lapsed"] is not stands


def test_files_come_by_name_and_waits_by_age() -> None:
    other = replace(HELD, lease_id="L0", resources=("file:wt:0000000b/a.py",))
    assert held([HELD, other, waiting(), SEEN], known(60)) == [other, HELD]
    earlier = replace(waiting(), lease_id="WL9", acquired=at(5))
    assert waits([HELD, waiting(), SEEN, earlier], known(60)) == [earlier, waiting()]
    assert waits([waiting()], known(60), resources=("file:repo/src/x.py",)) == []
    assert waits([waiting()], known(60, bob="dead")) == []


@pytest.mark.parametrize("phase", ["waiting", "queued", "blocked", "deadlock"])
def test_a_wait_is_in_its_phase_while_its_holder_stands_and_free_afterwards(phase: str) -> None:
    wait = waiting(phase)
    both = ledger(HELD, wait)
    assert state_of(wait, awaited(both, wait, known(60))) == phase
    assert awaited(both, wait, known(60, ann="dead")) is None
    assert state_of(wait, awaited(ledger(wait), wait, known(60))) == "free"


def test_a_wait_row_tells_who_waits_for_whom_until_when() -> None:
    row = wait_row(waiting(), HELD)
    assert (row["wait_id"], row["file"], row["state"], row["tool"]) == ("WL2", "src/x.py", "waiting", "Write")
    waiter, holder = row["waiter"], row["holder"]
    assert isinstance(waiter, dict)
    assert isinstance(holder, dict)
    assert (waiter["agent_id"], waiter["subagent_id"], holder["agent_id"]) == (BOB.agent, "sub", ANN.agent)
    assert (row["since"], row["retry_at"]) == ("2026-01-03T12:00:10.000Z", "2026-01-03T12:03:10.000Z")
    assert wait_row(waiting("queued", None), None)["retry_at"] is None


@pytest.mark.parametrize(("phase", "halts"), [("waiting", 0), ("queued", 0), ("blocked", 1), ("deadlock", 1)])
def test_a_blocker_is_a_halted_wait_whose_holder_stands(phase: str, halts: int) -> None:
    both = ledger(HELD, waiting(phase))
    assert len(blockers(both, known(200))) == halts
    assert blockers(both, known(200, ann="dead")) == []
    assert blockers(both, known(200, bob="dead")) == []
    assert count(both, known(200)) == {"held": 1, "waiting": 1, "blocked": halts}


def test_a_blocker_row_is_the_report_with_the_worktree_of_the_file() -> None:
    row = blocker_row(waiting("blocked"), HELD, known(200), 180)
    assert (row["file"], row["state"], row["why"]) == ("src/x.py", "waiting_for_instruction", "held")
    assert (row["lock_age_secs"], row["retry_interval_secs"]) == (200, 180)
    assert row["last_heartbeat_at"] == "2026-01-03T12:00:20.000Z"
    assert [(owner["agent_id"], owner["worktree_id"]) for owner in (row["owner"], row["blocked"])] == [  # type: ignore[index]
        (ANN.agent, "wt:0000000a"),
        (BOB.agent, "wt:0000000a"),
    ]


def test_leases_of_the_file_gate_are_no_claims() -> None:
    claim = replace(HELD, lease_id="C1", resources=("issue:X",), policy=Ttl(600_000))
    assert active([HELD, waiting(), SEEN, claim], known(60)) == [claim]


def told_by(owner: Owner, evidence: Evidence) -> Batch:
    return Batch("B", Stop(owner), evidence, ())


WORDS = [
    (Granted(HELD), "agent:claude-ann took src/x.py for Edit, fence 7"),
    (Released(HELD, ANN, "committed"), "agent:claude-ann gave src/x.py back: committed"),
    (Released(HELD, ANN, ""), "agent:claude-ann gave src/x.py back"),
    (Evicted(HELD, OPERATOR, "hangs"), "agent:claude-ann lost src/x.py, evicted by human:operator: hangs"),
    (
        Denied(RESOURCE, BOB, HELD),
        "agent:codex-bob was denied src/x.py: held by agent:claude-ann since 2026-01-03 12:00:00Z",
    ),
    (
        Refused("not-owner", BOB, "L1", HELD),
        "agent:codex-bob was refused src/x.py: not-owner, it belongs to agent:claude-ann",
    ),
    (Beaten(HELD), "agent:claude-ann goes on with src/x.py"),
    (
        Beaten(replace(HELD, stopped=True)),
        "agent:claude-ann stopped; it keeps src/x.py only for as long as it may be idle",
    ),
    (
        Granted(waiting()),
        "agent:codex-bob waits for src/x.py, held by agent:claude-ann, until 2026-01-03 12:03:10Z",
    ),
    (
        Renewed(waiting()),
        "agent:codex-bob waits again for src/x.py, held by agent:claude-ann, until 2026-01-03 12:03:10Z",
    ),
    (Granted(waiting("queued", None)), "agent:codex-bob queues for src/x.py, held by agent:claude-ann"),
    (
        Renewed(waiting("blocked")),
        (
            "agent:codex-bob is blocked after one retry on src/x.py, held by agent:claude-ann since"
            " 2026-01-03 12:00:00Z; it waits for instruction"
        ),
    ),
    (
        Granted(waiting("deadlock")),
        (
            "agent:codex-bob is blocked at once on src/x.py, held by agent:claude-ann,"
            " who waits for a file of agent:codex-bob"
        ),
    ),
    (Released(waiting(), BOB, "granted"), "agent:codex-bob waits no longer for src/x.py: granted"),
    (Released(waiting(), OPERATOR, "go"), "human:operator let agent:codex-bob try src/x.py again: go"),
    (Lapsed(waiting()), "agent:codex-bob waits no longer for src/x.py: it is gone"),
    (Evicted(waiting(), OPERATOR, "tidy"), "agent:codex-bob waits no longer for src/x.py: tidy"),
    (Renewed(SEEN), "agent:claude-ann is remembered to have seen src/x.py"),
    (Renewed(STOP), "agent:claude-ann has stopped"),
    (Released(STOP, STOP.owner, "went on"), "agent:claude-ann no longer rests"),
    (Renewed(waiting("queued")), "it is the turn of agent:codex-bob at src/x.py, until 2026-01-03 12:03:10Z"),
    (
        Released(waiting("queued"), OPERATOR, "its turn passed"),
        "agent:codex-bob missed its turn at src/x.py and left the queue when human:operator asked",
    ),
]


@pytest.mark.parametrize(("event", "words"), WORDS)
def test_what_happens_to_a_file_is_told_in_words(event: Granted, words: str) -> None:
    assert tell(event, told_by(BOB, known(60))) == words


@pytest.mark.parametrize(
    ("lease", "evidence", "words"),
    [
        (HELD, known(60, ann="dead"), "its process 11 was gone when agent:codex-bob asked"),
        (
            replace(HELD, stopped=True),
            known(65),
            "it had stopped and was idle for 45s when agent:codex-bob asked",
        ),
        (
            HELD,
            known(7220, ann="unknown"),
            "nothing was heard of it for 2h when agent:codex-bob asked, and its process cannot be seen",
        ),
    ],
)
def test_a_lapse_of_a_file_tells_why_it_was_free(lease: Lease, evidence: Evidence, words: str) -> None:
    assert tell(Lapsed(lease), told_by(BOB, evidence)) == f"agent:claude-ann lost src/x.py, lapsed: {words}"
