"""Before each command the agent hears of its leases that soon run out, and of those that went stale."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jit.cli.expiry import warning
from jit.kernel.instant import Instant
from jit.kernel.lease import Lease, Owner
from jit.kernel.policy import Indefinite, Ttl
from tests.surface.keeping import Ground, until
from tests.traceability import covers

if TYPE_CHECKING:
    from jit.kernel.policy import Policy

pytestmark = pytest.mark.surface

EAGER = {"coordination_lease_renewal_threshold_pct": "100"}
"""With this threshold a lease is near its end as soon as a millisecond has passed."""


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path / "repo")


@pytest.fixture
def lease(ground: Ground) -> str:
    return str(ground.ok("claim", "acquire", ground.issue(), "--ttl", "600")["lease_id"])


@covers("002:warn.expiry", "002:config.coordination.lease_renewal_threshold_pct")
def test_a_lease_below_the_threshold_is_announced_with_the_command_that_renews_it(ground: Ground, lease: str) -> None:
    done = ground.run("issue", "list", "--json", **EAGER)
    (said,) = done.stderr.splitlines()
    assert said.startswith(f"warning: lease {lease} on issue ")
    assert json.loads(done.stdout)["count"] == 1
    command = said.partition("renew: jit ")[2].split()
    assert command == ["claim", "renew", lease, "--ttl", "600"]
    assert ground.ok(*command)["lease_id"] == lease


def test_a_lease_far_from_its_end_is_not_mentioned(ground: Ground, lease: str) -> None:
    assert ground.run("claim", "status").stderr == ""


def test_other_agents_hear_nothing_of_it(ground: Ground, lease: str) -> None:
    assert ground.run("claim", "status", agent="agent:two", **EAGER).stderr == ""


@pytest.mark.parametrize("words", [("claim", "renew"), ("claim", "heartbeat"), ("claim", "release")])
def test_a_command_about_the_lease_itself_is_not_preceded_by_a_warning(
    ground: Ground, lease: str, words: tuple[str, ...]
) -> None:
    done = ground.run(*words, lease, **EAGER)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "words", [("config", "get", "worktree.mode"), ("completion", "bash"), ("_complete", "--", "jit", "")]
)
def test_settings_and_completion_never_warn(ground: Ground, lease: str, words: tuple[str, ...]) -> None:
    done = ground.run(*words, **EAGER)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_stale_claim_is_announced_with_the_command_that_cures_it(ground: Ground) -> None:
    words = ("claim", "acquire", ground.issue(), "--ttl", "0", "--reason", "a long migration")
    lease = ground.ok(*words, coordination_stale_threshold_secs="1")["lease_id"]
    until(lambda: ground.run("claim", "status").stderr, "the claim goes stale")
    assert f"lease {lease} on issue" in ground.run("claim", "status").stderr
    said = ground.run("issue", "list").stderr
    command = said.strip().partition("beat: jit ")[2].split()
    ground.ok(*command)
    assert ground.run("claim", "status").stderr == ""


def test_without_the_point_index_nothing_is_said_and_the_command_does_its_work(ground: Ground, lease: str) -> None:
    (ground.root / ".git/jit/claims.table").unlink()
    done = ground.run("issue", "list", **EAGER)
    assert (done.returncode, done.stderr) == (0, "")


def test_settings_that_cannot_be_used_are_left_for_the_command_to_report(ground: Ground, lease: str) -> None:
    done = ground.run("issue", "list", coordination_lease_renewal_threshold_pct="most")
    assert done.returncode == 0


BOOT = "b"


def of(policy: Policy) -> Lease:
    start = Instant(0, 0, BOOT)
    return Lease("01L", ("issue:01A",), Owner("agent:one", "wt:00000001"), policy, 1, start, start, start)


def at(seconds: int) -> Instant:
    return Instant(0, seconds * 1000, BOOT)


def test_the_threshold_is_a_part_of_the_time_to_live() -> None:
    lease = of(Ttl(600_000))
    assert warning(lease, at(539), 10) == ""
    assert warning(lease, at(540), 10) == ""
    assert warning(lease, at(558), 10) == (
        "lease 01L on issue 01A expires in 0m42s (7 % left); renew: jit claim renew 01L --ttl 600"
    )
    assert warning(lease, at(601), 10) == ""


def test_a_threshold_of_nought_never_warns() -> None:
    assert warning(of(Ttl(600_000)), at(599), 0) == ""


def test_a_claim_without_end_is_announced_only_when_it_is_stale() -> None:
    lease = of(Indefinite(3_600_000))
    assert warning(lease, at(3600), 10) == ""
    assert "is stale" in warning(lease, at(3601), 10)
