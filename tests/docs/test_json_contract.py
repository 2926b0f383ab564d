"""The JSON contract, docs/contracts.toml, is what the program prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.docs.contract import CONTRACTS, Node, differences, faults, tree
from tests.docs.shell import COMMANDS, Shell, environment
from tests.traceability import covers

pytestmark = pytest.mark.surface


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A repository that has been set up, with one commit."""
    folder = tmp_path / "project"
    environ = environment(tmp_path)
    folder.mkdir()
    made = Shell(folder, environ)
    made.git("init", "--quiet", "--initial-branch=main")
    made.run("init")
    made.git("add", ".")
    made.git("commit", "--quiet", "--message=begin")
    return made


def check(command: str, document: object) -> None:
    found = faults(command, document)
    assert not found, f"{command} differs from docs/contracts.toml:\n" + "\n".join(found)


def text(document: dict[str, object], name: str) -> str:
    value = document[name]
    assert isinstance(value, str)
    return value


def test_the_contract_checker_sees_what_is_missing_wrong_and_new() -> None:
    promised = tree({"fields": {"rows[].name": ["text", ""], "count": ["number", ""], "end": ["time or null", ""]}})
    assert list(differences(promised, {"rows": [{"name": "a"}], "count": 1, "end": None}, "")) == []
    assert list(differences(promised, {"rows": [{"name": 1, "more": 2}], "count": True}, "")) == [
        "rows[].name is 1, and not text",
        "rows[].more is not documented",
        "count is True, and not number",
        "end is promised and not there",
    ]
    assert list(differences(Node("id"), "01ILOU", "x")) == ["x is '01ILOU', and not id"]


def test_init_prints_what_is_promised(shell: Shell) -> None:
    check("init", shell.json("init"))


def test_issues_print_what_is_promised(shell: Shell) -> None:
    made = shell.json("issue", "create", "--title", "one", "--label", "a")
    check("issue create", made)
    check("issue show", shell.json("issue", "show", text(made, "id")))
    shell.json("claim", "acquire", text(made, "id"))
    check("issue create", shell.json("issue", "update", text(made, "id"), "--state", "done"))
    shown = shell.json("issue", "show", text(made, "id"))
    check("issue show", shown)
    assert shown["lease"] is not None
    listed = shell.json("issue", "list")
    check("issue list", listed)
    assert listed["count"] == 1


@covers("002:cmd.claim.status", "002:cmd.claim.list")
def test_claims_print_what_is_promised(shell: Shell) -> None:
    issue = text(shell.json("issue", "create", "--title", "one"), "id")
    taken = shell.json("claim", "acquire", issue)
    check("claim acquire", taken)
    for verb in ("status", "list"):
        listed = shell.json("claim", verb)
        check("claim status", listed)
        assert listed["count"] == 1
    check("claim acquire", shell.json("claim", "renew", text(taken, "lease_id"), "--ttl", "20m"))
    check("claim heartbeat", shell.json("claim", "heartbeat"))
    words = ("claim", "transfer", text(taken, "lease_id"), "--to-agent", "agent:ben", "--reason", "review")
    handed = shell.json(*words)
    check("claim acquire", handed)
    assert handed["agent_id"] == "agent:ben"
    check("claim release", shell.json("claim", "release", issue, agent="agent:ben"))
    check("claim acquire", shell.json("claim", "next"))
    check("claim force-evict", shell.json("claim", "force-evict", issue, "--reason", "test", agent="agent:ben"))


def test_a_claim_without_end_prints_what_is_promised(shell: Shell) -> None:
    issue = text(shell.json("issue", "create", "--title", "one"), "id")
    taken = shell.json("claim", "acquire", issue, "--ttl", "0", "--reason", "migration")
    check("claim acquire", taken)
    assert taken["expires_at"] is None
    check("claim status", shell.json("claim", "status"))


def test_history_and_log_print_records(shell: Shell) -> None:
    issue = text(shell.json("issue", "create", "--title", "one"), "id")
    shell.json("claim", "acquire", issue)
    shell.json("claim", "acquire", issue, agent="agent:ben")
    records = shell.lines("log")
    assert [record["event_type"] for record in records] == ["claim.acquired", "claim.denied"]
    for record in records:
        check("log", record)
    told = shell.json("claim", "history", issue)
    check("claim history", told)
    assert told["events"] == records
    check("log at", shell.json("log", "at", "0s"))
    check("log archive", shell.json("log", "archive"))


