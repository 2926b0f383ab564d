from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jit.errors import Invalid, Unavailable
from jit.kernel.instant import after
from jit.world.files import Files
from jit.world.git import Repository, find
from jit.world.worktree import exclude, find_by_id, load_or_create
from jit.world.worktree_file import read
from tests.traceability import covers
from tests.world.ground import FILES, NOON, git, make_repository

pytestmark = pytest.mark.git
LATER = after(NOON, 60_000)


def at(place: Path) -> Repository:
    return find(str(place), {})


def stored(place: Path) -> dict[str, object]:
    found = json.loads((place / ".jit/worktree.json").read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def refusing(number: int) -> Files:
    def write(path: str, data: bytes) -> None:
        raise OSError(number, os.strerror(number), path)

    def create(path: str, data: bytes) -> bool:
        raise OSError(number, os.strerror(number), path)

    return Files(write, create)


class TestFirstUse:
    @covers("002:worktree.id", "002:T8")
    def test_the_id_is_a_hash_of_path_and_creation_time(self, repository: Path) -> None:
        identity, warnings = load_or_create(at(repository), NOON, FILES)
        digest = hashlib.sha256(f"{repository}2026-01-03T12:00:00.000Z".encode()).hexdigest()
        assert identity.worktree_id == "wt:" + digest[:8]
        assert warnings == ()

    @covers("002:worktree.schema", "002:worktree.first-use")
    def test_the_file_has_the_documented_fields(self, repository: Path) -> None:
        identity, _ = load_or_create(at(repository), NOON, FILES)
        assert stored(repository) == {
            "schema_version": 1,
            "worktree_id": identity.worktree_id,
            "branch": "main",
            "root": str(repository),
            "created_at": "2026-01-03T12:00:00.000Z",
        }

    @covers("002:T7", "002:worktree.immutable")
    def test_later_commands_get_the_same_identity(self, repository: Path) -> None:
        first, _ = load_or_create(at(repository), NOON, FILES)
        assert load_or_create(at(repository), LATER, refusing(errno.EIO)) == (first, ())

    def test_worktrees_of_one_repository_have_different_ids(self, repository: Path, tmp_path: Path) -> None:
        git(repository, "worktree", "add", "--quiet", str(tmp_path / "side"))
        main, _ = load_or_create(at(repository), NOON, FILES)
        side, _ = load_or_create(at(tmp_path / "side"), NOON, FILES)
        assert main.worktree_id != side.worktree_id
        assert side.branch == "side"

    @covers("002:layout.uncommitted")
    def test_git_never_sees_the_file_in_any_worktree(self, repository: Path, tmp_path: Path) -> None:
        git(repository, "worktree", "add", "--quiet", str(tmp_path / "side"))
        for place in (repository, tmp_path / "side"):
            load_or_create(at(place), NOON, FILES)
            git(place, "add", "--all")
            assert git(place, "status", "--porcelain") == ""

    def test_other_exclusions_are_kept_and_ours_is_added_once(self, repository: Path) -> None:
        path = repository / ".git/info/exclude"
        path.write_text("*.log\nlast without end", "utf-8")
        exclude(at(repository), FILES)
        exclude(at(repository), refusing(errno.EIO))
        assert path.read_text("utf-8") == "*.log\nlast without end\n.jit/worktree.json\n"

    def test_a_repository_without_an_exclusion_file_gets_one(self, repository: Path) -> None:
        shutil.rmtree(repository / ".git/info")
        exclude(at(repository), FILES)
        assert (repository / ".git/info/exclude").read_text("utf-8") == ".jit/worktree.json\n"

    def test_processes_that_are_first_together_agree(self, repository: Path) -> None:
        code = (
            "import sys\n"
            "from jit.kernel.instant import Instant\n"
            "from jit.world import git, worktree\n"
            "from tests.world.ground import FILES\n"
            "repo = git.find(sys.argv[1], {}); print('ready', flush=True); sys.stdin.readline()\n"
            "print(worktree.load_or_create(repo, Instant(int(sys.argv[2]), 0, 'b'), FILES)[0].worktree_id)\n"
        )
        started = [
            subprocess.Popen(
                [sys.executable, "-c", code, str(repository), str(n)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            )
            for n in range(8)
        ]
        for one in started:
            assert one.stdout is not None
            assert one.stdout.readline() == "ready\n"
        for one in started:
            assert one.stdin is not None
            one.stdin.write("go\n")
            one.stdin.flush()
        answers = {one.communicate(timeout=60)[0].strip() for one in started}
        assert answers == {stored(repository)["worktree_id"]}

    def test_a_bare_repository_has_none(self, tmp_path: Path) -> None:
        git(tmp_path, "init", "--quiet", "--bare", "store.git")
        with pytest.raises(Unavailable, match="bare") as caught:
            load_or_create(at(tmp_path / "store.git"), NOON, FILES)
        assert "worktree add" in caught.value.hint


class TestMoving:
    @covers("002:worktree.relocation")
    def test_a_moved_worktree_keeps_its_id_and_says_so_once(self, repository: Path, tmp_path: Path) -> None:
        git(repository, "worktree", "add", "--quiet", str(tmp_path / "side"))
        before, _ = load_or_create(at(tmp_path / "side"), NOON, FILES)
        git(repository, "worktree", "move", str(tmp_path / "side"), str(tmp_path / "moved"))
        identity, warnings = load_or_create(at(tmp_path / "moved"), LATER, FILES)
        assert identity.worktree_id == before.worktree_id
        assert identity.root == stored(tmp_path / "moved")["root"] == str(tmp_path / "moved")
        assert identity.relocated_at == stored(tmp_path / "moved")["relocated_at"] == "2026-01-03T12:01:00.000Z"
        assert len(warnings) == 1
        assert str(tmp_path / "side") in warnings[0]
        assert load_or_create(at(tmp_path / "moved"), LATER, FILES) == (identity, ())

    def test_a_new_worktree_at_the_old_place_has_a_new_id(self, repository: Path, tmp_path: Path) -> None:
        git(repository, "worktree", "add", "--quiet", str(tmp_path / "side"))
        before, _ = load_or_create(at(tmp_path / "side"), NOON, FILES)
        git(repository, "worktree", "move", str(tmp_path / "side"), str(tmp_path / "moved"))
        git(repository, "worktree", "add", "--quiet", "-b", "again", str(tmp_path / "side"))
        second, _ = load_or_create(at(tmp_path / "side"), LATER, FILES)
        moved, _ = load_or_create(at(tmp_path / "moved"), LATER, FILES)
        assert moved.worktree_id == before.worktree_id != second.worktree_id

    def test_a_copy_gets_its_own_id_and_the_original_keeps_its(self, repository: Path, tmp_path: Path) -> None:
        original, _ = load_or_create(at(repository), NOON, FILES)
        subprocess.run(["cp", "-r", str(repository), str(tmp_path / "copy")], check=True, timeout=60)
        copy, warnings = load_or_create(at(tmp_path / "copy"), LATER, FILES)
        assert copy.worktree_id != original.worktree_id
        assert len(warnings) == 1
        assert "copy" in warnings[0]
        assert load_or_create(at(tmp_path / "copy"), LATER, FILES) == (copy, ())
        assert load_or_create(at(repository), LATER, FILES) == (original, ())

    def test_processes_that_notice_a_copy_together_agree(self, repository: Path, tmp_path: Path) -> None:
        load_or_create(at(repository), NOON, FILES)
        subprocess.run(["cp", "-a", str(repository), str(tmp_path / "copy")], check=True, timeout=60)
        kept: list[bytes] = []

        def write(path: str, data: bytes) -> None:
            kept.append(data)

        unwritten = Files(write, FILES.create)
        one, _ = load_or_create(at(tmp_path / "copy"), NOON, unwritten)
        other, _ = load_or_create(at(tmp_path / "copy"), LATER, unwritten)
        assert one == other
        assert kept[0] == kept[-1]

    def test_one_directory_under_two_names_is_neither_moved_nor_copied(self, repository: Path, tmp_path: Path) -> None:
        identity, _ = load_or_create(at(repository), NOON, FILES)
        twin = make_repository(tmp_path / "twin")
        (twin / ".jit").mkdir()
        os.link(repository / ".jit/worktree.json", twin / ".jit/worktree.json")
        assert load_or_create(at(twin), LATER, refusing(errno.EIO)) == (identity, ())


class TestTrouble:
    @pytest.mark.parametrize(
        "text",
        [
            "",
            "{",
            "[]",
            "\xff",
            '{"schema_version": 2, "worktree_id": "wt:00000000", "branch": "", "root": "/", "created_at": ""}',
            '{"schema_version": 1, "worktree_id": "wt:xyz", "branch": "", "root": "/", "created_at": ""}',
            '{"schema_version": 1, "worktree_id": "wt:00000000", "branch": "", "created_at": ""}',
        ],
    )
    def test_a_damaged_file_is_named_with_the_way_out(self, repository: Path, text: str) -> None:
        (repository / ".jit").mkdir()
        (repository / ".jit/worktree.json").write_text(text, "latin-1")
        with pytest.raises(Invalid, match=r"worktree\.json cannot be used") as caught:
            load_or_create(at(repository), NOON, FILES)
        assert caught.value.hint.startswith(f"rm '{repository}/.jit/worktree.json'")
        assert (repository / ".jit/worktree.json").read_text("latin-1") == text

    @pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.EPERM])
    def test_where_nothing_can_be_written_the_name_comes_from_the_path(self, repository: Path, number: int) -> None:
        one, warnings = load_or_create(at(repository), NOON, refusing(number))
        other, _ = load_or_create(at(repository), LATER, refusing(number))
        digest = hashlib.sha256(str(repository).encode()).hexdigest()
        assert one.worktree_id == other.worktree_id == "wt:" + digest[:8]
        assert len(warnings) == 1
        assert "cannot be written" in warnings[0]

    def test_a_refusal_in_the_words_of_the_store_counts_too(self, repository: Path) -> None:
        def write(path: str, data: bytes) -> None:
            raise Unavailable("the store cannot write") from OSError(errno.EROFS, "read-only", path)

        identity, warnings = load_or_create(at(repository), NOON, Files(write, FILES.create))
        assert identity.worktree_id.startswith("wt:")
        assert warnings

    def test_a_full_disk_is_a_fault_and_not_a_new_name(self, repository: Path) -> None:
        with pytest.raises(Unavailable, match="could not be written"):
            load_or_create(at(repository), NOON, refusing(errno.ENOSPC))

    def test_a_move_that_cannot_be_noted_keeps_the_id(self, repository: Path, tmp_path: Path) -> None:
        before, _ = load_or_create(at(repository), NOON, FILES)
        repository.rename(tmp_path / "moved")
        identity, warnings = load_or_create(at(tmp_path / "moved"), LATER, refusing(errno.EROFS))
        assert identity.worktree_id == before.worktree_id
        assert len(warnings) == 2

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
    def test_a_directory_without_permission_is_a_read_only_checkout(self, repository: Path) -> None:
        repository.chmod(0o500)
        try:
            _, warnings = load_or_create(at(repository), NOON, FILES)
        finally:
            repository.chmod(0o700)
        assert warnings


class TestLookup:
    def test_a_worktree_is_found_by_its_id_from_any_other(self, repository: Path, tmp_path: Path) -> None:
        for name in ("one", "two"):
            git(repository, "worktree", "add", "--quiet", str(tmp_path / name))
        wanted, _ = load_or_create(at(tmp_path / "two"), NOON, FILES)
        (tmp_path / "one/.jit").mkdir()
        (tmp_path / "one/.jit/worktree.json").write_text("damaged", "utf-8")
        found = find_by_id(at(repository), wanted.worktree_id)
        assert found is not None
        assert (found.root, found.branch) == (str(tmp_path / "two"), "two")

    def test_an_id_that_nobody_has_is_not_found(self, repository: Path) -> None:
        load_or_create(at(repository), NOON, FILES)
        assert find_by_id(at(repository), "wt:00000000") is None

    def test_reading_makes_nothing(self, repository: Path) -> None:
        assert read(str(repository)) is None
        assert not (repository / ".jit").exists()
