from __future__ import annotations

from pathlib import Path

import pytest

from jit.errors import ConfigError, Invalid, NotFound
from jit.world.config import resolve
from jit.world.config_edit import file_for, set_value, unset_value
from jit.world.config_layers import locate
from jit.world.files import Files
from tests.world.ground import FILES

TEXT = """# Settings of this project.

[locks]          # waiting
wait_secs = 3    # short

[worktree]
# strict from March on
enforce_leases = "warn"

[coordination]
default_ttl_secs = 900
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / ".jit/config.toml"
    made.parent.mkdir()
    made.write_text(TEXT, "utf-8")
    return made


def test_a_new_value_changes_nothing_but_itself(path: Path) -> None:
    assert set_value(str(path), "worktree.enforce_leases", "strict", FILES) == "strict"
    assert path.read_text("utf-8") == TEXT.replace('"warn"', '"strict"')


def test_a_comment_behind_the_value_stays(path: Path) -> None:
    set_value(str(path), "locks.wait_secs", "20", FILES)
    assert path.read_text("utf-8") == TEXT.replace("wait_secs = 3 ", "wait_secs = 20 ")


def test_a_new_key_joins_its_section(path: Path) -> None:
    set_value(str(path), "worktree.mode", "on", FILES)
    assert path.read_text("utf-8").replace('mode = "on"\n', "") == TEXT


def test_a_new_section_is_added_at_the_end(path: Path) -> None:
    set_value(str(path), "global_operations.allowed_branches", "main,release", FILES)
    text = path.read_text("utf-8")
    assert text.startswith(TEXT)
    assert text[len(TEXT) :].split() == ["[global_operations]", "allowed_branches", "=", '["main",', '"release"]']


def test_windows_line_ends_stay(path: Path) -> None:
    path.write_bytes(TEXT.replace("\n", "\r\n").encode())
    set_value(str(path), "worktree.enforce_leases", "off", FILES)
    assert path.read_bytes() == TEXT.replace('"warn"', '"off"').replace("\n", "\r\n").encode()


@pytest.mark.parametrize("text", ["worktree.mode = 'off' # here\n", "worktree = { mode = 'off' }\n"])
def test_other_ways_to_write_a_section_are_edited_in_place(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    set_value(str(path), "worktree.mode", "on", FILES)
    assert path.read_text("utf-8").replace('"on"', "'off'") == text


def test_a_missing_file_and_its_directory_are_made(tmp_path: Path) -> None:
    path = tmp_path / "home/.config/jit/agent.toml"
    set_value(str(path), "agent.id", "agent:alice", FILES)
    assert path.read_text("utf-8") == '[agent]\nid = "agent:alice"\n'


def test_a_link_to_the_file_stays_a_link(path: Path, tmp_path: Path) -> None:
    (tmp_path / "link.toml").symlink_to(path)
    set_value(str(tmp_path / "link.toml"), "locks.wait_secs", "4", FILES)
    assert (tmp_path / "link.toml").is_symlink()
    assert "wait_secs = 4" in path.read_text("utf-8")


def test_what_was_set_is_what_the_resolver_reads(tmp_path: Path) -> None:
    paths = locate(str(tmp_path), "", {}, home=str(tmp_path), system="")
    for name, text in (("control.group", "true"), ("locks.wait_secs", "7"), ("worktree.mode", "off")):
        set_value(file_for(paths, name, everywhere=False), name, text, FILES)
    set_value(file_for(paths, "agent.default_ttl_secs", everywhere=True), "agent.default_ttl_secs", "60", FILES)
    settings = resolve(paths, {})
    assert (settings.flag("control.group"), settings.number("locks.wait_secs")) == (True, 7)
    assert (settings.text("worktree.mode"), settings.ttl_secs()) == ("off", 60)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("worktree.enforce_leases", "strickt"),
        ("coordination.default_ttl_secs", "0"),
        ("coordination.default_ttl_secs", "ten"),
        ("control.group", "maybe"),
        ("agent.id", "nobody"),
        ("events.enable_sequences", "false"),
    ],
)
def test_a_wrong_value_is_refused_before_anything_is_written(path: Path, name: str, text: str) -> None:
    with pytest.raises(Invalid, match=name):
        set_value(str(path), name, text, FILES)
    assert path.read_text("utf-8") == TEXT


def test_an_unknown_key_is_not_found(path: Path) -> None:
    with pytest.raises(NotFound, match="did you mean locks"):
        set_value(str(path), "locks.wait_sec", "1", FILES)
    with pytest.raises(NotFound):
        unset_value(str(path), "no.such", FILES)
    assert path.read_text("utf-8") == TEXT


def test_a_retired_key_may_be_said_and_taken_back(path: Path) -> None:
    set_value(str(path), "events.enable_sequences", "true", FILES)
    assert "enable_sequences = true" in path.read_text("utf-8")
    assert unset_value(str(path), "events.enable_sequences", FILES)
    assert "enable_sequences" not in path.read_text("utf-8")


@pytest.mark.parametrize("raw", [b"[worktree\n", b"# \xff\n", b"a = 1\na = 2\n"])
def test_a_damaged_file_is_left_as_it_is(path: Path, raw: bytes) -> None:
    path.write_bytes(raw)
    with pytest.raises(ConfigError, match="left as it is"):
        set_value(str(path), "worktree.mode", "on", FILES)
    with pytest.raises(ConfigError, match="left as it is"):
        unset_value(str(path), "worktree.mode", FILES)
    assert path.read_bytes() == raw


def test_a_section_that_is_no_table_is_left_as_it_is(path: Path) -> None:
    path.write_text("worktree = 3\n", "utf-8")
    with pytest.raises(ConfigError, match="not a table"):
        set_value(str(path), "worktree.mode", "on", FILES)
    assert path.read_text("utf-8") == "worktree = 3\n"


def test_a_write_that_fails_leaves_the_file(path: Path) -> None:
    def refuse(path: str, data: bytes) -> None:
        raise OSError(28, "No space left on device", path)

    with pytest.raises(OSError, match="No space left"):
        set_value(str(path), "worktree.mode", "on", Files(refuse, FILES.create))
    assert path.read_text("utf-8") == TEXT


def test_resetting_takes_out_the_key_and_keeps_the_rest(path: Path) -> None:
    assert unset_value(str(path), "coordination.default_ttl_secs", FILES)
    assert path.read_text("utf-8") == TEXT.replace("default_ttl_secs = 900\n", "")
    assert not unset_value(str(path), "coordination.default_ttl_secs", FILES)
    assert not unset_value(str(path), "control.group", FILES)


def test_agent_keys_live_in_the_agents_file_only(tmp_path: Path) -> None:
    paths = locate(str(tmp_path), "", {}, home="/h", system="")
    assert file_for(paths, "agent.id", everywhere=True) == "/h/.config/jit/agent.toml"
    assert file_for(paths, "worktree.mode", everywhere=True) == "/h/.config/jit/config.toml"
    assert file_for(paths, "worktree.mode", everywhere=False) == f"{tmp_path}/.jit/config.toml"
    with pytest.raises(Invalid) as caught:
        file_for(paths, "agent.id", everywhere=False)
    assert caught.value.hint == "jit config set --global agent.id VALUE"


def test_without_a_worktree_there_is_no_repository_file() -> None:
    with pytest.raises(Invalid, match="no worktree"):
        file_for(locate("", "", {}, home="/h"), "worktree.mode", everywhere=False)
