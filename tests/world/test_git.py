from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from jit.errors import Invalid, Unavailable
from jit.world import git_questions
from jit.world.git import Repository, branch, find
from jit.world.git_questions import Worktree, parse_worktrees, require_main_history, worktrees
from jit.world.git_settings import parse
from tests.traceability import covers
from tests.world.ground import commit, git, make_repository

pytestmark = pytest.mark.git


def found(place: Path, **environ: str) -> Repository:
    return find(str(place), environ)


class TestDiscovery:
    @covers("002:T6")
    def test_main_and_linked_worktrees_share_the_common_directory(self, repository: Path, tmp_path: Path) -> None:
        git(repository, "worktree", "add", "--quiet", str(tmp_path / "side"))
        main, side = found(repository), found(tmp_path / "side")
        assert main == Repository(str(repository / ".git"), str(repository / ".git"), str(repository), "main")
        assert side.kind == "linked"
        assert side.common_dir == main.common_dir
        assert side.git_dir == str(repository / ".git/worktrees/side")
        assert side.worktree == str(tmp_path / "side")

    def test_any_subdirectory_leads_to_the_top(self, repository: Path) -> None:
        (repository / "a/b").mkdir(parents=True)
        assert found(repository / "a/b") == found(repository)

    def test_a_symbolic_link_to_a_subdirectory_leads_to_the_real_top(self, repository: Path, tmp_path: Path) -> None:
        (repository / "a").mkdir()
        (tmp_path / "link").symlink_to(repository / "a")
        assert found(tmp_path / "link") == found(repository)

    def test_inside_the_git_directory_the_worktree_is_still_known(self, repository: Path, tmp_path: Path) -> None:
        git(repository, "worktree", "add", "--quiet", str(tmp_path / "side"))
        assert found(repository / ".git/refs/heads") == found(repository)
        assert found(repository / ".git/worktrees/side") == found(tmp_path / "side")

    def test_a_bare_repository_has_no_worktree(self, tmp_path: Path) -> None:
        git(tmp_path, "init", "--quiet", "--bare", "store.git")
        bare = found(tmp_path / "store.git/refs")
        assert (bare.kind, bare.worktree, bare.common_dir) == ("bare", "", str(tmp_path / "store.git"))

    def test_a_worktree_of_a_bare_repository_is_linked(self, repository: Path, tmp_path: Path) -> None:
        git(tmp_path, "clone", "--quiet", "--bare", str(repository), "project/.bare")
        (tmp_path / "project/.git").write_text("gitdir: ./.bare\n", "ascii")
        git(tmp_path / "project", "worktree", "add", "--quiet", "main")
        inside, above = found(tmp_path / "project/main"), found(tmp_path / "project")
        assert (inside.kind, inside.worktree) == ("linked", str(tmp_path / "project/main"))
        assert inside.common_dir == above.common_dir == str(tmp_path / "project/.bare")
        assert (above.kind, above.worktree) == ("bare", "")

    def test_a_bare_flag_in_the_worktree_settings_is_seen(self, repository: Path) -> None:
        git(repository, "config", "extensions.worktreeConfig", "true")
        git(repository, "config", "--worktree", "core.bare", "true")
        assert found(repository).kind == "bare"

    def test_a_submodule_is_a_repository_of_its_own(self, repository: Path, tmp_path: Path) -> None:
        make_repository(tmp_path / "library")
        git(repository, "submodule", "--quiet", "add", str(tmp_path / "library"), "lib")
        module = found(repository / "lib")
        assert module.kind == "submodule"
        assert module.worktree == str(repository / "lib")
        assert module.common_dir == module.git_dir == str(repository / ".git/modules/lib")
        assert found(repository / ".git/modules/lib/refs") == module

    def test_a_worktree_of_a_submodule_is_linked_to_it(self, repository: Path, tmp_path: Path) -> None:
        make_repository(tmp_path / "library")
        git(repository, "submodule", "--quiet", "add", str(tmp_path / "library"), "lib")
        git(repository / "lib", "worktree", "add", "--quiet", str(tmp_path / "side"))
        side = found(tmp_path / "side")
        assert (side.kind, side.worktree) == ("linked", str(tmp_path / "side"))
        assert side.common_dir == str(repository / ".git/modules/lib")

    def test_a_separate_git_directory_is_followed(self, tmp_path: Path) -> None:
        git(tmp_path, "init", "--quiet", "--separate-git-dir", "elsewhere", "work")
        apart = found(tmp_path / "work")
        assert (apart.kind, apart.git_dir, apart.worktree) == (
            "main",
            str(tmp_path / "elsewhere"),
            str(tmp_path / "work"),
        )

    @pytest.mark.parametrize("name", ["späß 日本", "two\nlines", "end ", "#odd;"])
    def test_odd_names_of_directories_are_fine(self, tmp_path: Path, name: str) -> None:
        repository = make_repository(tmp_path / name / "repo")
        git(repository, "worktree", "add", "--quiet", "--detach", str(tmp_path / f"{name}2"))
        assert found(repository).worktree == str(repository)
        assert found(tmp_path / f"{name}2").worktree == str(tmp_path / f"{name}2")
        assert found(tmp_path / f"{name}2").common_dir == str(repository / ".git")

    def test_a_name_that_is_not_unicode_is_fine(self, tmp_path: Path) -> None:
        place = Path(os.fsdecode(os.fsencode(tmp_path / "x") + b"\xff"))
        assert found(make_repository(place)).worktree == str(place)

    def test_an_empty_dot_git_directory_is_passed_over(self, repository: Path) -> None:
        (repository / "a/.git").mkdir(parents=True)
        assert found(repository / "a") == found(repository)

    def test_outside_git_the_answer_says_what_to_do(self, tmp_path: Path) -> None:
        with pytest.raises(Unavailable, match="not inside a git repository") as caught:
            found(tmp_path, GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
        assert caught.value.exit_code == 20
        assert "git init" in caught.value.hint

    def test_a_ceiling_hides_what_is_above_it(self, repository: Path) -> None:
        (repository / "a/b").mkdir(parents=True)
        with pytest.raises(Unavailable):
            found(repository / "a/b", GIT_CEILING_DIRECTORIES=f"/nowhere:{repository}")
        assert found(repository, GIT_CEILING_DIRECTORIES=str(repository)).kind == "main"

    def test_a_ceiling_behind_a_link_counts_unless_links_are_switched_off(
        self, repository: Path, tmp_path: Path
    ) -> None:
        (repository / "a/b").mkdir(parents=True)
        (tmp_path / "link").symlink_to(repository)
        with pytest.raises(Unavailable):
            found(repository / "a/b", GIT_CEILING_DIRECTORIES=str(tmp_path / "link"))
        assert found(repository / "a/b", GIT_CEILING_DIRECTORIES=f":{tmp_path / 'link'}").kind == "main"

    def test_a_worktree_whose_git_directory_is_gone_is_named(self, repository: Path, tmp_path: Path) -> None:
        git(repository, "worktree", "add", "--quiet", str(tmp_path / "side"))
        shutil.rmtree(repository / ".git/worktrees/side")
        with pytest.raises(Unavailable, match="is gone") as caught:
            found(tmp_path / "side")
        assert "git worktree repair" in caught.value.hint

    def test_a_dot_git_file_with_other_content_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / ".git").write_text("hello\n", "ascii")
        with pytest.raises(Unavailable, match="neither a git directory nor a file"):
            found(tmp_path)


