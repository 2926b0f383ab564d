"""The real Qwen Code and the real opencode at one file, with a stand-in for their model: granted, denied, waiting."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.clients.harness import HELD, Site, rival_at
from tests.clients.npm_clients import bare_environment, client_binary, node_binary
from tests.clients.openai_model import NAME, Model
from tests.clients.stand_in import Step
from tests.gate.watch import records
from tests.surface.jitcli import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.clients, pytest.mark.timeout(300)]

PATIENCE_S = 120
QUIET = {
    "qwen": {
        "QWEN_USAGE_STATISTICS_ENABLED": "false",
        "QWEN_CODE_SKIP_UPDATE_CHECK_ONCE": "true",
        "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1",
    },
    "opencode": {
        "OPENCODE_DISABLE_MODELS_FETCH": "true",
        "OPENCODE_DISABLE_AUTOUPDATE": "true",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "true",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "true",
        "npm_config_offline": "true",  # at each start in a new home it would fetch types for its plugins
    },
}


@dataclass(frozen=True)
class Client:
    """One of the two, installed."""

    name: str
    words: tuple[str, ...]

    def environment(self, home: Path, url: str) -> dict[str, str]:
        """Its only model is the stand-in, and it asks nobody else for anything."""
        quiet = bare_environment(home, **QUIET[self.name])
        if self.name == "qwen":
            return {**quiet, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none", "OPENAI_MODEL": NAME}
        options = {"baseURL": url, "apiKey": "none"}
        provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {NAME: {}}}
        config = {"provider": {"local": provider}, "model": f"local/{NAME}", "share": "disabled"}
        return {**quiet, "OPENCODE_CONFIG_CONTENT": json.dumps(config)}

    def edit(self, path: Path, old: str, new: str) -> tuple[Step, Step]:
        """Read a file and change it, in the words of the client's tools."""
        if self.name == "qwen":
            edit = {"file_path": str(path), "old_string": old, "new_string": new}
            return Step("read_file", {"file_path": str(path)}), Step("edit", edit)
        change = {"filePath": str(path), "oldString": old, "newString": new}
        return Step("read", {"filePath": str(path)}), Step("edit", change)

    def shell(self, command: str) -> Step:
        if self.name == "qwen":
            return Step("run_shell_command", {"command": command, "description": "write", "is_background": False})
        return Step("bash", {"command": command, "description": "write"})


@pytest.fixture(scope="session", params=["qwen", "opencode"])
def client(request: pytest.FixtureRequest) -> Client:
    return installed(request.param)


def installed(name: str) -> Client:
    """The client, from npm if it is not there yet."""
    if name == "opencode":
        return Client("opencode", (str(client_binary("opencode", "opencode-ai", "1.18.33")), "run", "do it"))
    program = client_binary("qwen", "@qwen-code/qwen-code", "0.24.4")
    options = ("--yolo", "--auth-type", "openai", "-p", "do it")
    return Client("qwen", (str(node_binary(22)), str(program), *options))


