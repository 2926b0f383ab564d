"""Issues as a person sees them: made, found by any part of their id, and saved without needless change."""

from __future__ import annotations

import json

import pytest

from tests.surface.jitcli import Jit, log_of
from tests.traceability import covers
from tests.world.ground import git

pytestmark = pytest.mark.surface


@covers("002:cmd.issue.create", "002:layout.issues", "002:create.exempt", "002:atomic.issue", "002:perm.data")
def test_a_new_issue_is_a_file_in_the_worktree_and_needs_no_claim(jit: Jit) -> None:
    made = jit.ask(
        "issue", "create", "--title", "Fix “it” 修正 🙂", "--priority", "high", "--label", "b", "--label", "a"
    )
    path = jit.cwd / ".jit/issues" / made["id"] / "issue.json"
    assert json.loads(path.read_text("utf-8")) == made
    assert (made["title"], made["priority"], made["state"]) == ("Fix “it” 修正 🙂", "high", "ready")
    assert made["labels"] == ["a", "b"]
    assert [x.name for x in path.parent.iterdir()] == ["issue.json"]
    assert path.stat().st_mode & 0o777 == 0o644
    assert log_of(jit).sequence == 0
    assert "修正" in jit("issue", "list").out


@covers("002:read.issue-show", "002:create.claimable")
def test_an_issue_is_shown_to_everybody_with_who_holds_it(jit: Jit) -> None:
    issue = jit.issue("one")
    lease = jit.ask("claim", "acquire", issue)
    bob = jit.by("agent:bob")
    shown = bob.ask("issue", "show", issue)
    assert (shown["title"], shown["lease"]["lease_id"]) == ("one", lease["lease_id"])
    (row,) = bob.ask("issue", "list")["issues"]
    assert (row["id"], row["held_by"]) == (issue, "agent:ann")
    assert bob.ask("issue", "list", "--available") == {"issues": [], "count": 0}


@covers("002:data.not-found")
def test_an_unknown_issue_is_not_found(jit: Jit) -> None:
    jit.issue()
    for word in ("01" + "Z" * 24, "ZZZZ", "nothing"):
        error = jit.refuse(3, "issue", "show", word)
        assert error["code"] == "not-found"
        assert word in error["message"]
        assert jit.refuse(3, "claim", "acquire", word)["code"] == "not-found"


@covers("L:13")
def test_any_writing_of_an_id_leads_to_one_lease(jit: Jit) -> None:
    first, second = jit.issue("first"), jit.issue("second")
    apart = next(n for n in range(26) if first[n] != second[n]) + 1
    for word in (first, first.lower(), first[:apart], first[:apart].lower(), f" {first} "):
        lease = jit.ask("claim", "acquire", word)
        assert lease["issue_id"] == first
        assert (
            jit.by("agent:bob").refuse(10, "claim", "acquire", first[:20])["details"]["lease_id"] == lease["lease_id"]
        )
        jit.ask("claim", "release", lease["lease_id"].lower())
    assert {record["payload"]["issue_id"] for record in log_of(jit).records} == {first}


@covers("L:13")
def test_an_ambiguous_beginning_lists_its_candidates(jit: Jit) -> None:
    issues = sorted(jit.issue(f"i{number}") for number in range(3))
    shared = issues[0][:4]
    assert all(issue.startswith(shared) for issue in issues)
    for words in (("claim", "acquire", shared), ("issue", "show", shared.lower())):
        error = jit.refuse(4, *words)
        assert error["code"] == "invalid"
        assert error["details"]["candidates"] == issues
        assert all(issue in error["message"] for issue in issues)
        assert error["hint"]
    assert log_of(jit).sequence == 0


@covers("L:13")
def test_an_ambiguous_lease_lists_its_candidates(jit: Jit) -> None:
    issues = [jit.issue(f"i{number}") for number in range(2)]
    shared = issues[0][: next(at for at in range(26) if issues[0][at] != issues[1][at])]
    leases = sorted(jit.ask("claim", "acquire", issue)["lease_id"] for issue in issues)
    for word in (leases[0][:4], shared):
        error = jit.refuse(4, "claim", "release", word)
        assert error["details"]["candidates"] == leases
    assert log_of(jit).sequence == 2


