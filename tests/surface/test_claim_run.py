"""`jit claim run`: the child and its claim live and end together."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jit.cli.child import Signals, accompany
from tests.surface.keeping import JIT, Ground, until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.surface

OBEDIENT = """
import signal, sys, time
def stop(number, frame):
    print("got", signal.Signals(number).name, flush=True)
    sys.exit(5)
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(number, stop)
print("ready", flush=True)
while True:
    signal.pause()
"""


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path / "repo")


@pytest.fixture
def obedient(tmp_path: Path) -> tuple[str, str]:
    """A child that says which signal it got and exits with 5."""
    script = tmp_path / "obedient.py"
    script.write_text(OBEDIENT)
    return sys.executable, str(script)


def test_the_child_finds_its_claim_in_the_environment_and_its_exit_code_is_returned(ground: Ground) -> None:
    issue = ground.issue()
    script = 'echo "$JIT_LEASE_ID $JIT_FENCE $JIT_AGENT_ID $JIT_ISSUE_ID"; exit 7'
    done = ground.run("claim", "run", issue, "--", "sh", "-c", script)
    granted, released = ground.events()
    assert done.returncode == 7
    assert done.stdout.split() == [granted["payload"]["lease_id"], "1", "agent:one", issue]
    assert released["event_type"] == "claim.released"
    assert released["payload"]["why"] == "the command ended with 7"


def test_a_child_that_a_signal_ends_gives_128_and_the_signals_number(ground: Ground) -> None:
    done = ground.run("claim", "run", ground.issue(), "--", "sh", "-c", "kill -KILL $$")
    assert done.returncode == 128 + signal.SIGKILL
    assert ground.ok("claim", "status")["count"] == 0


def test_the_answer_for_programs_is_the_last_line_behind_the_childs_own_output(ground: Ground) -> None:
    issue = ground.issue()
    done = ground.run("claim", "run", issue, "--json", "--", "echo", "from the child")
    first, last = done.stdout.splitlines()
    answer = json.loads(last)
    assert first == "from the child"
    assert (answer["issue_id"], answer["exit_code"]) == (issue, 0)


def test_the_claim_is_renewed_for_as_long_as_the_child_lives(ground: Ground) -> None:
    script = f"until [ $(grep -c claim.renewed {ground.log_file}) -ge 3 ]; do sleep 0.05; done"
    done = ground.run("claim", "run", ground.issue(), "--ttl", "2", "--", "sh", "-c", script)
    kinds = [event["event_type"] for event in ground.events()]
    assert done.returncode == 0, done.stderr
    assert kinds[0] == "claim.acquired"
    assert set(kinds[1:-1]) == {"claim.renewed"}
    assert kinds[-1] == "claim.released"


def test_a_claim_without_end_is_beaten_for_as_long_as_the_child_lives(ground: Ground) -> None:
    script = f"until [ $(grep -c claim.heartbeat {ground.log_file}) -ge 2 ]; do sleep 0.05; done"
    words = ("claim", "run", ground.issue(), "--ttl", "0", "--reason", "a long migration", "--", "sh", "-c", script)
    done = ground.run(*words, coordination_heartbeat_interval_secs="1")
    assert done.returncode == 0, done.stderr
    assert ground.heartbeat() is not None
    assert ground.ok("claim", "status")["count"] == 0


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT", "SIGUSR1", "SIGUSR2"])
def test_a_signal_to_jit_goes_on_to_the_child(ground: Ground, obedient: tuple[str, str], name: str) -> None:
    with ground.start("claim", "run", ground.issue(), "--", *obedient) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        running.send_signal(signal.Signals[name])
        heard, _ = running.communicate(timeout=60)
    assert heard == f"got {name}\n"
    assert running.returncode == 5
    assert ground.ok("claim", "status")["count"] == 0


COUNTING = """
import signal, sys
seen = []
def interrupted(number, frame):
    seen.append(number)
    print("interrupted", flush=True)
def asked(number, frame):
    print("interrupts:", len(seen), flush=True)
    sys.exit(0)
signal.signal(signal.SIGINT, interrupted)
signal.signal(signal.SIGUSR1, asked)
print("ready", flush=True)
while True:
    signal.pause()
"""
ON_A_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)


def test_ctrl_c_reaches_the_child_once_and_jit_stays_until_the_child_has_ended(ground: Ground, tmp_path: Path) -> None:
    script = tmp_path / "counting.py"
    script.write_text(COUNTING)
    keyboard, terminal = os.openpty()
    words = (*JIT, "claim", "run", ground.issue(), "--quiet", "--", sys.executable, str(script))
    running = subprocess.Popen(
        (sys.executable, "-c", ON_A_TERMINAL, *words),
        cwd=ground.root,
        env=ground.environ("agent:one"),
        stdin=terminal,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        os.write(keyboard, b"\x03")
        assert running.stdout.readline() == "interrupted\n"
        running.send_signal(signal.SIGUSR1)  # jit sends it on behind whatever it sent on before
        heard, _ = running.communicate(timeout=60)
    os.close(keyboard)
    os.close(terminal)
    assert heard == "interrupts: 1\n"
    assert running.returncode == 0
    assert ground.ok("claim", "status")["count"] == 0


@pytest.fixture
def losing(ground: Ground, obedient: tuple[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A running command whose claim can be taken away; it looks every second whether it still has it."""
    words = ("claim", "run", ground.issue(), "--", *obedient)
    with ground.start(*words, coordination_heartbeat_interval_secs="1") as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        yield running
        running.kill()


