"""`jit setup` and `jit uninstall` in a home of their own: each client gets what it reads, and every file comes back."""

from __future__ import annotations

import json
import shlex
import stat
import sys
from pathlib import Path

import pytest

import jit
from jit.errors import ConfigError, Unavailable
from tests.install.ground import Person, tree, without_comments

pytestmark = pytest.mark.surface

ENTRY = Path(jit.__file__).parent / "hooks" / "entry.py"
FILES = {
    "claude": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "copilot": ".copilot/hooks/jit.json",
    "qwen": ".qwen/settings.json",
    "cursor": ".cursor/hooks.json",
}
PROJECT = {
    "claude": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "copilot": ".github/hooks/jit.json",
    "qwen": ".qwen/settings.json",
    "cursor": ".cursor/hooks.json",
    "opencode": ".opencode/plugin/jit.js",
    "cline": ".clinerules/hooks/PreToolUse",
}
# The event before a write, where the command stands, and the timeout of 15 minutes in the client's own unit.
BEFORE = {
    "claude": ("PreToolUse", "command", "timeout", 900),
    "codex": ("PreToolUse", "command", "timeout", 900),
    "gemini": ("BeforeTool", "command", "timeout", 900_000),
    "copilot": ("preToolUse", "bash", "timeoutSec", 900),
    "qwen": ("PreToolUse", "command", "timeout", 900),
    "cursor": ("preToolUse", "command", "timeout", 900),
}
NESTED = ("claude", "codex", "gemini", "qwen")


def foreign(client: str) -> dict[str, object]:
    """What somebody else had in this file."""
    event, command, _, _ = BEFORE[client]
    handler = {command: "lint --fix", "timeout": 5}
    entry = {"matcher": "Other", "hooks": [handler]} if client in NESTED else handler
    return {"theirs": {"z": 1, "a": "ü"}, "hooks": {event: [entry], "Notification": []}}


def put(person: Person, client: str, text: str) -> Path:
    path = person.home / FILES[client]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def handlers(document: dict[str, object], client: str, event: str) -> list[dict[str, object]]:
    entries = document["hooks"][event]  # type: ignore[index]
    return [handler for entry in entries for handler in (entry["hooks"] if client in NESTED else [entry])]


@pytest.mark.parametrize("client", FILES)
def test_a_fresh_file_has_the_hook_with_its_timeout_and_is_gone_after_uninstall(person: Person, client: str) -> None:
    before = tree(person.home)
    person.run("setup", client)
    document = json.loads((person.home / FILES[client]).read_text("utf-8"))
    event, command, timeout, limit = BEFORE[client]
    for handler in handlers(document, client, event):
        assert handler[timeout] == limit
        words = shlex.split(str(handler[command]).rpartition("|| exec ")[2])
        assert words[:6] == [sys.executable, "-I", "-S", str(ENTRY), "--client", client]
        assert ("--event", event) == tuple(words[6:8]) if client == "copilot" else len(words) == 6
    person.run("uninstall")
    assert tree(person.home) == before


@pytest.mark.parametrize("client", FILES)
@pytest.mark.parametrize("indent", [None, 2, 4, "\t"])
def test_what_others_wrote_stays_and_comes_back_byte_for_byte(
    person: Person, client: str, indent: int | str | None
) -> None:
    text = json.dumps(foreign(client), indent=indent, ensure_ascii=False) + ("\n" if indent else "")
    path = put(person, client, text)
    path.chmod(0o640)
    before = tree(person.home)
    person.run("setup", client)
    after = json.loads(path.read_text("utf-8"))
    event, command, _, _ = BEFORE[client]
    assert list(after)[:2] == ["theirs", "hooks"]
    assert after["theirs"] == {"z": 1, "a": "ü"}
    assert after["hooks"]["Notification"] == []
    assert handlers(after, client, event)[0][command] == "lint --fix"
    assert len(handlers(after, client, event)) == 3
    assert ("\n" in path.read_text("utf-8").strip()) == (indent is not None)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    person.run("uninstall", "--client", client)
    assert tree(person.home) == before


