"""Trust in Codex: the hash is the one Codex computes, only our hooks get it, and only when somebody asks."""

from __future__ import annotations

import hashlib
import json
import tomllib
from typing import TYPE_CHECKING

import pytest

from jit.errors import ConfigError
from jit.install.trust import MARK, hash_of
from tests.install.ground import Person, tree

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.surface

CONFIG = """\
# my codex
model = "gpt-5.5" # the large one

[projects."/srv/repo"]
trust_level = "trusted"

[[hooks.PreToolUse]]
matcher = "Bash"
hooks = [{ type = "command", command = "lint" }]

[hooks.state."/srv/hooks.json:stop:0:0"]
trusted_hash = "sha256:theirs"
"""
# What Codex hashes for some definitions, written out.
KNOWN = [
    (
        ("PreToolUse", "a|B", {"type": "command", "command": "/h", "timeout": 9}),
        '{"event_name":"pre_tool_use","hooks":[{"async":false,"command":"/h","timeout":9,"type":"command"}],"matcher":"a|B"}',
    ),
    (
        ("Stop", "ignored", {"type": "command", "command": "h", "statusMessage": "…"}),
        '{"event_name":"stop","hooks":[{"async":false,"command":"h","statusMessage":"…","timeout":600,"type":"command"}]}',
    ),
    (
        ("SessionEnd", None, {"type": "command", "command": "h", "timeout": 60}),
        '{"event_name":"session_end","hooks":[{"async":false,"command":"h","timeout":3,"type":"command"}]}',
    ),
]


@pytest.mark.parametrize(("hook", "definition"), KNOWN)
def test_the_hash_is_of_the_whole_definition_with_its_defaults(
    hook: tuple[str, str | None, dict[str, object]], definition: str
) -> None:
    assert hash_of(*hook) == "sha256:" + hashlib.sha256(definition.encode()).hexdigest()


def config_of(person: Person) -> Path:
    folder = person.home / ".codex"
    folder.mkdir(exist_ok=True)
    return folder / "config.toml"


def states(path: Path) -> dict[str, dict[str, str]]:
    found = tomllib.loads(path.read_text("utf-8"))["hooks"]["state"]
    assert isinstance(found, dict)
    return found


def test_without_consent_nothing_is_trusted_and_that_is_said(person: Person) -> None:
    answer = person.run("setup", "codex")
    assert answer["trusted"] is False
    assert any("Codex skips hooks that nobody trusted" in note for note in answer["notes"])  # type: ignore[attr-defined]
    assert not config_of(person).exists()


def test_with_consent_each_of_our_hooks_is_trusted_where_it_stands(person: Person) -> None:
    hooks = person.home / ".codex/hooks.json"
    hooks.parent.mkdir()
    hooks.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}), "utf-8")
    config_of(person).write_text(CONFIG, "utf-8")
    answer = person.run("setup", "codex", "--trust")
    assert answer["trusted"] is True
    found = states(config_of(person))
    document = json.loads(hooks.read_text("utf-8"))["hooks"]
    group = document["Stop"][1]
    assert found[f"{hooks}:stop:1:0"] == {"trusted_hash": hash_of("Stop", None, group["hooks"][0])}
    for at, group in enumerate(document["PreToolUse"]):
        hashed = hash_of("PreToolUse", group["matcher"], group["hooks"][0])
        assert found[f"{hooks}:pre_tool_use:{at}:0"] == {"trusted_hash": hashed}
    assert f"{hooks}:stop:0:0" not in found
    groups = [group for event in document.values() for group in event]
    assert len(groups) == len(document) + 3  # somebody else's, and two for MCP servers
    assert len(found) == len(groups)  # theirs is trusted in the configuration, but not in this file
    assert config_of(person).read_text("utf-8").startswith(CONFIG)


def test_trust_given_twice_changes_nothing_and_goes_without_a_trace(person: Person) -> None:
    config_of(person).write_text(CONFIG, "utf-8")
    config_of(person).chmod(0o600)
    before = tree(person.home)
    person.run("setup", "codex", "--trust")
    once = tree(person.home)
    person.run("setup", "codex", "--trust")
    assert tree(person.home) == once
    person.run("uninstall")
    assert tree(person.home) == before


