"""Real clients whose model writes with the file tools of an MCP server: leased, denied, and told why.

The server is a tiny one of our own, which each client starts as its settings say. The rest is as in the tests of the
clients' own tools.
"""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

from tests.clients import test_cline as one_cline
from tests.clients import test_gemini_and_copilot as gemini_and_copilot
from tests.clients import test_qwen_and_opencode as qwen_and_opencode
from tests.clients.harness import HELD, WANTED, Site, is_there, rival_at
from tests.clients.npm_clients import client_binary
from tests.clients.openai_model import Model
from tests.clients.stand_in import Step
from tests.gate.watch import records
from tests.surface.jitcli import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.clients, pytest.mark.timeout(300)]

COMMAND = [sys.executable, str(Path(__file__).with_name("mcp_server.py"))]
SERVER = {"command": COMMAND[0], "args": COMMAND[1:]}
DENIED = "a.txt is being changed by agent:claude-rival"


def put(site: Site, name: str, settings: dict[str, Any]) -> None:
    """Add to a file of settings in the home; what jit wrote there stays."""
    path = site.folder / "home" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    known = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**known, **settings}))


def play_claude(site: Site, tool: str, arguments: dict[str, Any]) -> str:
    put(site, ".claude/.claude.json", {"mcpServers": {"files": {"type": "stdio", **SERVER}}})
    with site.start("ann", {"tool": f"mcp__files__{tool}", "input": arguments}) as run:
        return run.finish()


def play_codex(site: Site, tool: str, arguments: dict[str, Any]) -> str:
    """It knows the tools of a server by their own names, in a space of their own."""
    settings = f"[mcp_servers.files]\ncommand = {json.dumps(COMMAND[0])}\nargs = {json.dumps(COMMAND[1:])}\n"
    step = {"tool": tool, "namespace": "mcp__files", "input": arguments}
    with mock.patch.dict(os.environ, EXTRA_TOML=settings), site.start("ann", step) as run:
        return run.finish()


def play_gemini(site: Site, tool: str, arguments: dict[str, Any]) -> str:
    put(site, ".gemini/settings.json", {"mcpServers": {"files": SERVER}})
    return play_one_of_two(gemini_and_copilot.GEMINI, site, Step(f"mcp_files_{tool}", arguments))


def play_copilot(site: Site, tool: str, arguments: dict[str, Any]) -> str:
    put(site, ".copilot/mcp-config.json", {"mcpServers": {"files": {"type": "local", **SERVER, "tools": ["*"]}}})
    return play_one_of_two(gemini_and_copilot.COPILOT, site, Step(f"files-{tool}", arguments))


def play_one_of_two(client: gemini_and_copilot.Client, site: Site, step: Step) -> str:
    with gemini_and_copilot.Scene(site.folder, client, site).start(step) as run:
        return run.finish()


def play_qwen(site: Site, tool: str, arguments: dict[str, Any]) -> str:
    put(site, ".qwen/settings.json", {"mcpServers": {"files": SERVER}})
    step = Step(f"mcp__files__{tool}", arguments)
    return "\n".join(qwen_and_opencode.play(qwen_and_opencode.installed("qwen"), site, step))


def play_opencode(site: Site, tool: str, arguments: dict[str, Any]) -> str:
    put(site, ".config/opencode/opencode.json", {"mcp": {"files": {"type": "local", "command": COMMAND}}})
    step = Step(f"files_{tool}", arguments)
    return "\n".join(qwen_and_opencode.play(qwen_and_opencode.installed("opencode"), site, step))


def play_cline(site: Site, tool: str, arguments: dict[str, Any]) -> str:
    """Its model hears nothing of a denial; the word for the end of the run stands in for that."""
    put(site, ".cline/data/settings/cline_mcp_settings.json", {"mcpServers": {"files": SERVER}})
    program = str(client_binary("cline", "cline", "3.0.65"))
    step = Step(f"files__{tool}", arguments)
    with Model(step) as model, one_cline.running(program, site, model) as process:
        ending = one_cline.finish(process, site)
        assert model.heard() == [] if ending == "aborted" else len(model.heard()) == 1
    return DENIED if ending == "aborted" else ending


PLAYERS: dict[str, Callable[[Site, str, dict[str, Any]], str]] = {
    "claude": play_claude,
    "codex": play_codex,
    "gemini": play_gemini,
    "qwen": play_qwen,
    "opencode": play_opencode,
    "copilot": play_copilot,
    "cline": play_cline,
}


@pytest.fixture(params=PLAYERS)
def name(request: pytest.FixtureRequest) -> str:
    wanted: str = request.param
    if wanted in ("claude", "codex") and not is_there():
        pytest.skip(WANTED)
    return wanted


def path_of(site: Site) -> str:
    return str(site.repository / "a.txt")


def takers(site: Site) -> list[str]:
    """Whom a file was leased to, one after the other."""
    return [one["payload"]["agent_id"] for one in records(site.repository) if one["event_type"] == "file.acquired"]


def test_a_free_file_is_leased_before_the_server_writes_it(tmp_path: Path, name: str) -> None:
    site = Site(tmp_path, name)
    heard = PLAYERS[name](site, "write_file", {"path": path_of(site), "content": "base by a server\n"})
    assert "being changed" not in heard
    assert site.text() == "base by a server\n"
    (taker,) = takers(site)
    assert taker.startswith(f"agent:{name}-")
    assert site.jit.ask("file", "list")["count"] == 0


@pytest.mark.parametrize("tool", ["write_file", "edit_file"])
def test_a_file_that_a_rival_holds_is_not_touched_and_the_model_reads_why(tmp_path: Path, name: str, tool: str) -> None:
    site = Site(tmp_path, name, files__on_contention="deny")
    edits = [{"oldText": "base", "newText": "stolen"}]
    more = {"content": "stolen\n"} if tool == "write_file" else {"edits": edits}
    with rival_at(site):
        heard = PLAYERS[name](site, tool, {"path": path_of(site), **more})
    assert DENIED in heard
    assert site.text() == HELD
    assert takers(site) == ["agent:claude-rival"]


def test_an_edit_waits_for_a_rival_and_is_made_in_what_it_left(tmp_path: Path, name: str) -> None:
    site = Site(tmp_path, name, files__retry_interval_secs="5")
    arguments = {"path": path_of(site), "edits": [{"oldText": "rival", "newText": "rival and a server"}]}
    with rival_at(site) as rival, ThreadPoolExecutor() as pool:
        told = pool.submit(PLAYERS[name], site, "edit_file", arguments)
        wait_until(lambda: site.phases() == ["waiting"] or told.done())
        assert (site.text(), told.done()) == (HELD, False)
        rival.kill()
        assert "being changed" not in told.result()
    assert site.text() == "base by the rival and a server\n"


def test_a_tool_of_the_server_that_only_reads_leases_nothing(tmp_path: Path, name: str) -> None:
    site = Site(tmp_path, name, files__on_contention="deny")
    with rival_at(site):
        heard = PLAYERS[name](site, "read_file", {"path": path_of(site)})
    assert "being changed" not in heard
    assert takers(site) == ["agent:claude-rival"]