def test_an_evicted_claim_stops_the_child_and_the_command_says_who_took_it_and_why(
    ground: Ground, losing: subprocess.Popen[str]
) -> None:
    lease = ground.events()[0]["payload"]["lease_id"]
    ground.ok("claim", "force-evict", lease, "--reason", "it runs in circles", agent="human:boss")
    heard, said = losing.communicate(timeout=60)
    assert heard == "got SIGTERM\n"
    assert losing.returncode == 12
    assert "was taken away by human:boss" in said
    assert "it runs in circles" in said


def test_a_transferred_claim_stops_the_child_and_the_command_names_the_heir(
    ground: Ground, losing: subprocess.Popen[str]
) -> None:
    lease = ground.events()[0]["payload"]["lease_id"]
    ground.ok("claim", "transfer", lease, "--to-agent", "agent:heir", "--reason", "end of shift")
    heard, said = losing.communicate(timeout=60)
    assert heard == "got SIGTERM\n"
    assert losing.returncode == 12
    assert "was handed to agent:heir" in said
    assert "end of shift" in said
    assert [row["agent_id"] for row in ground.ok("claim", "status")["leases"]] == ["agent:heir"]


def test_a_claim_that_ran_out_while_jit_was_stopped_stops_the_child(ground: Ground, obedient: tuple[str, str]) -> None:
    issue = ground.issue()
    with ground.start("claim", "run", issue, "--ttl", "1", "--", *obedient) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        running.send_signal(signal.SIGSTOP)
        until(lambda: ground.run("claim", "acquire", issue, agent="agent:two").returncode == 0, "the claim runs out")
        running.send_signal(signal.SIGCONT)
        heard, said = running.communicate(timeout=60)
    assert heard == "got SIGTERM\n"
    assert running.returncode == 12
    assert "ran out at" in said
    assert "now held by agent:two" in said


def test_a_claim_that_the_child_itself_gives_back_is_not_lost(ground: Ground) -> None:
    script = f"{' '.join(JIT)} claim release $JIT_LEASE_ID && exit 4"
    done = ground.run("claim", "run", ground.issue(), "--", "sh", "-c", script)
    assert done.returncode == 4
    assert [event["event_type"] for event in ground.events()] == ["claim.acquired", "claim.released"]


BUSY_STORE = """
import fcntl, sys, time
lock, log, words = sys.argv[1:]
with open(lock, "r+b") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    while "trying again" not in open(words).read():
        time.sleep(0.02)
while "claim.renewed" not in open(log).read():
    time.sleep(0.02)
"""


def test_a_store_that_is_busy_for_a_while_is_asked_again(ground: Ground, tmp_path: Path) -> None:
    lock, words = ground.root / ".git/jit/locks/claims.lock", tmp_path / "words"
    child = (sys.executable, "-c", BUSY_STORE, str(lock), str(ground.log_file), str(words))
    with words.open("w") as stderr:
        running = ground.start(
            "claim", "run", ground.issue(), "--ttl", "30", "--", *child,
            stderr=stderr.fileno(), coordination_heartbeat_interval_secs="1", locks_wait_secs="1",
        )  # fmt: skip
        with running:
            running.communicate(timeout=60)
    assert running.returncode == 0, words.read_text()
    assert ground.events()[-1]["event_type"] == "claim.released"


def test_a_command_that_does_not_exist_is_not_found_and_the_claim_is_given_back(ground: Ground) -> None:
    done = ground.run("claim", "run", ground.issue(), "--", "no-such-command")
    assert done.returncode == 3
    assert "no-such-command" in done.stderr
    assert ground.ok("claim", "status")["count"] == 0


def test_a_command_that_may_not_be_executed_is_not_permitted_and_the_claim_is_given_back(ground: Ground) -> None:
    (ground.root / "plain.txt").write_text("words")
    done = ground.run("claim", "run", ground.issue(), "--", "./plain.txt")
    assert done.returncode == 5
    assert "chmod +x ./plain.txt" in done.stderr
    assert ground.ok("claim", "status")["count"] == 0


def test_the_command_does_not_run_while_somebody_else_holds_the_issue(ground: Ground) -> None:
    issue = ground.issue()
    ground.ok("claim", "acquire", issue, agent="agent:two")
    done = ground.run("claim", "run", issue, "--", "touch", "trace")
    assert done.returncode == 10
    assert "held by agent:two" in done.stderr
    assert not (ground.root / "trace").exists()


class Lost:
    """A claim that is lost from the beginning."""

    is_lost = True

    def due_in_ms(self) -> int | None:
        return 0

    def turn(self) -> None:
        """There is nothing to keep."""


def test_a_child_that_does_not_hear_sigterm_is_killed_after_a_time_of_grace() -> None:
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
    with (
        Signals([signal.SIGCHLD]) as signals,
        subprocess.Popen((sys.executable, "-c", deaf), stdout=subprocess.PIPE) as child,
    ):
        assert child.stdout is not None
        child.stdout.readline()
        code = accompany(child, Lost(), signals, grace_ms=50)
    assert code == 128 + signal.SIGKILL