class TestEnvironment:
    def test_git_dir_and_work_tree_decide(self, repository: Path, tmp_path: Path) -> None:
        (tmp_path / "tree").mkdir()
        named = found(tmp_path, GIT_DIR="repo/.git", GIT_WORK_TREE="tree")
        assert named == Repository(str(repository / ".git"), str(repository / ".git"), str(tmp_path / "tree"), "main")

    def test_git_dir_alone_makes_the_current_directory_the_worktree(self, repository: Path, tmp_path: Path) -> None:
        (tmp_path / "other").mkdir()
        assert found(tmp_path / "other", GIT_DIR=str(repository / ".git")).worktree == str(tmp_path / "other")

    def test_git_dir_of_the_surrounding_repository_keeps_its_top(self, repository: Path) -> None:
        (repository / "a").mkdir()
        assert found(repository / "a", GIT_DIR=str(repository / ".git")) == found(repository)

    def test_git_dir_of_a_linked_worktree_as_hooks_get_it(self, repository: Path, tmp_path: Path) -> None:
        git(repository, "worktree", "add", "--quiet", str(tmp_path / "side"))
        named = str(repository / ".git/worktrees/side")
        assert found(tmp_path / "side", GIT_DIR=named) == found(tmp_path / "side")
        assert found(tmp_path, GIT_DIR=named) == found(tmp_path / "side")

    def test_git_dir_may_name_a_git_file(self, repository: Path, tmp_path: Path) -> None:
        git(repository, "worktree", "add", "--quiet", str(tmp_path / "side"))
        assert found(tmp_path, GIT_DIR=str(tmp_path / "side/.git")) == found(tmp_path / "side")

    def test_git_common_dir_is_followed(self, repository: Path, tmp_path: Path) -> None:
        other = make_repository(tmp_path / "other")
        assert found(repository, GIT_COMMON_DIR=str(other / ".git")).common_dir == str(other / ".git")

    def test_a_git_dir_that_is_none_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(Unavailable, match="GIT_DIR") as caught:
            found(tmp_path, GIT_DIR="nowhere")
        assert caught.value.hint == "unset GIT_DIR"

    def test_in_a_server_hook_the_repository_is_bare(self, tmp_path: Path) -> None:
        git(tmp_path, "init", "--quiet", "--bare", "store.git")
        assert found(tmp_path / "store.git", GIT_DIR=".").kind == "bare"


