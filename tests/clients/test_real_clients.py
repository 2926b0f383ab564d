"""The real Claude Code and the real Codex at one file: denied, waiting, resumed, blocked, released, killed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.clients.harness import WANTED, Site, is_there
from tests.gate.watch import records
from tests.surface.jitcli import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

pytestmark = [
    pytest.mark.clients,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not is_there(), reason=WANTED),
    pytest.mark.parametrize("client", ["claude", "codex"]),
]


def test_a_second_client_is_denied_and_its_model_reads_why(tmp_path: Path, client: str) -> None:
    site = Site(tmp_path, client, files__on_contention="deny")
    with site.start("ann", *site.change("base", "base by ann"), site.pause(60)) as ann:
        ann.until_it_has_written()
        with site.start("bob", *site.change("base by ann", "base by bob")) as bob:
            heard = bob.finish()
    assert "a.txt is being changed by agent:" in heard
    assert "try this same edit again at" in heard
    assert site.text() == "base by ann\n"


def heard_after_waiting(site: Site, client: str, play: Callable[[], list[dict[str, Any]]]) -> str:
    """What bob's model heard, whose client waited for the file that ann's changed until ann was done."""
    with site.start("ann", *site.change("base", "base by ann"), site.pause(12)) as ann:
        ann.until_it_has_written()
        site.client = client
        with site.start("bob", *play()) as bob:
            wait_until(lambda: site.phases() == ["waiting"])
            ann.finish()
            return bob.finish()


@pytest.mark.parametrize("second", ["claude", "codex"])
def test_a_client_that_waits_sees_only_a_slow_edit(tmp_path: Path, client: str, second: str) -> None:
    """The same client or the other one."""
    site = Site(tmp_path, client, files__retry_interval_secs="20")
    assert site.jit("setup", second).code == 0
    heard = heard_after_waiting(site, second, lambda: site.change("base by ann", "base by ann and bob"))
    assert "being changed" not in heard
    assert site.text() == "base by ann and bob\n"
    assert site.holder() == ""
    taken = [record["payload"] for record in records(site.repository) if record["event_type"] == "file.acquired"]
    assert [each["agent_id"].partition("-")[0] for each in taken] == [f"agent:{client}", f"agent:{second}"]


def test_still_held_at_the_retry_the_client_is_told_to_stop(tmp_path: Path, client: str) -> None:
    site = Site(tmp_path, client, files__retry_interval_secs="1")
    with site.start("ann", *site.change("base", "base by ann"), site.pause(60)) as ann:
        ann.until_it_has_written()
        with site.start("bob", *site.change("base by ann", "base by bob"), site.pause(30)) as bob:
            wait_until(lambda: site.phases() == ["waiting", "blocked"])
            (report,) = site.jit.ask("file", "blockers")["blockers"]
            wait_until(lambda: "Stop this task" in bob.heard())
    assert (report["file"], report["state"]) == ("a.txt", "waiting_for_instruction")
    assert site.text() == "base by ann\n"


def test_the_end_of_a_client_gives_its_files_back(tmp_path: Path, client: str) -> None:
    site = Site(tmp_path, client)
    with site.start("ann", *site.change("base", "base by ann")) as ann:
        ann.finish()
    assert (site.grants(), site.holder()) == (1, "")
    assert site.text() == "base by ann\n"


def test_a_client_that_is_killed_frees_its_files_at_once(tmp_path: Path, client: str) -> None:
    site = Site(tmp_path, client, files__on_contention="deny")
    with site.start("ann", *site.change("base", "base by ann"), site.pause(60)) as ann:
        ann.until_it_has_written()
        ann.kill_client()
    with site.start("bob", *site.change("base by ann", "base by bob")) as bob:
        bob.finish()
    assert site.text() == "base by bob\n"


def test_a_command_that_waited_does_not_write_its_old_content_over_the_new_file(tmp_path: Path, client: str) -> None:
    site = Site(tmp_path, client, files__retry_interval_secs="20")
    heard = heard_after_waiting(site, client, lambda: [site.run("cat > a.txt <<'EOF'\nbase by bob\nEOF")])
    assert "a.txt changed since you read it" in heard
    assert site.text() == "base by ann\n"


def test_a_command_of_a_client_that_began_before_the_change_is_refused_once(tmp_path: Path, client: str) -> None:
    site = Site(tmp_path, client)
    overwrite = site.run("cat > a.txt <<'EOF'\nbase by bob\nEOF")
    with site.start("bob", site.run("echo x > b.txt"), {**overwrite, "delay": 15}, overwrite) as bob:
        wait_until(lambda: site.grants() == 1)
        with site.start("ann", *site.change("base", "base by ann")) as ann:
            ann.finish()
        assert site.text() == "base by ann\n"
        heard = bob.finish()
    assert "a.txt may have changed since you read it: agent:" in heard
    assert site.text() == "base by bob\n"
