"""The bundle of a hook's modules: it has what a write needs, it is never older than the sources, and it may be gone.

Every test has a copy of jit of its own, because a hook writes its bundle beside itself.
"""

from __future__ import annotations

import json
import marshal
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.gate.watch import holders

pytestmark = pytest.mark.surface

SOURCE = Path(__file__).parents[2] / "src" / "jit"
ROOTS = ("jit", "jit.hooks.clients.claude", "jit.hooks.gate")


class Site:
    """A repository that jit guards, and a copy of jit that guards it."""

    def __init__(self, folder: Path) -> None:
        self.jit = folder / "home" / "jit"
        shutil.copytree(SOURCE, self.jit, ignore=shutil.ignore_patterns("__pycache__"))
        self.repository = folder / "repository"
        subprocess.run(["git", "init", "--quiet", self.repository], check=True, timeout=60)
        (self.repository / ".git/jit").mkdir()
        (self.repository / ".git/jit/claims.jsonl").touch()
        self.environ = {**os.environ, "HOME": str(folder)}

    @property
    def bundle(self) -> Path:
        return self.jit / "hooks/__pycache__" / f"bundle.{sys.implementation.cache_tag}-{sys.hexversion:x}"

    def write(self, path: str, *options: str) -> str:
        """The hook before a write by a session that nobody else is; what it said on standard error."""
        said = self.call("PreToolUse", "Write", *options, file_path=f"{self.repository}/{path}", content="x")
        assert f"/{path}" in "".join(holders(self.repository))
        return said

    def call(self, event: str, tool: str, *options: str, cwd: Path | None = None, **arguments: str) -> str:
        """Any call of the hook, which has nothing to say to the client."""
        where = cwd or self.repository
        about = {"session_id": "s", "cwd": str(where), "hook_event_name": event, "tool_name": tool}
        payload = json.dumps({**about, "tool_input": arguments})
        command = [sys.executable, "-I", "-S", *options, str(self.jit / "hooks/entry.py"), "--client", "claude"]
        done = subprocess.run(
            command, cwd=where, input=payload, env=self.environ, capture_output=True, text=True, timeout=60, check=True
        )
        assert done.stdout == ""
        return done.stderr

    def members(self) -> set[str]:
        data = self.bundle.read_bytes()
        _, tiers, _ = marshal.loads(data)  # noqa: S302  written by the copy of jit above
        parts = [marshal.loads(data[offset : offset + size]) for _, offset, size in (tiers[root] for root in ROOTS)]  # noqa: S302
        return {name for part in parts for name, _, _ in part}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def imported(text: str) -> set[str]:
    """The modules that `-X importtime` saw being looked for and found."""
    return {line.rpartition("|")[2].strip() for line in text.splitlines() if line.startswith("import time:")}


def bare() -> set[str]:
    command = [sys.executable, "-I", "-S", "-X", "importtime", "-c", "pass"]
    return imported(subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stderr)


def test_a_hook_with_a_bundle_looks_for_nothing_else(site: Site) -> None:
    site.write("one.txt")
    (site.repository / "two.txt").write_text("there is something to read")
    found = imported(site.write("two.txt", "-X", "importtime")) - bare()
    in_c = {"gc", "_json", "fcntl", "binascii", "_blake2"}
    assert found == {*ROOTS, "jit.hooks", "jit.hooks.main", *in_c}


FIRST = {"jit", "jit.hooks", "jit.hooks.main", "jit.hooks.clients.claude", "gc", "_json"}


@pytest.mark.parametrize(
    ("event", "tool", "arguments", "more"),
    [
        ("PreToolUse", "Read", {"file_path": "a.txt"}, set()),
        ("PostToolUse", "Edit", {"file_path": "a.txt", "old_string": "a", "new_string": "b"}, set()),
        ("PostToolUseFailure", "Write", {"file_path": "a.txt", "content": "b"}, set()),
        ("PreToolUse", "mcp__tracker__create_issue", {"title": "a"}, {"jit.hooks.clients.mcp"}),
        ("SessionStart", "", {}, set()),
        ("UserPromptSubmit", "", {}, set()),
        ("PreToolUse", "Bash", {"command": "ls -la"}, {"jit.hooks.shell", "jit.hooks.shell.readers"}),
        ("PostToolUse", "Bash", {"command": "git status"}, {"jit.hooks.shell", "jit.hooks.shell.readers"}),
    ],
)
def test_a_call_that_changes_nothing_loads_nothing_that_decides(
    site: Site, event: str, tool: str, arguments: dict[str, str], more: set[str]
) -> None:
    site.write("one.txt")
    said = site.call(event, tool, "-X", "importtime", **arguments)  # type: ignore[arg-type]
    assert imported(said) - bare() == FIRST | more


