"""The real Cline at one file, with a stand-in for its model: granted, cancelled, waiting, killed.

Cline has no word for "no" that leaves the run alive: at a file that is held its run ends, and its model hears nothing.
It is run in one process. Left to itself, it would start a daemon that outlives it and that runs all later sessions.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.clients.harness import BEFORE, HELD, Site, rival_at
from tests.clients.npm_clients import bare_environment, client_binary
from tests.clients.openai_model import NAME, Model
from tests.clients.stand_in import Step
from tests.gate.agent import Agent
from tests.gate.watch import records
from tests.surface.jitcli import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.clients, pytest.mark.timeout(300)]

PATIENCE_S = 120
PROVIDER = "openai-compatible"
QUIET = {"CLINE_SESSION_BACKEND_MODE": "local", "CLINE_NO_AUTO_UPDATE": "1", "DO_NOT_TRACK": "1"}


@pytest.fixture(scope="session")
def cline() -> str:
    """The program, from npm if it is not there yet."""
    return str(client_binary("cline", "cline", "3.0.65"))


@contextmanager
def running(cline: str, site: Site, model: Model) -> Iterator[subprocess.Popen[bytes]]:
    """Cline at work. Whatever still runs of it at the end is ended, its hooks too."""
    _configure(site.folder / "home/.cline/data/settings", model.url)
    with (site.folder / "client.jsonl").open("wb") as log:
        process = subprocess.Popen(
            [cline, "--provider", PROVIDER, "--model", NAME, "--key", "none", "--json", "do it"],
            cwd=site.repository,
            env=bare_environment(site.folder / "home", **QUIET),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if is_group(process.pid):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE_S)


def _configure(folder: Path, url: str) -> None:
    """Its only model is the stand-in, and it reports to nobody."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "global-settings.json").write_text(json.dumps({"telemetryOptOut": True, "autoUpdateEnabled": False}))
    settings = {"provider": PROVIDER, "apiKey": "none", "model": NAME, "baseUrl": url}
    known = {PROVIDER: {"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}}
    whole = {"version": 1, "lastUsedProvider": PROVIDER, "modes": {}, "providers": known}
    (folder / "providers.json").write_text(json.dumps(whole))


def is_group(pid: int) -> bool:
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return False
    return True


def finish(process: subprocess.Popen[bytes], site: Site) -> str:
    """Wait for the end of Cline; how its run ended, in its own word."""
    log = site.folder / "client.jsonl"
    assert process.wait(PATIENCE_S) == 0, log.read_text()
    told = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    (result,) = [event for event in told if event["type"] == "run_result"]
    return str(result["finishReason"])


def edit(site: Site, old: str, new: str) -> Step:
    return Step("editor", {"path": str(site.repository / "a.txt"), "old_text": old, "new_text": new})


def takers(site: Site) -> list[str]:
    """Whom a file was leased to, one after the other."""
    return [one["payload"]["agent_id"] for one in records(site.repository) if one["event_type"] == "file.acquired"]


def test_an_edit_of_a_free_file_happens_and_leaves_nothing_held(tmp_path: Path, cline: str) -> None:
    site = Site(tmp_path, "cline")
    with Model(edit(site, "base", "base by cline")) as model, running(cline, site, model) as process:
        assert finish(process, site) == "completed"
    assert site.text() == "base by cline\n"
    (taker,) = takers(site)
    assert taker.startswith("agent:cline-")
    assert site.jit.ask("file", "list")["count"] == 0


def test_a_shell_command_that_writes_to_a_free_file_is_leased_too(tmp_path: Path, cline: str) -> None:
    site = Site(tmp_path, "cline")
    step = Step("run_commands", {"commands": ["echo x > a.txt"]})
    with Model(step) as model, running(cline, site, model) as process:
        assert finish(process, site) == "completed"
    assert site.text() == "x\n"
    assert [taker.startswith("agent:cline-") for taker in takers(site)] == [True]
    assert site.jit.ask("file", "list")["count"] == 0


def test_an_edit_of_a_held_file_ends_the_run_and_changes_nothing(tmp_path: Path, cline: str) -> None:
    site = Site(tmp_path, "cline", files__on_contention="deny")
    with rival_at(site), Model(edit(site, "base", "stolen")) as model, running(cline, site, model) as process:
        assert finish(process, site) == "aborted"
        assert (model.heard(), site.text()) == ([], HELD)
    assert takers(site) == ["agent:claude-rival"]


def test_a_shell_command_that_writes_to_a_held_file_ends_the_run_too(tmp_path: Path, cline: str) -> None:
    site = Site(tmp_path, "cline", files__on_contention="deny")
    step = Step("run_commands", {"commands": ["true", "echo x > a.txt"]})
    with rival_at(site), Model(step) as model, running(cline, site, model) as process:
        assert finish(process, site) == "aborted"
        assert (model.heard(), site.text()) == ([], HELD)
    assert takers(site) == ["agent:claude-rival"]


def test_cline_waits_for_a_rival_and_its_model_sees_only_a_slow_edit(tmp_path: Path, cline: str) -> None:
    site = Site(tmp_path, "cline", files__retry_interval_secs="5")
    step = edit(site, "by the rival", "by the rival and cline")
    with rival_at(site) as rival, Model(step) as model, running(cline, site, model) as process:
        wait_until(lambda: site.phases() == ["waiting"])
        assert (site.text(), model.heard()) == (HELD, [])
        rival.kill()
        assert finish(process, site) == "completed"
        (heard,) = model.heard()
    assert "being changed" not in heard
    assert site.text() == "base by the rival and cline\n"


def test_still_held_at_the_retry_the_run_ends(tmp_path: Path, cline: str) -> None:
    site = Site(tmp_path, "cline", files__retry_interval_secs="1")
    with rival_at(site), Model(edit(site, "base", "stolen")) as model, running(cline, site, model) as process:
        assert finish(process, site) == "aborted"
        assert site.phases()[:2] == ["waiting", "blocked"]
    assert site.text() == HELD


def test_cline_killed_while_it_waits_gets_nothing(tmp_path: Path, cline: str) -> None:
    site = Site(tmp_path, "cline", files__retry_interval_secs="5")
    with rival_at(site) as rival, Model(edit(site, "base", "stolen")) as model, running(cline, site, model) as process:
        wait_until(lambda: site.phases() == ["waiting"])
        process.kill()
        process.wait(PATIENCE_S)
        rival.kill()
        wait_until(lambda: not is_group(process.pid))
    assert takers(site) == ["agent:claude-rival"]
    assert (site.text(), site.jit.ask("file", "list")["count"]) == (HELD, 0)


def test_cline_killed_after_its_edit_frees_the_file_at_once(tmp_path: Path, cline: str) -> None:
    site = Site(tmp_path, "cline", files__on_contention="deny")
    with Model(edit(site, "base", "base by cline")) as model, running(cline, site, model) as process:
        wait_until(lambda: site.text() != BEFORE)
        process.kill()
        process.wait(PATIENCE_S)
        with Agent(site.repository, "heir", env={"HOME": str(tmp_path / "home")}) as heir:
            assert heir.write("a.txt", "base by the heir\n") == ""
    assert site.text() == "base by the heir\n"


def test_with_the_usual_settings_it_waits_as_long_as_it_may(tmp_path: Path, cline: str) -> None:
    site = Site(tmp_path, "cline")
    with rival_at(site) as rival, Model(edit(site, "base", "base")) as model, running(cline, site, model) as process:
        wait_until(lambda: site.phases()[:1] == ["waiting"])
        rival.kill()
        assert finish(process, site) == "completed"