@pytest.mark.parametrize("client", FILES)
def test_comments_stay_where_they_are(person: Person, client: str) -> None:
    text = '// mine\n{\n  "theirs": 1, // one\n  "hooks": {\n    /* none yet */\n  },\n}\n'
    path = put(person, client, text)
    person.run("setup", client)
    after = path.read_text("utf-8")
    for comment in ("// mine\n{", '"theirs": 1, // one\n', '"hooks": {\n    /* none yet */\n'):
        assert comment in after
    assert BEFORE[client][0] in json.loads(without_comments(after))["hooks"]
    person.run("uninstall")
    assert path.read_text("utf-8") == text


@pytest.mark.parametrize("client", [*FILES, "opencode", "cline"])
def test_a_second_time_changes_nothing(person: Person, client: str) -> None:
    first = person.run("setup", client)
    before = {path: path.stat().st_mtime_ns for path in person.home.rglob("*") if path.name != "lock"}
    second = person.run("setup", client)
    assert {row["state"] for row in first["files"]} == {"written"}  # type: ignore[attr-defined]
    assert {row["state"] for row in second["files"]} == {"kept"}  # type: ignore[attr-defined]
    assert {path: path.stat().st_mtime_ns for path in before} == before


@pytest.mark.parametrize("client", FILES)
def test_an_older_entry_is_renewed_in_its_place(person: Person, client: str) -> None:
    person.run("setup", client)
    path = person.home / FILES[client]
    now = path.read_text("utf-8")
    event, command, timeout, limit = BEFORE[client]
    document = json.loads(now.replace(str(ENTRY.parents[2]), "/old/lib").replace(f": {limit}", ": 7"))
    document["hooks"][event].insert(1, {command: "later", "hooks": []} if client in NESTED else {command: "later"})
    document["hooks"]["Retired"] = document["hooks"][event][:1]
    path.write_text(json.dumps(document, indent=2), "utf-8")
    person.run("setup", client)
    after = json.loads(path.read_text("utf-8"))
    assert "/old/lib" not in path.read_text("utf-8")
    assert after["hooks"]["Retired"] == []
    assert after["hooks"][event][::2] == json.loads(now)["hooks"][event]
    assert after["hooks"][event][1][command] == "later"
    assert handlers({"hooks": {event: after["hooks"][event][:1]}}, client, event)[0][timeout] == limit


@pytest.mark.parametrize("client", FILES)
def test_edits_made_since_are_kept_and_only_our_entries_go(person: Person, client: str) -> None:
    text = json.dumps(foreign(client), indent=2) + "\n"
    path = put(person, client, text)
    person.run("setup", client)
    path.write_text(path.read_text("utf-8").replace('"z": 1', '"z": 2, "new": true'), "utf-8")
    answer = person.run("uninstall")
    assert [row["state"] for row in answer["files"]] == ["edited"]  # type: ignore[attr-defined]
    assert path.read_text("utf-8") == text.replace('"z": 1', '"z": 2, "new": true')


@pytest.mark.parametrize("client", FILES)
def test_setting_up_again_after_an_edit_makes_that_edit_the_original(person: Person, client: str) -> None:
    text = json.dumps(foreign(client), indent=2) + "\n"
    path = put(person, client, text)
    person.run("setup", client)
    edited = path.read_text("utf-8").replace('"z": 1', '"z": 2').replace(str(ENTRY), "/old/jit/hooks/entry.py")
    path.write_text(edited, "utf-8")
    person.run("setup", client)
    assert str(ENTRY) in path.read_text("utf-8")
    person.run("uninstall")
    assert path.read_text("utf-8") == text.replace('"z": 1', '"z": 2')