@covers("002:cmd.worktree.info", "002:cmd.worktree.list")
def test_worktrees_print_what_is_promised(shell: Shell) -> None:
    check("worktree create", shell.json("worktree", "create", "../other"))
    check("worktree info", shell.json("worktree", "info"))
    check("worktree init", shell.json("worktree", "init"))
    listed = shell.json("worktree", "list")
    check("worktree list", listed)
    assert listed["count"] == 2


@covers("002:cmd.config.show")
def test_settings_print_what_is_promised(shell: Shell) -> None:
    check("config show", shell.json("config", "show"))
    check("config get", shell.json("config", "get", "locks.wait_secs"))
    check("config set", shell.json("config", "set", "locks.wait_secs", "20"))
    check("config reset", shell.json("config", "reset", "locks.wait_secs"))
    (shell.folder / ".jit/config.toml").write_text("[worktree]\nenforce_leases = 'odd'\n", "utf-8")
    found = shell.json("config", "validate")
    check("config validate", found)
    assert found["count"] == 1


@covers("002:cmd.validate.all")
@pytest.mark.parametrize("what", ["leases", "config", "divergence", "log", "replay", "all"])
def test_validation_prints_what_is_promised(shell: Shell, what: str) -> None:
    shell.json("issue", "create", "--title", "one")
    shell.json("claim", "next")
    check("validate", shell.json("validate", what))
    (shell.folder / ".jit/config.toml").write_text("[worktree]\nenforce_leases = 'odd'\n", "utf-8")
    check("validate", shell.json("validate", what))


@pytest.mark.parametrize("command", ["doctor", "status", "version"])
def test_the_set_up_prints_what_is_promised(shell: Shell, command: str) -> None:
    shell.json("issue", "create", "--title", "one")
    shell.json("claim", "next")
    check(command, shell.json(command))


def test_a_damaged_log_is_mended_as_the_documentation_says(shell: Shell) -> None:
    shell.json("issue", "create", "--title", "one")
    taken = shell.json("claim", "next")
    shell.json("claim", "renew", text(taken, "lease_id"))
    log = shell.folder / ".git/jit/claims.jsonl"
    log.write_bytes(log.read_bytes().replace(b"agent:anna", b"agent:otto", 1))
    refused = shell.run("validate", "log", "--json")
    assert refused.returncode == 21
    check("validate", json.loads(refused.stdout))
    mended = shell.json("doctor", "--fix")
    check("doctor", mended)
    assert mended["fixed"]
    assert list(log.parent.glob("claims.jsonl.damaged-*"))
    assert shell.json("claim", "status")["count"] == 1
    assert shell.run("validate", "all").returncode == 0
    assert [record["event_type"] for record in shell.lines("log")] == ["claim.renewed", "log.repaired"]


def test_completion_prints_what_is_promised(shell: Shell) -> None:
    check("completion", shell.json("completion", "bash"))


@pytest.mark.parametrize(
    ("words", "code", "exit_code"),
    [
        (("claim", "acquire", "01ZZZZ"), "not-found", 3),
        (("claim", "next"), "no-work", 3),
        (("claim", "acquire"), "usage", 2),
        (("config", "get", "nothing.at_all"), "not-found", 3),
    ],
)
def test_errors_print_what_is_promised(shell: Shell, words: tuple[str, ...], code: str, exit_code: int) -> None:
    done = shell.run(*words, "--json")
    document = json.loads(done.stdout)
    check("error", document)
    assert (document["error"]["code"], done.returncode) == (code, exit_code)


def test_a_held_issue_is_an_error_with_the_claim_in_the_way(shell: Shell) -> None:
    issue = text(shell.json("issue", "create", "--title", "one"), "id")
    taken = shell.json("claim", "acquire", issue)
    done = shell.run("claim", "acquire", issue, "--json", agent="agent:ben")
    document = json.loads(done.stdout)
    check("error", document)
    assert done.returncode == 10
    assert document["error"]["details"]["lease_id"] == taken["lease_id"]
    assert document["error"]["details"]["holder"] == "agent:anna"


def test_every_command_is_named_by_a_contract() -> None:
    named = {name.strip() for entry in CONTRACTS.values() for name in str(entry["name"]).split(",")}
    silent = {"claim run", "demo"}  # what they print is the words of others
    missing = [" ".join(command.path) for command in COMMANDS if " ".join(command.path) not in named | silent]
    assert not missing