@covers("L:21")
def test_saving_an_unchanged_issue_leaves_its_file_as_it_is(jit: Jit) -> None:
    issue = jit.issue("same", "--label", "x")
    jit.ask("claim", "acquire", issue)
    path = jit.cwd / ".jit/issues" / issue / "issue.json"
    before = (path.read_bytes(), path.stat().st_ino, path.stat().st_mtime_ns)
    jit.ask("issue", "update", issue, "--title", "same", "--label", "x", "--state", "ready", "--priority", "normal")
    assert (path.read_bytes(), path.stat().st_ino, path.stat().st_mtime_ns) == before
    jit.ask("issue", "update", issue, "--title", "other")
    assert json.loads(path.read_bytes())["title"] == "other"


@covers("L:21")
def test_fields_that_jit_does_not_know_are_kept(jit: Jit) -> None:
    issue = jit.issue()
    path = jit.cwd / ".jit/issues" / issue / "issue.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"estimate": {"days": 3}}))
    jit.ask("claim", "acquire", issue)
    jit.ask("issue", "update", issue, "--priority", "low")
    assert json.loads(path.read_text())["estimate"] == {"days": 3}


def test_a_change_needs_the_callers_own_claim(jit: Jit) -> None:
    issue = jit.issue()
    error = jit.refuse(5, "issue", "update", issue, "--state", "done")
    assert f"jit claim acquire {issue}" in error["hint"]
    jit.ask("claim", "acquire", issue)
    assert jit.by("agent:bob").refuse(5, "issue", "update", issue, "--state", "done")["code"] == "not-permitted"
    assert jit.ask("issue", "update", issue, "--state", "done")["state"] == "done"


@pytest.mark.parametrize(("mode", "code", "warned"), [("strict", 5, False), ("warn", 0, True), ("off", 0, False)])
@covers("002:config.worktree.enforce_leases")
def test_the_settings_say_how_strictly_a_claim_is_demanded(jit: Jit, mode: str, code: int, warned: bool) -> None:  # noqa: FBT001
    issue = jit.issue()
    result = jit.where(JIT_WORKTREE_ENFORCE_LEASES=mode)("issue", "update", issue, "--priority", "low")
    assert result.code == code
    assert ("warning: " in result.err) is warned
    asked = jit.where(JIT_WORKTREE_ENFORCE_LEASES=mode)("issue", "update", issue, "--priority", "high", "--strict")
    assert asked.code == 5


@pytest.mark.parametrize("text", ["", "{", "[]", '{"id": 5}', "\x00"])
def test_a_broken_issue_file_is_named(jit: Jit, text: str) -> None:
    issue = jit.issue()
    path = jit.cwd / ".jit/issues" / issue / "issue.json"
    path.write_text(text)
    error = jit.refuse(4, "issue", "show", issue)
    assert (error["code"], str(path) in error["message"]) == ("invalid", True)


def test_a_wrong_value_is_refused_before_anything_is_written(jit: Jit) -> None:
    assert jit("issue", "create", "--title", "x", "--priority", "urgent").code == 2
    assert jit("issue", "create", "--title", " ").code == 4
    assert jit("issue", "create").code == 2
    assert not (jit.cwd / ".jit/issues").exists()


def test_an_issue_that_is_only_committed_or_only_in_main_is_seen_from_another_worktree(jit: Jit) -> None:
    committed = jit.issue("committed")
    git(jit.cwd, "add", ".")
    git(jit.cwd, "commit", "--quiet", "-m", "issue")
    jit.ask("worktree", "create", "../away")
    fresh = jit.issue("only in main")
    away = jit.at(jit.cwd.parent / "away")
    assert [away.ask("issue", "show", issue)["title"] for issue in (committed, fresh)] == ["committed", "only in main"]
    assert {row["id"] for row in away.ask("issue", "list")["issues"]} == {committed, fresh}
    away.ask("claim", "acquire", fresh)
    away.ask("issue", "update", fresh, "--title", "mine now")
    assert away.ask("issue", "show", fresh)["title"] == "mine now"
    assert jit.ask("issue", "show", fresh)["title"] == "only in main"
