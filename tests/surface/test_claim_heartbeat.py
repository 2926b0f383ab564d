"""`jit claim heartbeat`: signs of life, once, in a loop, and in the background."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.surface.keeping import Ground, has_ended, until
from tests.traceability import covers

pytestmark = pytest.mark.surface

INDEFINITE = ("--ttl", "0", "--reason", "a long migration")


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path / "repo")


@covers("002:schema.heartbeat-file", "002:schema.heartbeat-record")
def test_a_beat_is_in_the_log_and_in_the_agents_heartbeat_file(ground: Ground) -> None:
    lease = ground.ok("claim", "acquire", ground.issue(), *INDEFINITE)
    answer = ground.ok("claim", "heartbeat")
    (record,) = ground.events("claim.heartbeat")
    file = ground.heartbeat()
    assert file is not None
    assert record["payload"]["lease_id"] == lease["lease_id"]
    assert record["timestamp"]
    assert (file["agent_id"], file["worktree_id"], file["branch"]) == ("agent:one", lease["worktree_id"], "main")
    assert (file["pid"], file["interval_secs"]) == (os.getpid(), 30)
    assert file["last_beat"].endswith("Z")
    assert (answer["count"], answer["heartbeat"]) == (1, file)
    assert answer["beaten"][0]["last_beat"] == record["timestamp"]


@covers("L:8", "002:ttl0.2", "002:expiry.stale")
def test_a_silent_claim_goes_stale_blocks_its_holder_is_cured_by_a_beat_and_can_be_evicted(ground: Ground) -> None:
    issue = ground.issue()

    def is_stale() -> bool:
        (row,) = ground.ok("claim", "status")["leases"]
        return bool(row["stale"])

    lease = ground.ok("claim", "acquire", issue, *INDEFINITE, coordination_stale_threshold_secs="2")["lease_id"]
    before = ground.ok("claim", "status")["leases"][0]["last_beat"]
    until(is_stale, "the claim goes stale")
    refused = ground.run("issue", "update", issue, "--title", "new")
    assert refused.returncode == 12
    assert f"jit claim heartbeat {lease}" in refused.stderr

    ground.ok("claim", "heartbeat", lease)
    assert not is_stale()
    assert ground.ok("claim", "status")["leases"][0]["last_beat"] > before
    assert ground.ok("issue", "update", issue, "--title", "new")["title"] == "new"

    until(is_stale, "the claim goes stale again")
    ground.ok("claim", "force-evict", lease, "--reason", "silent", agent="agent:two")
    assert ground.ok("claim", "status")["count"] == 0


def test_without_claims_the_heartbeat_file_is_written_all_the_same(ground: Ground) -> None:
    done = ground.run("claim", "heartbeat")
    assert done.returncode == 0
    assert "holds no claim" in done.stderr
    assert ground.heartbeat() is not None
    assert ground.events() == []


def test_one_named_claim_is_beaten_alone(ground: Ground) -> None:
    first, second = (ground.ok("claim", "acquire", ground.issue(title))["lease_id"] for title in ("a", "b"))
    ground.ok("claim", "heartbeat", second)
    assert [record["payload"]["lease_id"] for record in ground.events("claim.heartbeat")] == [second]
    ground.ok("claim", "heartbeat")
    assert {record["payload"]["lease_id"] for record in ground.events("claim.heartbeat")} == {first, second}


def test_somebody_elses_claim_cannot_be_beaten(ground: Ground) -> None:
    lease = ground.ok("claim", "acquire", ground.issue())["lease_id"]
    done = ground.run("claim", "heartbeat", lease, agent="agent:two")
    assert done.returncode == 5
    assert ground.events("claim.heartbeat") == []


def test_a_process_to_watch_means_nothing_without_the_loop(ground: Ground) -> None:
    done = ground.run("claim", "heartbeat", "--while-pid", "1")
    assert done.returncode == 2
    assert "--loop" in done.stderr


@covers("002:daemon.heartbeat", "002:config.coordination.heartbeat_interval_secs")
def test_the_loop_beats_at_its_interval_until_the_last_claim_is_given_back(ground: Ground) -> None:
    lease = ground.ok("claim", "acquire", ground.issue())["lease_id"]
    with ground.start("claim", "heartbeat", "--loop", coordination_heartbeat_interval_secs="1") as loop:
        seen: set[str] = set()

        def beats() -> int:
            file = ground.heartbeat()
            if file is not None and file["pid"] == loop.pid:
                seen.add(file["last_beat"])
                assert file["interval_secs"] == 1
            return len(seen)

        until(lambda: beats() >= 3, "three beats")
        ground.ok("claim", "release", lease)
        _, said = loop.communicate(timeout=60)
    assert loop.returncode == 0
    assert "no claims are left" in said
    assert len(ground.events("claim.heartbeat")) >= 3
    assert ground.events("claim.renewed") == []


@covers("002:daemon.renew", "002:config.coordination.auto_renew_leases")
def test_the_loop_renews_claims_before_they_run_out_if_so_configured(ground: Ground) -> None:
    ground.ok("claim", "acquire", ground.issue(), "--ttl", "2")
    with ground.start("claim", "heartbeat", "--loop", coordination_auto_renew_leases="true") as loop:
        until(lambda: len(ground.events("claim.renewed")) >= 4, "four renewals of a claim of two seconds")
        loop.send_signal(signal.SIGTERM)
        loop.communicate(timeout=60)
    assert loop.returncode == 0
    assert ground.events("claim.evicted") == []
    assert ground.ok("claim", "status")["count"] == 1


def test_the_loop_ends_with_the_process_that_it_beats_for(ground: Ground) -> None:
    ground.ok("claim", "acquire", ground.issue())
    with subprocess.Popen((sys.executable, "-c", "input()"), stdin=subprocess.PIPE) as client:
        words = ("claim", "heartbeat", "--loop", "--while-pid", str(client.pid))
        with ground.start(*words, coordination_heartbeat_interval_secs="1") as loop:
            until(ground.heartbeat, "the first beat")
            assert loop.poll() is None
            client.kill()
            client.wait()
            _, said = loop.communicate(timeout=60)
    assert loop.returncode == 0
    assert f"process {client.pid} has ended" in said
    assert ground.ok("claim", "status")["count"] == 1


def test_an_owner_has_one_loop_at_a_time(ground: Ground) -> None:
    ground.ok("claim", "acquire", ground.issue())
    with ground.start("claim", "heartbeat", "--loop") as loop:
        until(ground.heartbeat, "the first beat")
        second = ground.run("claim", "heartbeat", "--loop")
        assert second.returncode == 0
        assert "running already" in second.stderr
        loop.terminate()
        loop.communicate(timeout=60)
    assert loop.returncode == 0


@covers("002:config.agent")
def test_the_agent_file_sets_the_default_time_and_starts_background_heartbeats(
    ground: Ground, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    file = tmp_path / "config/jit/agent.toml"
    file.parent.mkdir(parents=True)
    file.write_text("[agent]\ndefault_ttl_secs = 77\n[behavior]\nauto_heartbeat = true\nheartbeat_interval = 1\n")
    lease = ground.ok("claim", "acquire", ground.issue())
    assert lease["ttl_secs"] == 77
    until(lambda: len(ground.events("claim.heartbeat")) >= 2, "two beats in the background")
    beat = ground.heartbeat()
    assert beat is not None
    assert beat["interval_secs"] == 1
    assert not has_ended(beat["pid"])
    ground.ok("claim", "release", lease["lease_id"])
    until(lambda: has_ended(beat["pid"]), "the loop ends with the last claim")
