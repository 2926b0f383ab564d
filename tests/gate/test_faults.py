"""When jit itself cannot judge: the agent goes on and it is written down, or the write is denied if so asked."""

from __future__ import annotations

import json
import os
import shlex
from typing import TYPE_CHECKING, Any

import pytest

from tests.gate.agent import Agent
from tests.gate.watch import records
from tests.surface.jitcli import Jit, make_site
from tests.traceability import covers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.crash


def mishaps(site: Path) -> list[dict[str, Any]]:
    path = site / ".git/jit/mishaps.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def break_log(site: Path) -> None:
    """A directory in place of the log: nobody can read or write it, not even the superuser."""
    (site / ".git/jit/claims.jsonl").unlink()
    (site / ".git/jit/claims.jsonl").mkdir()


def damage_log(site: Path) -> None:
    (site / ".git/jit/claims.jsonl").write_text("this is no record\n" * 3)
    (site / ".git/jit/claims.table").unlink()


@pytest.mark.parametrize("harm", [break_log, damage_log])
def test_a_control_plane_that_cannot_be_used_lets_the_write_pass_and_says_so_in_the_mishaps(
    site: Path, agent: Callable[..., Agent], harm: Callable[[Path], None]
) -> None:
    ann = agent("ann")
    harm(site)
    answer = ann.ask("a.txt")
    assert (answer.code, answer.out) == (0, "")
    (mishap,) = mishaps(site)
    assert (mishap["client"], mishap["tool"], mishap["paths"]) == ("claude", "Write", ["a.txt"])
    assert mishap["what"]
    assert "Traceback" in mishap["trace"]


@pytest.mark.parametrize("harm", [break_log, damage_log])
def test_where_failure_means_deny_the_write_is_denied_and_the_way_out_works(
    site: Path, agent: Callable[..., Agent], harm: Callable[[Path], None]
) -> None:
    assert Jit(site)("config", "set", "files.on_failure", "deny").code == 0
    ann = agent("ann")
    harm(site)
    words = ann.ask("a.txt").denied
    assert "jit failed" in words
    assert len(mishaps(site)) == 1
    assert ann.ask("a.txt", tool="Read").denied == ""
    assert ann.tell("Stop").code == 0
    way_out = words.rpartition("jit config set ")[2].strip(" .").split()
    assert Jit(site)("config", "set", *way_out).code == 0
    assert ann.ask("a.txt").denied == ""


RULE = '[[path]]\npattern = "a.txt"\nmode = "exclusive"\n'


def follow(site: Path, words: str) -> None:
    """Do what the denial says in order to go on without jit."""
    way_out = words.rpartition("To go on without: ")[2]
    if way_out.startswith("jit config set "):
        assert Jit(site)(*shlex.split(way_out)[1:]).code == 0
        return
    settings = site / ".jit/config.toml"
    assert way_out == f'write on_failure = "allow" into the rule for a.txt in {settings}'
    settings.write_text(settings.read_text().replace('on_failure = "deny"', 'on_failure = "allow"'))


@pytest.mark.parametrize("more", ["", 'on_failure = "deny"\n'])
@pytest.mark.parametrize("kind", ["tool", "shell"])
@pytest.mark.parametrize("place", ["inside", "outside"])
def test_an_exclusive_path_is_denied_when_jit_fails_and_the_way_out_works(
    site: Path, agent: Callable[..., Agent], tmp_path: Path, more: str, kind: str, place: str
) -> None:
    (site / ".jit/config.toml").write_text(RULE + more)
    (tmp_path / "plain").mkdir()
    ann = agent("ann", site if place == "inside" else tmp_path / "plain")
    break_log(site)

    def ask(name: str) -> str:
        if kind == "tool":
            return ann.ask(site / name).denied
        return ann.tell("PreToolUse", tool_name="Bash", tool_input={"command": f"echo x > {site}/{name}"}).denied

    assert ask("b.txt") == ""
    words = ask("a.txt")
    assert "jit failed" in words
    assert len(mishaps(site)) == 2
    follow(site, words)
    assert ask("a.txt") == ""


