"""Git's own hooks with real git: found where git looks, chained, harmless without jit, and gone without a trace."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from jit.errors import AlreadyExists
from jit.install import git_hooks
from jit.install.command import Program
from jit.install.installation import install_shims, remove_shims
from jit.install.originals import Originals
from jit.install.shim import Shim
from jit.world.git import find
from tests.install.ground import Person, calls_of, order, tree
from tests.world.ground import git

pytestmark = pytest.mark.git

NAMES = ("pre-commit", "prepare-commit-msg", "post-commit", "pre-push")
THEIRS = '#!/bin/sh\necho "${0##*/} $*" >> "$LOG"\n'


class Hooks:
    """The hooks of one worktree, with the recorder in place of jit."""

    def __init__(self, worktree: Path, program: Program) -> None:
        self.worktree = worktree
        self.program = program
        self.folder = Path(git_hooks.hooks_folder(find(str(worktree), {})))
        self.records = Originals(str(worktree.parent / "records"))

    def install(self) -> list[str]:
        done = install_shims(str(self.folder), "git", self._shims(), self.records)
        return [change.state for change in done]

    def uninstall(self) -> None:
        remove_shims(self._shims(), self.records.find(str(self.folder)), self.records)

    def states(self) -> list[str]:
        return [one.state() for one in self._shims()]

    def names(self) -> list[str]:
        """The hooks that called jit, in their order."""
        return [words[1] for words, _ in calls_of(self.program)]

    def write(self, name: str, text: str = THEIRS, mode: int = 0o755) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / name
        path.write_text(text, "utf-8")
        path.chmod(mode)
        return path

    def _shims(self) -> list[Shim]:
        return git_hooks.shims(str(self.folder), self.program)


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOG", str(tmp_path / "log"))
    return tmp_path / "log"


@pytest.fixture
def hooks(repository: Path, recorder: Program) -> Hooks:
    return Hooks(repository, recorder)


def commit(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.invalid"]
    command = ["git", *who, "commit", "--allow-empty", "-m", "words", *words]
    return subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, timeout=60)


def test_a_commit_and_a_push_call_jit_with_gits_own_arguments_and_input(hooks: Hooks, tmp_path: Path) -> None:
    assert hooks.install() == ["written"] * 4
    assert commit(hooks.worktree).returncode == 0
    git(tmp_path, "init", "--quiet", "--bare", "remote")
    git(hooks.worktree, "push", str(tmp_path / "remote"), "main")
    calls = calls_of(hooks.program)
    assert [words[:2] for words, _ in calls] == [["--git", name] for name in NAMES]
    assert calls[1][0][2:] == [".git/COMMIT_EDITMSG", "message"]
    assert calls[3][0][2:] == [str(tmp_path / "remote")] * 2
    head = git(hooks.worktree, "rev-parse", "HEAD")
    assert calls[3][1] == f"refs/heads/main {head} refs/heads/main {'0' * 40}\n"


@pytest.mark.parametrize("place", ["main", "subdirectory", "linked", "relative path", "absolute path"])
def test_hooks_are_found_wherever_git_looks(hooks: Hooks, tmp_path: Path, place: str) -> None:
    worktree = hooks.worktree
    if place == "relative path":
        git(worktree, "config", "core.hooksPath", "my hooks/new")
    if place == "absolute path":
        git(worktree, "config", "core.hooksPath", str(tmp_path / "shared hooks"))
    if place == "linked":
        git(worktree, "worktree", "add", "--quiet", "-b", "linked", str(tmp_path / "linked ü"))
        worktree = tmp_path / "linked ü"
    if place == "subdirectory":
        worktree = worktree / "a/b"
        worktree.mkdir(parents=True)
    before = tree(tmp_path)
    there = Hooks(worktree, hooks.program)
    there.records = hooks.records
    there.install()
    assert there.states() == ["installed"] * 4
    there.uninstall()
    assert tree(tmp_path) == before | {"records": ("folder",)}
    there.install()
    assert commit(worktree).returncode == 0
    assert there.names() == ["pre-commit", "prepare-commit-msg", "post-commit"]


def test_hooks_of_the_main_worktree_serve_the_ones_made_later(hooks: Hooks, tmp_path: Path) -> None:
    hooks.install()
    git(hooks.worktree, "worktree", "add", "--quiet", str(tmp_path / "later"))
    assert commit(tmp_path / "later").returncode == 0
    assert hooks.names() == ["pre-commit", "prepare-commit-msg", "post-commit"]


@pytest.mark.parametrize("name", ["pre-commit", "prepare-commit-msg", "pre-push"])
def test_a_refusal_of_jit_stops_git(hooks: Hooks, tmp_path: Path, name: str) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "remote")
    hooks.install()
    order(hooks.program, f"sys.exit('held by someone' if {name!r} in sys.argv else 0)")
    before = git(hooks.worktree, "rev-parse", "HEAD")
    if name == "pre-push":
        with pytest.raises(subprocess.CalledProcessError):
            git(hooks.worktree, "push", str(tmp_path / "remote"), "main")
        return
    done = commit(hooks.worktree)
    assert done.returncode == 1
    assert "held by someone" in done.stderr
    assert git(hooks.worktree, "rev-parse", "HEAD") == before


def test_foreign_hooks_run_under_their_own_name_with_the_same_arguments(hooks: Hooks, log: Path) -> None:
    for name in NAMES[:3]:
        hooks.write(name)
    hooks.install()
    assert hooks.states() == ["chained"] * 3 + ["installed"]
    assert commit(hooks.worktree).returncode == 0
    assert log.read_text("utf-8").splitlines() == [
        "pre-commit ",
        "prepare-commit-msg .git/COMMIT_EDITMSG message",
        "post-commit ",
    ]
    assert hooks.names() == list(NAMES[:3])


@pytest.mark.parametrize("shebang", ["#!/bin/sh", "#!/usr/bin/env sh", "#!/bin/sh -e", "#!/usr/bin/env python3"])
def test_a_foreign_refusal_stops_git_before_jit_is_asked(hooks: Hooks, shebang: str) -> None:
    hooks.write(
        "pre-commit", f"{shebang}\nimport sys; sys.exit(3)\n" if "python" in shebang else f"{shebang}\nexit 3\n"
    )
    hooks.install()
    assert commit(hooks.worktree).returncode == 1
    assert hooks.names() == []


def test_both_hooks_read_what_is_pushed(hooks: Hooks, tmp_path: Path, log: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "remote")
    hooks.write("pre-push", '#!/usr/bin/env bash\ncat > "$LOG"\n')
    hooks.install()
    git(hooks.worktree, "push", str(tmp_path / "remote"), "main")
    ((_, heard),) = calls_of(hooks.program)
    assert heard == log.read_text("utf-8")
    assert heard.startswith("refs/heads/main ")


def test_a_foreign_hook_after_the_commit_runs_although_jit_fails(hooks: Hooks, log: Path) -> None:
    hooks.write("post-commit")
    hooks.install()
    order(hooks.program, "sys.exit(1 if 'post-commit' in sys.argv else 0)")
    assert commit(hooks.worktree).returncode == 0
    assert log.read_text("utf-8") == "post-commit \n"


def test_a_foreign_hook_that_was_switched_off_stays_off(hooks: Hooks, log: Path) -> None:
    hooks.write("pre-commit", mode=0o644)
    hooks.install()
    assert commit(hooks.worktree).returncode == 0
    assert not log.exists()
    assert hooks.names()[0] == "pre-commit"


def test_a_foreign_hook_that_is_a_link_is_followed_and_comes_back_as_a_link(hooks: Hooks, log: Path) -> None:
    script = hooks.worktree / "check.sh"
    script.write_text(THEIRS, "utf-8")
    script.chmod(0o755)
    (hooks.folder / "pre-commit").symlink_to("../../check.sh")
    before = tree(hooks.folder)
    hooks.install()
    assert commit(hooks.worktree).returncode == 0
    assert log.read_text("utf-8") == "pre-commit \n"
    hooks.uninstall()
    assert tree(hooks.folder) == before


def test_installing_twice_changes_nothing_and_uninstalling_restores_every_byte(hooks: Hooks) -> None:
    hooks.write("pre-commit", "#!/bin/sh\n: no newline at the end", mode=0o700)
    hooks.write("pre-push", "\x00binary", mode=0o711)
    before = tree(hooks.folder)
    hooks.install()
    once = tree(hooks.folder)
    assert hooks.install() == ["kept"] * 4
    assert tree(hooks.folder) == once
    hooks.uninstall()
    assert tree(hooks.folder) == before
    hooks.uninstall()
    assert tree(hooks.folder) == before


@pytest.mark.parametrize("foreign", [False, True])
def test_without_jit_git_goes_on_with_one_line_of_warning(hooks: Hooks, log: Path, *, foreign: bool) -> None:
    if foreign:
        hooks.write("pre-commit")
    hooks.install()
    os.unlink(hooks.program.entry)
    done = commit(hooks.worktree, "--quiet")
    assert done.returncode == 0
    assert [line[:5] for line in done.stderr.splitlines()] == ["jit: "] * 3
    assert "To repair: jit hooks install" in done.stderr
    assert log.exists() == foreign


def test_a_shim_is_short_and_readable_by_any_posix_shell(hooks: Hooks) -> None:
    for name in NAMES:
        hooks.write(name)
    hooks.install()
    for name in NAMES:
        text = (hooks.folder / name).read_text("utf-8")
        assert text.startswith("#!/bin/sh\n")
        assert len(text.splitlines()) <= 20
        subprocess.run(["sh", "-n", str(hooks.folder / name)], check=True, timeout=60)


def test_an_older_shim_is_outdated_and_renewed(hooks: Hooks, tmp_path: Path) -> None:
    older = Hooks(hooks.worktree, Program("/old/python", "/old/jit/hooks/entry.py"))
    older.install()
    assert hooks.states() == ["outdated"] * 4
    assert hooks.install() == ["written"] * 4
    assert hooks.states() == ["installed"] * 4
    assert not list(hooks.folder.glob("*.edited"))


def test_an_edited_shim_is_kept_beside_its_place(hooks: Hooks) -> None:
    hooks.install()
    path = hooks.folder / "pre-commit"
    edited = path.read_text("utf-8").replace("exit 0\n", "make lint\nexit 0\n")
    path.write_text(edited, "utf-8")
    assert hooks.states()[0] == "outdated"
    hooks.uninstall()
    assert not path.exists()
    assert (hooks.folder / "pre-commit.edited").read_text("utf-8") == edited


def test_a_hook_put_over_the_shim_is_never_lost(hooks: Hooks) -> None:
    hooks.write("pre-commit")
    hooks.install()
    hooks.write("pre-commit")  # a tool wrote its hook anew, just as it was
    assert hooks.states()[0] == "foreign"
    hooks.install()
    assert hooks.states()[0] == "chained"
    hooks.write("pre-commit", "#!/bin/sh\n: another\n")
    before = tree(hooks.folder)
    with pytest.raises(AlreadyExists, match="nothing was changed"):
        hooks.install()
    assert tree(hooks.folder) == before


def test_an_installation_that_died_half_way_is_completed(hooks: Hooks, log: Path) -> None:
    hooks.write("pre-commit").rename(hooks.folder / "pre-commit.jit-chained")
    assert hooks.states()[0] == "missing"
    hooks.install()
    assert commit(hooks.worktree).returncode == 0
    assert log.read_text("utf-8") == "pre-commit \n"


def test_the_commands_tell_the_state_of_each_hook(person: Person, repository: Path) -> None:
    person.folder = repository
    folder = repository / ".git/hooks"
    (folder / "pre-commit").write_text(THEIRS, "utf-8")
    before = tree(repository)

    def states(answer: dict[str, object]) -> list[tuple[str, str, bool]]:
        return [(row["hook"], row["state"], row["changed"]) for row in answer["hooks"]]  # type: ignore[attr-defined]

    assert [state for _, state, _ in states(person.run("hooks", "status"))] == ["foreign", *["missing"] * 3]
    installed = states(person.run("hooks", "install"))
    assert installed == [(name, "chained" if name == "pre-commit" else "installed", True) for name in NAMES]
    assert not any(changed for _, _, changed in states(person.run("hooks", "install")))
    person.run("hooks", "uninstall")
    assert tree(repository) == before
    person.run("hooks", "install")
    person.run("uninstall")
    assert tree(repository) == before