def test_what_codex_wrote_since_stays_when_our_trust_goes(person: Person) -> None:
    path = config_of(person)
    path.write_text(CONFIG, "utf-8")
    person.run("setup", "codex", "--trust")
    path.write_text(path.read_text("utf-8") + '\n[projects."/new"]\ntrust_level = "trusted"\n', "utf-8")
    person.run("uninstall")
    assert path.read_text("utf-8") == CONFIG + '\n[projects."/new"]\ntrust_level = "trusted"\n'


def test_a_renewed_command_is_reported_as_untrusted_until_it_is_trusted_again(person: Person) -> None:
    person.run("setup", "codex", "--trust")
    hooks = person.home / ".codex/hooks.json"
    hooks.write_text(hooks.read_text("utf-8").replace('"timeout": 900', '"timeout": 5'), "utf-8")
    path = config_of(person)
    old = path.read_text("utf-8")
    path.write_text(old.replace("sha256:", "sha256:0"), "utf-8")
    assert person.run("setup", "codex")["trusted"] is False
    assert person.run("setup", "codex", "--trust")["trusted"] is True
    assert path.read_text("utf-8") == old


def test_a_group_that_is_new_since_then_is_untrusted_until_it_is_trusted_too(person: Person) -> None:
    person.run("setup", "codex", "--trust")
    hooks, path = person.home / ".codex/hooks.json", config_of(person)
    document, trusted = json.loads(hooks.read_text("utf-8")), states(path)
    older = {event: groups[:1] for event, groups in document["hooks"].items()}
    hooks.write_text(json.dumps({"hooks": older}, indent=2), "utf-8")
    blocks = path.read_text("utf-8").split(MARK)
    path.write_text("".join(f"{MARK}{block}" for block in blocks if ':0:0"' in block), "utf-8")
    assert len(states(path)) == len(trusted) - 2
    assert person.run("setup", "codex")["trusted"] is False
    assert json.loads(hooks.read_text("utf-8")) == document
    assert person.run("setup", "codex", "--trust")["trusted"] is True
    assert states(path) == trusted
    person.run("uninstall")
    assert not tree(person.home)


def test_trust_that_somebody_gave_an_older_hook_is_renewed_in_its_place(person: Person) -> None:
    key = f"{person.home}/.codex/hooks.json:stop:0:0"
    path = config_of(person)
    path.write_text(f'[hooks.state."{key}"] # mine\ntrusted_hash = "sha256:old" # by hand\n', "utf-8")
    assert person.run("setup", "codex", "--trust")["trusted"] is True
    text = path.read_text("utf-8")
    assert "# mine" in text
    assert "# by hand" in text
    assert "sha256:old" not in text


def test_trust_in_a_repository_and_at_home_live_side_by_side(person: Person, repository: Path) -> None:
    before = tree(repository)
    person.folder = repository
    person.run("setup", "codex", "--trust")
    assert person.run("setup", "codex", "--trust", "--project")["trusted"] is True
    assert person.run("setup", "codex")["trusted"] is True
    assert {key.rpartition("/.codex/")[0] for key in states(config_of(person))} == {str(person.home), str(repository)}
    person.run("uninstall")
    assert not tree(person.home)
    assert tree(repository) == before


def test_a_home_that_is_a_link_is_trusted_under_its_real_name(person: Person) -> None:
    real = person.home / "real"
    real.mkdir()
    (person.home / "link").symlink_to(real)
    person.environ["CODEX_HOME"] = str(person.home / "link")
    person.run("setup", "codex", "--trust")
    assert all(key.startswith(f"{real}/hooks.json:") for key in states(real / "config.toml"))


@pytest.mark.parametrize(
    ("text", "words"),
    [("model = ", "is not TOML"), ("hooks = { a = 1 }\n", "cannot be edited safely"), ("hooks = 1\n", "edited safely")],
)
def test_a_configuration_that_cannot_be_edited_stops_everything(person: Person, text: str, words: str) -> None:
    config_of(person).write_text(text, "utf-8")
    before = tree(person.home)
    with pytest.raises(ConfigError, match=words):
        person.run("setup", "codex", "--trust")
    assert tree(person.home) == before
