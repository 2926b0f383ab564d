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
        event = {"session_id": "s", "cwd": str(self.repository), "hook_event_name": "PreToolUse", "tool_name": "Write"}
        payload = json.dumps({**event, "tool_input": {"file_path": f"{self.repository}/{path}", "content": "x"}})
        command = [sys.executable, "-I", "-S", *options, str(self.jit / "hooks/entry.py"), "--client", "claude"]
        done = subprocess.run(
            command, input=payload, env=self.environ, capture_output=True, text=True, timeout=60, check=True
        )
        assert done.stdout == ""
        assert f"/{path}" in "".join(holders(self.repository))
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
    site.bundle.write_bytes(whole[:-1000])
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