def test_the_way_out_leads_to_a_repository_with_an_odd_name(agent: Callable[..., Agent], tmp_path: Path) -> None:
    other = make_site(tmp_path / "it's my repo").cwd
    (other / ".jit/config.toml").write_text(RULE)
    ann = agent("ann", tmp_path)
    break_log(other)
    words = ann.ask(other / "a.txt").denied
    assert Jit(tmp_path)(*shlex.split(words.rpartition("To go on without: ")[2])[1:]).code == 0
    assert ann.ask(other / "a.txt").denied == ""


def test_a_full_disk_lets_the_write_pass_and_changes_no_lease(site: Path, agent: Callable[..., Agent]) -> None:
    """No file may become larger than the log is now; what is written down about it is smaller."""
    ann = agent("ann")
    calls = [ann.begin(f"{number}.txt") for number in range(12)]
    assert [ann.wait_for(call).out for call in calls] == [""] * 12
    size = (site / ".git/jit/claims.jsonl").stat().st_size
    bob = agent("bob", before=f"ulimit -f {size // 512}; ")
    answer = bob.ask("new.txt")
    assert (answer.code, answer.out) == (0, "")
    (mishap,) = mishaps(site)
    assert "nothing was changed" in mishap["what"]
    assert ann.ask("new.txt").denied == ""
    assert len(records(site)) == 13


def writing(path: object, **more: object) -> str:
    """The payload of a write to something that may be a path."""
    call = {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": path}}
    return json.dumps(call | more)


BAD = {
    "nothing": "",
    "no json": "{",
    "a list": "[1, 2]",
    "a number": "7",
    "an empty object": "{}",
    "a tool without a name": '{"hook_event_name": "PreToolUse"}',
    "an endless nesting": "[" * 100_000,
    "a path that is a number": writing(7),
    "arguments that are a list": writing("", tool_input=[1]),
    "arguments that are null": writing("", tool_input=None),
    "a path with a zero byte": writing("a\0b"),
    "half a surrogate": writing("a\ud800b"),
    "bytes that are no text": writing("PATH").replace("PATH", "\udcff"),
    "a folder that is gone": writing("a", cwd="/no/such/folder"),
    "a very long path": writing("a/" * 5_000),
    "an empty path": writing(""),
}


@pytest.mark.parametrize("payload", BAD.values(), ids=BAD.keys())
def test_a_payload_that_nobody_understands_is_answered_and_does_not_stop_the_agent(
    site: Path, agent: Callable[..., Agent], payload: str
) -> None:
    ann = agent("ann")
    answer = ann.wait_for(ann.send(payload))
    assert (answer.code, answer.out) == (0, "")
    assert "Traceback" not in answer.err


def test_a_hook_for_a_client_that_does_not_exist_stops_nobody(site: Path, agent: Callable[..., Agent]) -> None:
    ann = agent("ann")
    answer = ann.wait_for(ann.send("{}", "nobody"))
    assert (answer.code, answer.out) == (0, "")
    assert "--client" in answer.err


@covers("001:M1")
def test_a_holder_that_cannot_be_seen_is_not_taken_for_dead(site: Path, agent: Callable[..., Agent]) -> None:
    """The lease is of another machine: nothing here can tell whether its owner lives."""
    from zlib import crc32

    ann, bob = agent("ann"), agent("bob")
    ann.ask("a.txt")
    log = site / ".git/jit/claims.jsonl"
    line = log.read_text().rstrip("\n")
    host = json.loads(line)["payload"]["process"][0]
    body = line[: line.rindex(',"crc":')].replace(host, "elsewhere")
    log.write_text(f'{body},"crc":"{crc32(body.encode()):08x}"}}\n')
    (site / ".git/jit/claims.table").unlink()
    ann.kill()
    assert bob.ask("a.txt").denied


def test_hooks_work_for_whoever_owns_the_files_without_any_environment(site: Path) -> None:
    with Agent(site, "ann", before=f"env -i PATH={os.environ['PATH']} ") as ann:
        assert ann.ask("a.txt").denied == ""
    assert len(records(site)) == 1
