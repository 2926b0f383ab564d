"""The first minute: `jit init`, what it makes, and that it may be repeated."""

from __future__ import annotations

import fcntl
import re
from typing import TYPE_CHECKING

import pytest

from tests.surface.jitcli import Jit, control_plane, make_site
from tests.traceability import covers
from tests.world.ground import git, make_repository

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.surface


def content(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file() and ".git/" not in str(path)]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@covers("002:layout.control", "002:perm.control", "002:perm.data")
def test_init_makes_control_plane_settings_and_identity(tmp_path: Path) -> None:
    jit = make_site(tmp_path / "repo")
    plane = control_plane(jit)
    assert {path.name for path in plane.iterdir()} >= {"claims.jsonl", "locks", "heartbeat"}
    assert plane.stat().st_mode & 0o777 == 0o700
    assert (plane / "claims.jsonl").stat().st_mode & 0o777 == 0o600
    assert set(content(jit.cwd)) == {".gitattributes", ".jit/config.toml", ".jit/worktree.json"}
    assert jit("config", "validate").code == 0


def test_init_again_changes_nothing(jit: Jit) -> None:
    issue = jit.issue()
    jit.ask("claim", "acquire", issue)
    before, log = content(jit.cwd), (control_plane(jit) / "claims.jsonl").read_bytes()
    again = jit.ask("init")
    assert {row["made"] for row in again["initialised"]} == {False}
    assert content(jit.cwd) == before
    assert (control_plane(jit) / "claims.jsonl").read_bytes() == log


def test_init_keeps_what_was_in_the_files_that_it_adds_to(tmp_path: Path) -> None:
    place = make_repository(tmp_path / "repo")
    (place / ".gitattributes").write_bytes(b"*.png binary\n*.txt text")
    (place / ".jit").mkdir()
    (place / ".jit/config.toml").write_bytes(b"# mine\n[coordination]\ndefault_ttl_secs = 77\n")
    jit = Jit(place)
    assert jit("init").code == 0
    assert (place / ".gitattributes").read_bytes().startswith(b"*.png binary\n*.txt text\n")
    assert (place / ".jit/config.toml").read_bytes() == b"# mine\n[coordination]\ndefault_ttl_secs = 77\n"
    assert jit.ask("claim", "acquire", jit.issue())["ttl_secs"] == 77


@covers("002:merge.union", "002:merge.binary")
def test_git_merges_logs_line_by_line_and_leaves_databases_alone(jit: Jit) -> None:
    def attribute(name: str, path: str) -> str:
        return git(jit.cwd, "check-attr", name, "--", path).rpartition(": ")[2]

    assert [attribute("merge", path) for path in ("a.jsonl", ".jit/x/labels-set.jsonl")] == ["union", "union"]
    assert [attribute("binary", path) for path in (".jit/x.sqlite", ".jit/cache/x.db")] == ["set", "set"]
    assert [attribute("merge", path) for path in ("a.json", ".jit/b.json", "docs/c.md")] == ["text", "text", "text"]


@covers("002:layout.uncommitted")
def test_neither_control_plane_nor_identity_can_be_committed(jit: Jit) -> None:
    jit.ask("claim", "acquire", jit.issue())
    git(jit.cwd, "add", "--all")
    names = git(jit.cwd, "ls-files", "--cached").splitlines()
    assert ".jit/config.toml" in names
    assert [name for name in names if "worktree.json" in name or "claims" in name] == []


@covers("002:mig.2")
def test_reading_before_init_answers_and_makes_nothing(tmp_path: Path) -> None:
    jit = Jit(make_repository(tmp_path / "repo"))
    assert jit.ask("claim", "list") == {"leases": [], "count": 0}
    assert jit.ask("issue", "list") == {"issues": [], "count": 0}
    assert not control_plane(jit).exists()
    assert content(jit.cwd) == {}


def test_claims_work_without_init(tmp_path: Path) -> None:
    jit = Jit(make_repository(tmp_path / "repo"))
    assert jit.ask("claim", "acquire", jit.issue())["fence"] == 1


def test_a_bare_repository_is_told_where_to_go(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "bare.git")
    result = Jit(tmp_path / "bare.git")("init", "--json")
    assert result.code != 0
    assert "worktree" in result.error["message"] + result.error["hint"]


def test_faults_of_the_store_have_their_exit_codes(jit: Jit) -> None:
    issue = jit.issue()
    jit.ask("claim", "acquire", issue)
    log = control_plane(jit) / "claims.jsonl"
    whole = log.read_bytes()
    log.write_bytes(b"{" + whole[2:] + whole)
    error = jit.refuse(21, "claim", "list")
    assert (error["code"], error["details"]["line"], error["details"]["offset"]) == ("log-corrupt", 1, 0)
    assert jit.refuse(21, "claim", "acquire", issue)["code"] == "log-corrupt"
    log.unlink()
    log.mkdir()
    assert jit.refuse(20, "claim", "acquire", issue)["details"]["errno"] == "EISDIR"
    assert jit.refuse(20, "claim", "list")["code"] == "unavailable"


@covers("002:lock.metadata", "002:config.locks.enable_metadata")
def test_a_busy_lock_ends_in_its_own_exit_code_and_names_the_holder(jit: Jit) -> None:
    issue = jit.issue()
    jit.ask("claim", "acquire", issue)
    path = control_plane(jit) / "locks/claims.lock"
    inode = path.stat().st_ino
    with path.open("r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        error = jit.by("agent:bob").where(JIT_LOCKS_WAIT_SECS="0").refuse(22, "claim", "acquire", issue)
        assert jit.ask("claim", "list")["count"] == 1
    assert error["code"] == "lock-timeout"
    assert re.search(r"pid \d+ agent:ann since 20\d\d-", error["message"])
    assert path.stat().st_ino == inode
    path.write_bytes(b"")
    jit.where(JIT_LOCKS_ENABLE_METADATA="false").ask("claim", "release", issue)
    assert path.read_bytes() == b""