@pytest.mark.parametrize("client", FILES)
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"hooks": {', "line 1, column 12"),
        (b"[]", "does not hold an object"),
        (b'{"hooks": []}', "`hooks` is not an object"),
        (b"\xff\xfe{}", "not UTF-8 at byte 0"),
    ],
)
def test_a_file_that_cannot_be_understood_is_named_and_left_alone(
    person: Person, client: str, content: bytes, words: str
) -> None:
    path = put(person, client, "")
    path.write_bytes(content)
    before = tree(person.home)
    with pytest.raises(ConfigError, match=words) as caught:
        person.run("setup", client)
    assert str(path) in caught.value.message
    assert "nothing was changed" in caught.value.message
    assert tree(person.home) == before


@pytest.mark.parametrize("client", FILES)
def test_a_list_of_another_kind_is_refused(person: Person, client: str) -> None:
    put(person, client, json.dumps({"hooks": {BEFORE[client][0]: {"not": "a list"}}}))
    before = tree(person.home)
    with pytest.raises(ConfigError, match="is not a list"):
        person.run("setup", client)
    assert tree(person.home) == before


@pytest.mark.parametrize("client", FILES)
def test_a_directory_in_place_of_the_file_is_said(person: Person, client: str) -> None:
    (person.home / FILES[client]).mkdir(parents=True)
    with pytest.raises(Unavailable, match="there is a directory in place of the file; nothing was changed"):
        person.run("setup", client)


@pytest.mark.parametrize("client", FILES)
@pytest.mark.parametrize("dangling", [False, True])
def test_a_symbolic_link_stays_one(person: Person, client: str, *, dangling: bool) -> None:
    path = person.home / FILES[client]
    dotfile = person.home / "dotfiles" / "deep" / "file.json"
    path.parent.mkdir(parents=True)
    if not dangling:
        dotfile.parent.mkdir(parents=True)
        dotfile.write_text('{"theirs": 1}', "utf-8")
    path.symlink_to(dotfile)
    before = tree(person.home)
    person.run("setup", client)
    assert path.is_symlink()
    assert "entry.py" in dotfile.read_text("utf-8")
    person.run("uninstall")
    assert tree(person.home) == before


@pytest.mark.parametrize("client", FILES)
def test_without_its_record_an_entry_is_found_in_the_usual_place(person: Person, client: str) -> None:
    text = json.dumps({"theirs": 1}, indent=2) + "\n"
    path = put(person, client, text)
    person.run("setup", client)
    for record in (person.home / ".local/state/jit/installed").glob("*.json"):
        record.unlink()
    person.run("uninstall")
    left = json.loads(path.read_text("utf-8"))
    assert {key: value for key, value in left.items() if key != "version"} == {"theirs": 1}


@pytest.mark.parametrize("client", NESTED)
def test_a_handler_that_joined_our_group_keeps_its_group(person: Person, client: str) -> None:
    person.run("setup", client)
    path = person.home / FILES[client]
    event = BEFORE[client][0]
    document = json.loads(path.read_text("utf-8"))
    ours, servers = document["hooks"][event]
    theirs = {"matcher": ours["matcher"], "hooks": [{"type": "command", "command": "lint"}]}
    document["hooks"][event][0] = {**ours, "hooks": [*ours["hooks"], *theirs["hooks"]]}
    path.write_text(json.dumps(document, indent=2), "utf-8")
    person.run("setup", client)
    assert json.loads(path.read_text("utf-8"))["hooks"][event] == [theirs, ours, servers]
    person.run("uninstall")
    assert json.loads(path.read_text("utf-8")) == {"hooks": {event: [theirs]}}


@pytest.mark.parametrize("client", FILES)
def test_a_set_up_that_died_before_its_write_does_no_harm(person: Person, client: str) -> None:
    text = json.dumps(foreign(client), indent=2)
    path = put(person, client, text)
    person.run("setup", client)
    written = path.read_text("utf-8")
    path.write_text(text, "utf-8")  # the record is there, the file has its old bytes
    person.run("setup", client)
    assert path.read_text("utf-8") == written
    path.write_text(text, "utf-8")
    person.run("uninstall")
    assert path.read_text("utf-8") == text
