"""The real Gemini CLI and the real GitHub Copilot CLI at one file: free, held, waited for, given back, killed.

Their models are stand-ins on this machine: no account is needed, and nobody else is asked for anything.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.clients.gemini_model import GeminiModel
from tests.clients.harness import BEFORE, HELD, Site, rival_at
from tests.clients.messages_model import MessagesModel
from tests.clients.npm_clients import bare_environment, client_binary
from tests.clients.stand_in import StandIn, Step
from tests.gate.agent import Agent
from tests.gate.watch import holder_of, holders, records
from tests.surface.jitcli import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Self

PATIENCE_S = 120
OWNING = ("file.acquired", "wait.acquired")

pytestmark = [pytest.mark.clients, pytest.mark.timeout(300)]


@dataclass(frozen=True)
class Client:
    """A pinned client, how it is started, and its words for an edit and for a command."""

    name: str
    package: str
    version: str
    model: type[StandIn]
    words: tuple[str, ...]
    edit: Callable[[str, str, str], Step]
    create: Callable[[str, str], Step]
    shell: str


def _gemini_edit(path: str, old: str, new: str) -> Step:
    return Step("replace", {"file_path": path, "instruction": "change it", "old_string": old, "new_string": new})


def _gemini_create(path: str, text: str) -> Step:
    return Step("write_file", {"file_path": path, "content": text})


def _copilot_edit(path: str, old: str, new: str) -> Step:
    return Step("edit", {"path": path, "old_str": old, "new_str": new})


def _copilot_create(path: str, text: str) -> Step:
    return Step("create", {"path": path, "file_text": text})


GEMINI = Client(
    "gemini",
    "@google/gemini-cli",
    "0.61.0",
    GeminiModel,
    ("--yolo", "--skip-trust", "-m", "gemini-2.5-pro", "-p", "do it"),
    _gemini_edit,
    _gemini_create,
    "run_shell_command",
)
COPILOT = Client(
    "copilot",
    "@github/copilot",
    "1.0.102",
    MessagesModel,
    ("-p", "do it", "--allow-all-tools", "--allow-all-paths"),
    _copilot_edit,
    _copilot_create,
    "bash",
)


def _surroundings(client: Client, folder: Path, url: str) -> dict[str, str]:
    """An environment in which the client knows the stand-in, and nothing of whoever runs the tests."""
    env = bare_environment(folder / "home")
    if client is COPILOT:
        settings = {"TYPE": "anthropic", "BASE_URL": url, "API_KEY": "none"}
        provider = {f"COPILOT_PROVIDER_{name}": value for name, value in settings.items()}
        return {**env, **provider, "COPILOT_MODEL": "stand-in", "COPILOT_OFFLINE": "true", "COPILOT_ALLOW_ALL": "true"}
    return {**env, "GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url}


def _prepare(client: Client, home: Path) -> None:
    """Gemini wants to be told how it is authorized, beside the hooks that jit wrote, and tells its maker a lot."""
    if client is GEMINI:
        path = home / ".gemini/settings.json"
        auth = {"auth": {"selectedType": "gemini-api-key", "useExternal": True}}
        quiet = {"privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}}
        path.write_text(json.dumps({**json.loads(path.read_text()), "security": auth, **quiet}))


class Scene:
    """A repository in which jit is set up for a client, with a rival that may hold the file."""

    def __init__(self, folder: Path, client: Client, site: Site | None = None, **settings: str) -> None:
        self.site = site or Site(folder, client.name, **settings)
        self.repository, self.folder, self.client = self.site.repository, folder, client
        self.path = str(self.repository / "a.txt")
        _prepare(client, folder / "home")

    def start(self, *steps: Step) -> Run:
        return Run(self, steps)

    def rival(self) -> Agent:
        """A live agent that has changed the file and holds it."""
        return rival_at(self.site)

    def change(self, old: str, new: str) -> Step:
        return self.client.edit(self.path, old, new)

    def run(self, command: str) -> Step:
        return Step(self.client.shell, {"command": command, "description": "a command"})

    def grants(self) -> list[str]:
        """Who got the file, one after the other."""
        granted = [record["payload"] for record in records(self.repository) if record["event_type"] == "file.acquired"]
        return [payload["agent_id"] for payload in granted]

    def count(self) -> int:
        """How many files jit says are held."""
        return int(self.site.jit.ask("file", "list")["count"])


class Run:
    """One run of the client against a model that plays these steps."""

    def __init__(self, scene: Scene, steps: Sequence[Step]) -> None:
        binary = client_binary(scene.client.name, scene.client.package, scene.client.version)
        self.model, self.repository, self.log = scene.client.model(steps), scene.repository, scene.folder / "run.log"
        env = _surroundings(scene.client, scene.folder, self.model.url)
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [str(binary), *scene.client.words],
                cwd=scene.repository,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def __enter__(self) -> Self:
        self.model.__enter__()
        return self

    def __exit__(self, *_fault: object) -> None:
        """Whatever still runs of it is ended: the client and its hooks, some of which have a group of their own."""
        for pid in _session(self.process.pid):
            os.kill(pid, signal.SIGKILL)
        self.process.wait(PATIENCE_S)
        self.model.__exit__()

    def finish(self) -> str:
        """Wait for its end; everything that the model got back."""
        assert self.process.wait(PATIENCE_S) == 0, self.log.read_text()
        assert self.model.results, self.log.read_text()
        return "\n".join(self.model.heard())

    def kill_client(self) -> None:
        """`kill -9` of the process that the log names as the owner; its hooks and commands live on."""
        owners = [record["payload"] for record in records(self.repository) if record["event_type"] in OWNING]
        os.kill(owners[-1]["process"][2], signal.SIGKILL)
        self.process.wait(PATIENCE_S)

    def until_its_hooks_are_gone(self) -> None:
        wait_until(lambda: not _session(self.process.pid))


def _session(leader: int) -> list[int]:
    """All processes that were started by this one and did not begin a session of their own."""
    listed = subprocess.run(["ps", "-A", "-o", "pid="], capture_output=True, text=True, check=True).stdout.split()
    return [int(pid) for pid in listed if _session_id(int(pid)) == leader]


def _session_id(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return 0


@pytest.fixture(scope="session", params=[GEMINI, COPILOT], ids=lambda client: client.name)
def client(request: pytest.FixtureRequest) -> Client:
    """The client, from npm if it is not there yet."""
    wanted: Client = request.param
    client_binary(wanted.name, wanted.package, wanted.version)
    return wanted


def test_an_edit_of_a_free_file_is_leased_and_given_back_at_the_end(tmp_path: Path, client: Client) -> None:
    scene = Scene(tmp_path, client)
    with scene.start(scene.change("base", "base by the client")) as run:
        run.finish()
    assert scene.site.text() == "base by the client\n"
    (owner,) = scene.grants()
    assert owner.startswith(f"agent:{client.name}-")
    wait_until(lambda: not holders(scene.repository))
    assert scene.count() == 0


def test_an_edit_of_a_file_that_a_rival_holds_is_denied_and_the_model_reads_why(tmp_path: Path, client: Client) -> None:
    scene = Scene(tmp_path, client, files__on_contention="deny")
    with scene.rival(), scene.start(scene.change("base", "stolen")) as run:
        heard = run.finish()
        assert holder_of(scene.repository, "a.txt").startswith("rival")
    assert "a.txt is being changed by agent:" in heard
    assert "try this same edit again at" in heard
    assert scene.site.text() == HELD


def test_a_command_that_writes_to_a_file_that_a_rival_holds_is_denied(tmp_path: Path, client: Client) -> None:
    scene = Scene(tmp_path, client, files__on_contention="deny")
    with scene.rival(), scene.start(scene.run("echo x > a.txt")) as run:
        heard = run.finish()
    assert "a.txt is being changed by agent:" in heard
    assert scene.site.text() == HELD


def test_a_new_file_that_a_rival_is_about_to_write_is_not_created(tmp_path: Path, client: Client) -> None:
    scene = Scene(tmp_path, client, files__on_contention="deny")
    new = scene.repository / "new.txt"
    with scene.rival() as rival:
        assert rival.ask("new.txt").denied == ""
        with scene.start(client.create(str(new), "mine\n")) as run:
            heard = run.finish()
    assert "new.txt is being changed by agent:" in heard
    assert not new.exists()


def test_a_command_that_writes_to_a_free_file_is_leased_too(tmp_path: Path, client: Client) -> None:
    scene = Scene(tmp_path, client)
    with scene.start(scene.run("echo x > a.txt")) as run:
        run.finish()
    assert scene.site.text() == "x\n"
    assert [owner.startswith(f"agent:{client.name}-") for owner in scene.grants()] == [True]
    wait_until(lambda: scene.count() == 0)


def test_a_client_that_waits_for_a_rival_sees_only_a_slow_edit(tmp_path: Path, client: Client) -> None:
    scene = Scene(tmp_path, client, files__retry_interval_secs="5")
    with scene.rival() as rival, scene.start(scene.change("rival", "rival and the client")) as run:
        wait_until(lambda: scene.site.phases() == ["waiting"])
        assert scene.site.text() == HELD
        rival.kill()
        heard = run.finish()
    assert "being changed" not in heard
    assert scene.site.text() == "base by the rival and the client\n"
    assert scene.count() == 0


def test_still_held_at_the_retry_the_client_is_told_to_stop(tmp_path: Path, client: Client) -> None:
    scene = Scene(tmp_path, client, files__retry_interval_secs="1")
    with scene.rival(), scene.start(scene.change("rival", "thief")) as run:
        heard = run.finish()
    assert "Stop this task" in heard
    assert scene.site.phases()[:2] == ["waiting", "blocked"]
    assert scene.site.text() == HELD


def test_a_client_that_is_killed_while_it_waits_gets_nothing(tmp_path: Path, client: Client) -> None:
    scene = Scene(tmp_path, client, files__retry_interval_secs="5")
    with scene.rival() as rival, scene.start(scene.change("rival", "thief")) as run:
        wait_until(lambda: scene.site.phases() == ["waiting"])
        run.kill_client()
        rival.kill()
        run.until_its_hooks_are_gone()
    assert scene.grants() == ["agent:claude-rival"]
    assert scene.site.text() == HELD
    assert scene.count() == 0


def test_a_client_that_is_killed_frees_its_files_at_once(tmp_path: Path, client: Client) -> None:
    scene = Scene(tmp_path, client, files__on_contention="deny")
    with scene.start(scene.change("base", "base by the dead"), Step(text="at last", pause_s=60)) as run:
        wait_until(lambda: scene.site.text() != BEFORE)
        run.kill_client()
        with Agent(scene.repository, "heir", env={"HOME": str(tmp_path / "home")}) as heir:
            assert heir.write("a.txt", "base by the heir\n") == ""
    assert scene.site.text() == "base by the heir\n"