class TestBranch:
    def test_a_branch_has_its_short_name(self, repository: Path) -> None:
        git(repository, "switch", "--quiet", "--create", "agents/one")
        assert branch(found(repository)) == "agents/one"

    def test_each_worktree_has_its_own(self, repository: Path, tmp_path: Path) -> None:
        git(repository, "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
        assert (branch(found(repository)), branch(found(tmp_path / "side"))) == ("main", "side")

    def test_a_repository_without_commits_has_one(self, tmp_path: Path) -> None:
        git(tmp_path, "init", "--quiet", "--initial-branch=trunk")
        assert branch(found(tmp_path)) == "trunk"

    def test_a_detached_head_is_named_by_its_commit(self, repository: Path) -> None:
        git(repository, "switch", "--quiet", "--detach")
        assert branch(found(repository)) == "detached:" + git(repository, "rev-parse", "HEAD")[:12]

    def test_a_head_that_is_a_link_is_read(self, repository: Path) -> None:
        (repository / ".git/HEAD").unlink()
        (repository / ".git/HEAD").symlink_to("refs/heads/main")
        assert branch(found(repository)) == "main"

    def test_what_cannot_be_read_from_the_file_is_asked_of_git(self, repository: Path) -> None:
        repo = found(repository)
        assert git_questions.ask_branch(repo) == "main"
        git(repository, "switch", "--quiet", "--detach")
        assert git_questions.ask_branch(repo) == "detached:" + git(repository, "rev-parse", "HEAD")[:12]


class TestQuestions:
    @covers("L:14")
    def test_unusual_worktrees_are_listed(self, repository: Path, tmp_path: Path) -> None:
        for name in ("plain", "gone", "kept"):
            git(repository, "worktree", "add", "--quiet", str(tmp_path / name))
        git(repository, "worktree", "add", "--quiet", "--detach", str(tmp_path / "two\nlines"))
        git(repository, "worktree", "lock", "--reason", "on a stick", str(tmp_path / "kept"))
        shutil.rmtree(tmp_path / "gone")
        head = git(repository, "rev-parse", "HEAD")
        listed = {Path(one.path).name: one for one in worktrees(found(tmp_path / "plain"))}
        assert listed["repo"] == Worktree(
            str(repository), head, "main", detached=False, locked=None, prunable=None, bare=False
        )
        assert listed["kept"].locked == "on a stick"
        assert listed["gone"].prunable
        assert (listed["two\nlines"].detached, listed["two\nlines"].branch) == (True, "")
        assert len(listed) == 5

    def test_an_older_git_answers_by_lines(self) -> None:
        text = "worktree /a\nbare\n\nworktree /b c\nHEAD 12\nbranch refs/heads/x/y\nlocked\n\n"
        assert list(parse_worktrees(text, "\n")) == [
            Worktree("/a", "", "", detached=False, locked=None, prunable=None, bare=True),
            Worktree("/b c", "12", "x/y", detached=False, locked="", prunable=None, bare=False),
        ]

    def test_variables_of_a_surrounding_git_do_not_lead_elsewhere(
        self, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = make_repository(tmp_path / "other")
        monkeypatch.setenv("GIT_DIR", str(other / ".git"))
        monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere")
        top = git_questions.ask(found(repository), "rev-parse", "--show-toplevel")
        assert top == f"{repository}\n"

    def test_a_repository_named_by_variables_is_asked(self, repository: Path, tmp_path: Path) -> None:
        (tmp_path / "tree").mkdir()
        repo = found(tmp_path, GIT_DIR="repo/.git", GIT_WORK_TREE="tree")
        assert git_questions.ask(repo, "rev-parse", "HEAD") == git(repository, "rev-parse", "HEAD") + "\n"

    def test_a_refusal_carries_the_words_of_git(self, repository: Path) -> None:
        with pytest.raises(Unavailable, match="not-there"):
            git_questions.ask(found(repository), "rev-parse", "--verify", "not-there^{commit}", "--")

    def test_a_missing_git_is_said(self, repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(Unavailable, match="not on PATH"):
            git_questions.ask(found(repository), "version")


class TestDivergence:
    def test_a_branch_that_has_all_of_main_passes(self, repository: Path) -> None:
        git(repository, "switch", "--quiet", "--create", "topic")
        commit(repository, "more")
        assert require_main_history(found(repository)) == "main"

    def test_a_branch_that_lacks_a_commit_of_main_is_refused(self, repository: Path) -> None:
        git(repository, "branch", "topic")
        commit(repository, "on main")
        git(repository, "switch", "--quiet", "topic")
        with pytest.raises(Invalid, match="it lacks 1 commit of it") as caught:
            require_main_history(found(repository))
        assert caught.value.hint == "git rebase main"

    def test_the_branch_of_origin_counts_more_than_the_local_one(self, repository: Path, tmp_path: Path) -> None:
        git(tmp_path, "clone", "--quiet", str(repository), "clone")
        commit(repository, "upstream")
        git(tmp_path / "clone", "fetch", "--quiet")
        with pytest.raises(Invalid) as caught:
            require_main_history(found(tmp_path / "clone"))
        assert caught.value.hint == "git rebase origin/main"

    def test_before_the_first_commit_nothing_can_diverge(self, tmp_path: Path) -> None:
        git(tmp_path, "init", "--quiet", "--initial-branch=main")
        assert require_main_history(found(tmp_path)) == ""

    def test_without_a_main_branch_the_answer_says_so(self, repository: Path) -> None:
        git(repository, "branch", "--move", "trunk")
        with pytest.raises(Invalid, match="no main branch"):
            require_main_history(found(repository))


def test_the_settings_of_git_are_read_as_git_reads_them(repository: Path) -> None:
    text = (
        '[core] bare = yes ; said here\n\tworktree = "../a \\"b\\"\\\\c" # there\n'
        "[CORE]\n\tFileMode\n\tlong = one\\\n two\n[extensions]\nworktreeConfig=true\n"
    )
    (repository / "settings").write_text(text, "utf-8")
    listed = git(repository, "config", "--file", "settings", "--null", "--list").split("\0")
    theirs = dict(entry.partition("\n")[::2] for entry in listed if entry)
    assert dict(parse(text)) == theirs | {"core.filemode": "true"}
