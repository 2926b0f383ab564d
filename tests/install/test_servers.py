"""`jit setup` for the tools of MCP servers: entries of their own, over an older installation too, and gone again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from jit.hooks.clients import client as module_of
from tests.install.ground import tree
from tests.install.test_clients import FILES, foreign, put

if TYPE_CHECKING:
    from tests.install.ground import Person

pytestmark = pytest.mark.surface


def test_around_a_call_there_is_an_entry_for_the_clients_own_tools_and_one_for_mcp_servers(person: Person) -> None:
    for client in FILES:
        person.run("setup", client)
        hooks = json.loads((person.home / FILES[client]).read_text("utf-8"))["hooks"]
        wanted = module_of(client).events()
        assert [(event, entry.get("matcher", "")) for event, entries in hooks.items() for entry in entries] == sorted(
            ((hook.event, hook.matcher) for hook in wanted), key=lambda one: list(hooks).index(one[0])
        )
        assert [len(entries) for entries in hooks.values()].count(2) >= 2


@pytest.mark.parametrize("client", FILES)
def test_over_an_older_installation_the_entries_for_mcp_servers_come_and_all_else_stays(
    person: Person, client: str
) -> None:
    """An older jit had one entry for each event, with the same matcher, and its record of what was there before."""
    text = json.dumps(foreign(client), indent=2) + "\n"
    path = put(person, client, text)
    person.run("setup", client)
    now = json.loads(path.read_text("utf-8"))
    older = {**now, "hooks": {event: without_servers(entries) for event, entries in now["hooks"].items()}}
    path.write_text(json.dumps(older, indent=2) + "\n", "utf-8")
    assert older != now
    person.run("setup", client)
    assert json.loads(path.read_text("utf-8")) == now
    person.run("uninstall")
    assert path.read_text("utf-8") == text


def without_servers(entries: list[dict[str, object]]) -> list[dict[str, object]]:
    return [entry for entry in entries if "(" not in str(entry.get("matcher", ""))]


def test_an_older_plugin_is_replaced_by_one_that_knows_mcp_servers(person: Person) -> None:
    before = tree(person.home)
    person.run("setup", "opencode")
    path = person.home / ".config/opencode/plugin/jit.js"
    now = path.read_text("utf-8")
    path.write_text("".join(line for line in now.splitlines(keepends=True) if "MCP" not in line), "utf-8")
    person.run("setup", "opencode")
    assert path.read_text("utf-8") == now
    person.run("uninstall")
    assert tree(person.home) == before