@contextmanager
def running(client: Client, site: Site, model: Model) -> Iterator[subprocess.Popen[bytes]]:
    """The client at work. Whatever still runs of it at the end is ended: itself, its hooks and its shells."""
    env = client.environment(site.folder / "home", model.url)
    with (site.folder / "client.log").open("wb") as log:
        process = subprocess.Popen(
            client.words,
            cwd=site.repository,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait(PATIENCE_S)


def finish(process: subprocess.Popen[bytes], site: Site, model: Model) -> list[str]:
    """Wait for the end of the client; what its model got back, a result for each step that it played."""
    assert process.wait(PATIENCE_S) == 0, (site.folder / "client.log").read_text()
    heard = model.heard()
    assert len(heard) == len(model.steps), (heard, model.offered)
    return heard


def play(client: Client, site: Site, *steps: Step) -> list[str]:
    """Run the client from start to end."""
    with Model(*steps) as model, running(client, site, model) as process:
        return finish(process, site, model)


def takers(site: Site) -> list[str]:
    """Whom a file was leased to, one after the other."""
    return [one["payload"]["agent_id"] for one in records(site.repository) if one["event_type"] == "file.acquired"]


def test_an_edit_of_a_free_file_happens_and_leaves_nothing_held(tmp_path: Path, client: Client) -> None:
    site = Site(tmp_path, client.name)
    play(client, site, *client.edit(site.repository / "a.txt", "base", "base by a client"))
    assert site.text() == "base by a client\n"
    (taker,) = takers(site)
    assert taker.startswith(f"agent:{client.name}-")
    assert site.jit.ask("file", "list")["count"] == 0
    if client.name == "opencode":  # the other says nothing at its end: its death freed the file
        assert site.holder() == ""


def test_an_edit_of_a_held_file_is_denied_and_the_model_reads_why(tmp_path: Path, client: Client) -> None:
    site = Site(tmp_path, client.name, files__on_contention="deny")
    with rival_at(site):
        _, heard = play(client, site, *client.edit(site.repository / "a.txt", "base", "base by a client"))
        assert "a.txt is being changed by agent:claude-rival" in heard
        assert "try this same edit again at" in heard
    assert site.text() == HELD


def test_a_shell_command_that_writes_to_a_held_file_is_denied(tmp_path: Path, client: Client) -> None:
    site = Site(tmp_path, client.name, files__on_contention="deny")
    with rival_at(site):
        (heard,) = play(client, site, client.shell("echo x > a.txt"))
    assert "a.txt is being changed by agent:claude-rival" in heard
    assert site.text() == HELD


def test_a_shell_command_that_writes_to_a_free_file_runs(tmp_path: Path, client: Client) -> None:
    site = Site(tmp_path, client.name, files__on_contention="deny")
    (heard,) = play(client, site, client.shell("echo x > a.txt"))
    assert "is being changed" not in heard
    assert site.text() == "x\n"
    assert takers(site)[0].startswith(f"agent:{client.name}-")


def test_a_client_that_waits_sees_only_a_slow_edit(tmp_path: Path, client: Client) -> None:
    site = Site(tmp_path, client.name, files__retry_interval_secs="10")
    steps = client.edit(site.repository / "a.txt", "by the rival", "by the rival and a client")
    with rival_at(site) as rival, Model(*steps) as model, running(client, site, model) as process:
        wait_until(lambda: site.phases() == ["waiting"])
        assert (site.text(), len(model.heard())) == (HELD, 1)
        rival.tell("SessionEnd")
        heard = finish(process, site, model)
    assert not any("being changed" in words for words in heard)
    assert site.text() == "base by the rival and a client\n"
    assert [one.partition("-")[0] for one in takers(site)] == ["agent:claude", f"agent:{client.name}"]


def test_still_held_at_the_retry_the_client_is_told_to_stop(tmp_path: Path, client: Client) -> None:
    site = Site(tmp_path, client.name, files__retry_interval_secs="1")
    with rival_at(site):
        _, heard = play(client, site, *client.edit(site.repository / "a.txt", "base", "base by a client"))
        assert site.phases()[:2] == ["waiting", "blocked"]
    assert "Stop this task" in heard
    assert site.text() == HELD


def test_a_client_that_is_killed_while_it_waits_never_gets_the_file(tmp_path: Path, client: Client) -> None:
    site = Site(tmp_path, client.name, files__retry_interval_secs="3")
    steps = client.edit(site.repository / "a.txt", "by the rival", "by the rival and a client")
    with rival_at(site) as rival, Model(*steps) as model, running(client, site, model):
        wait_until(lambda: site.phases() == ["waiting"])
        (wait,) = [one for one in records(site.repository) if one["event_type"] == "wait.acquired"]
        os.kill(wait["payload"]["process"][2], signal.SIGKILL)
        rival.tell("SessionEnd")
        time.sleep(5)
    assert takers(site) == ["agent:claude-rival"]
    assert site.text() == HELD
    assert site.jit.ask("file", "list")["count"] == 0