def test_where_jit_is_not_in_use_nothing_that_decides_is_loaded(site: Site, tmp_path: Path) -> None:
    site.write("one.txt")
    subprocess.run(["git", "init", "--quiet", tmp_path / "plain"], check=True, timeout=60)
    place = {"cwd": tmp_path / "plain", "file_path": str(tmp_path / "plain/a.txt")}
    said = site.call("PreToolUse", "Write", "-X", "importtime", **place)  # type: ignore[arg-type]
    assert imported(said) - bare() == FIRST


def test_a_file_of_a_guarded_repository_is_leased_from_wherever_the_call_comes(site: Site, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/link").symlink_to(site.repository)
    for name, path in (("one", site.repository / "one.txt"), ("two", Path("link/two.txt"))):
        site.call("PreToolUse", "Write", cwd=tmp_path / "plain", file_path=str(path), content="x")
        assert f"/{name}.txt" in "".join(holders(site.repository))


def test_the_bundle_holds_what_a_write_loads_and_nothing_more(site: Site) -> None:
    site.write("one.txt")
    members = site.members()
    site.bundle.write_bytes(b"")
    (site.jit / "hooks/bundle.py").write_text("def refresh():\n    return False\n")
    found = imported(site.write("two.txt", "-X", "importtime"))
    assert members == {name for name in found if name == "jit" or name.startswith("jit.")} - {"jit.hooks.bundle"}


def test_a_source_that_changed_is_used_and_bundled_anew(site: Site) -> None:
    site.write("one.txt")
    before = site.bundle.read_bytes()
    gate = site.jit / "hooks/gate.py"
    gate.write_text(gate.read_text("utf-8") + '\nimport sys\nsys.stderr.write("changed")\n', "utf-8")
    assert site.write("two.txt") == "changed"
    assert site.bundle.read_bytes() != before
    assert site.write("three.txt") == "changed"


@pytest.mark.parametrize("maker", ["loader", "bundle"])
def test_a_bundle_that_another_version_made_is_made_anew(site: Site, maker: str) -> None:
    site.write("one.txt")
    before = site.bundle.read_bytes()
    source = site.jit / f"hooks/{maker}.py"
    source.write_text(source.read_text("utf-8") + "\nANOTHER = 1\n", "utf-8")
    site.write("two.txt")
    assert site.bundle.read_bytes() != before
    made = site.bundle.read_bytes()
    site.write("three.txt")
    assert site.bundle.read_bytes() == made


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xe3", b")\x00"], ids=["empty", "text", "cut", "other"])
def test_a_damaged_bundle_does_no_harm_and_is_replaced(site: Site, content: bytes) -> None:
    site.write("one.txt")
    whole = site.bundle.read_bytes()
    site.bundle.write_bytes(content)
    site.write("two.txt")
    assert len(site.bundle.read_bytes()) == len(whole)


def test_a_tier_that_was_cut_off_is_no_reason_to_let_a_write_pass(site: Site) -> None:
    site.write("one.txt")
    whole = site.bundle.read_bytes()
    _, tiers, _ = marshal.loads(whole)  # noqa: S302
    _, offset, size = tiers["jit.hooks.gate"]
    site.bundle.write_bytes(whole[: offset + size - 1])
    site.write("two.txt")
    assert site.bundle.read_bytes() == whole


def test_where_no_bundle_can_be_kept_a_hook_works_all_the_same(site: Site) -> None:
    (site.jit / "hooks/__pycache__").write_text("a file in place of the folder")
    for path in ("one.txt", "two.txt"):
        assert site.write(path) == ""


def test_hooks_that_write_a_bundle_at_once_leave_a_whole_one(site: Site) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(site.write, ["a.txt", "b.txt", "c.txt", "d.txt"]))
    assert "jit.hooks.gate" in site.members()
    assert list(site.bundle.parent.glob("bundle*.tmp")) == []


def test_what_lies_beside_jit_does_not_stand_in_for_pythons_own_modules(site: Site) -> None:
    for name in ("fcntl", "binascii", "marshal", "unicodedata", "ast"):
        (site.jit.parent / f"{name}.py").write_text("raise SystemExit(9)")
    site.write("größe.txt")
    site.write("größe2.txt")


def test_setup_makes_the_bundle_and_uninstall_takes_it_away(site: Site, tmp_path: Path) -> None:
    def jit(*words: str) -> str:
        command = [sys.executable, "-P", "-m", "jit", *words]
        environ = {**site.environ, "PYTHONPATH": str(site.jit.parent)}
        done = subprocess.run(
            command, env=environ, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True
        )
        return done.stdout + done.stderr

    assert "more slowly" not in jit("setup", "claude")
    made = site.bundle.stat()
    assert str(site.jit / "hooks/entry.py") in (tmp_path / ".claude/settings.json").read_text()
    jit("setup", "claude")
    assert site.bundle.stat().st_mtime_ns == made.st_mtime_ns
    jit("uninstall", "--client", "claude")
    assert site.bundle.exists()
    jit("uninstall")
    assert not site.bundle.exists()
    shutil.rmtree(site.bundle.parent)
    site.bundle.parent.write_text("a file in place of the folder")
    assert "more slowly" in jit("setup", "claude")
