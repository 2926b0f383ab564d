from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from jit.world.config import resolve
from jit.world.config_layers import CACHED_FILES_LIMIT, ConfigPaths, locate
from jit.world.files import Files
from tests.world.ground import FILES, LONG_AGO, SETTINGS, git, put


class TestCache:
    """A cached layer is recognised by planting a value in the cache that the file does not have."""

    def plant(self, paths: ConfigPaths, old: str, new: str) -> None:
        cache = Path(paths.cache)
        text = cache.read_text("ascii")
        assert old in text
        cache.write_text(text.replace(old, new), "ascii")

    def mode(self, paths: ConfigPaths) -> object:
        return resolve(paths, {}, files=FILES).get("worktree.mode")

    @pytest.fixture
    def cached(self, paths: ConfigPaths) -> ConfigPaths:
        put(paths.repository, '[worktree]\nmode = "off"\n')
        assert self.mode(paths) == "off"
        self.plant(paths, '"off"', '"on"')
        return paths

    def test_an_unchanged_file_is_not_parsed_again(self, cached: ConfigPaths) -> None:
        assert self.mode(cached) == "on"

    def test_a_changed_file_is_parsed_again(self, cached: ConfigPaths) -> None:
        put(cached.repository, '[worktree]\nmode = "auto"\n')
        assert self.mode(cached) == "auto"

    def test_another_file_of_the_same_time_and_size_is_parsed(self, cached: ConfigPaths) -> None:
        put(f"{cached.repository}.new", '[worktree]\nmode = "off"\n')
        Path(f"{cached.repository}.new").rename(cached.repository)
        assert self.mode(cached) == "off"

    def test_a_removed_file_is_forgotten(self, cached: ConfigPaths) -> None:
        Path(cached.repository).unlink()
        assert self.mode(cached) == "auto"

    def test_a_file_of_this_very_moment_is_not_kept(self, paths: ConfigPaths) -> None:
        put(paths.repository, '[worktree]\nmode = "off"\n')
        resolve(paths, {}, files=FILES, now_ns=LONG_AGO + 1_999_999_999)
        assert not Path(paths.cache).exists()
        resolve(paths, {}, files=FILES, now_ns=LONG_AGO + 2_000_000_000)
        assert Path(paths.cache).exists()

    @pytest.mark.parametrize("garbage", [b"", b"{", b"\xff", b"[]", b'{"version": 1, "files": 3}', b'{"version": 99}'])
    def test_a_damaged_cache_is_ignored_and_replaced(self, paths: ConfigPaths, garbage: bytes) -> None:
        put(paths.repository, '[worktree]\nmode = "off"\n')
        Path(paths.cache).write_bytes(garbage)
        assert self.mode(paths) == "off"
        self.plant(paths, '"off"', '"on"')
        assert self.mode(paths) == "on"

    def test_a_cache_that_cannot_be_written_costs_only_time(self, paths: ConfigPaths) -> None:
        put(paths.repository, '[worktree]\nmode = "off"\n')

        def refuse(path: str, data: bytes) -> None:
            raise PermissionError(13, "no", path)

        assert resolve(paths, {}, files=Files(refuse, FILES.create)).get("worktree.mode") == "off"
        assert not Path(paths.cache).exists()

    def test_worktrees_share_the_cache_and_it_stays_small(self, paths: ConfigPaths, tmp_path: Path) -> None:
        for number in range(CACHED_FILES_LIMIT + 20):
            (tmp_path / f"w{number}/.jit").mkdir(parents=True)
            place = locate(str(tmp_path / f"w{number}"), str(tmp_path / "control"), {}, home="/nowhere", system="")
            put(place.repository, "[locks]\nwait_secs = 5\n")
            assert resolve(place, {}, files=FILES).get("locks.wait_secs") == 5
        assert Path(paths.cache).read_text("ascii").count("wait_secs") == CACHED_FILES_LIMIT

    def test_with_a_fresh_cache_no_slow_module_is_imported(self, paths: ConfigPaths, tmp_path: Path) -> None:
        git(tmp_path, "init", "--quiet", "--initial-branch=main")
        put(paths.repository, SETTINGS)
        put(paths.agent, '[agent]\nid = "agent:a"\n')
        resolve(paths, {}, files=FILES)
        code = (
            "import sys\n"
            "from jit.world import clock, entropy, process, git, worktree, identity, config, config_layers\n"
            "paths = config_layers.ConfigPaths(*sys.argv[1:])\n"
            "settings = config.resolve(paths, {}); settings.check(); settings.warnings()\n"
            "process.liveness(process.me()), clock.SystemClock().now(), entropy.SystemEntropy().ulid(1)\n"
            "print(identity.resolve(None, {}, settings).id, git.branch(git.find(paths.repository, {})))\n"
            "slow = 'dataclasses enum typing re json pathlib subprocess argparse socket uuid datetime collections'\n"
            "slow += ' contextlib functools tomllib tomlkit hashlib difflib'\n"
            "print(*[name for name in slow.split() if name in sys.modules])\n"
        )
        source = str(Path(__file__).parents[2] / "src")
        places = [paths.repository, paths.user, paths.system, paths.agent, paths.cache]
        run = f"import sys; sys.path.insert(0, {source!r}); exec({code!r})"
        command = [sys.executable, "-I", "-S", "-c", run, *places]
        out = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
        agent, slow = out.split("\n")[:2]
        assert agent == "agent:a main"
        assert slow == ""
