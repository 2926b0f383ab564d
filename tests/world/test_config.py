from __future__ import annotations

from pathlib import Path

import pytest

from jit.errors import ConfigError, NotFound
from jit.world.config import Settings, resolve
from jit.world.config_keys import KEYS, RETIRED, fault
from jit.world.config_layers import ConfigPaths, locate
from jit.world.config_validation import validate
from tests.traceability import covers
from tests.world.ground import SETTINGS, put


class TestDefaults:
    def test_the_defaults_are_those_of_the_documented_file(self, paths: ConfigPaths) -> None:
        put(paths.repository, SETTINGS)
        written, bare = resolve(paths, {}), resolve(locate("", "", {}, home="/nowhere", system=""), {})
        named = {name for layer in written.layers for name in layer.values} - set(RETIRED)
        assert len(named) == 13
        assert {name: written.get(name) for name in named} == {name: bare.get(name) for name in named}
        assert written.warnings() == []
        assert validate(paths, {}) == []

    def test_every_default_obeys_its_own_rule(self) -> None:
        assert [key.name for key in KEYS.values() if key.default is not None and fault(key, key.default)] == []

    def test_every_key_has_a_word_of_help_and_its_own_variable(self) -> None:
        assert all(key.help for key in KEYS.values())
        assert len({key.environment for key in KEYS.values()}) == len(KEYS)
        assert KEYS["agent.id"].environment == "JIT_AGENT_ID"
        assert KEYS["worktree.enforce_leases"].environment == "JIT_WORKTREE_ENFORCE_LEASES"

    def test_typed_readers_give_the_value(self) -> None:
        settings = Settings([], {}, {})
        assert settings.text("worktree.mode") == "auto"
        assert settings.number("locks.wait_secs") == 10
        assert settings.flag("control.group") is False
        assert settings.names("global_operations.allowed_branches") == ("main", "develop")

    def test_an_unknown_key_is_not_found_and_a_near_one_is_named(self) -> None:
        with pytest.raises(NotFound, match=r"did you mean worktree\.enforce_leases") as caught:
            Settings([], {}, {}).get("worktree.enforce_lease")
        assert caught.value.hint == "jit config get worktree.enforce_leases"


class TestPrecedence:
    @covers("002:config.order")
    def test_each_place_wins_over_the_weaker_ones(self, paths: ConfigPaths) -> None:
        key, variable = "coordination.default_ttl_secs", "JIT_COORDINATION_DEFAULT_TTL_SECS"

        def now(environ: dict[str, str] | None = None, flag: int | None = None) -> tuple[object, str]:
            settings = resolve(paths, environ or {}, flags={} if flag is None else {key: flag})
            return settings.get(key), settings.origin(key)

        assert now() == (600, "default")
        put(paths.system, "[coordination]\ndefault_ttl_secs = 1\n")
        assert now() == (1, f"system:{paths.system}")
        put(paths.user, "[coordination]\ndefault_ttl_secs = 2\n")
        assert now() == (2, f"user:{paths.user}")
        put(paths.repository, "[coordination]\ndefault_ttl_secs = 3\n")
        assert now() == (3, f"repository:{paths.repository}")
        assert now({variable: "4"}) == (4, f"environment:{variable}")
        assert now({variable: "4"}, flag=5) == (5, "flag")

    def test_one_file_may_name_one_key_and_another_the_next(self, paths: ConfigPaths) -> None:
        put(paths.repository, '[worktree]\nmode = "on"\n')
        put(paths.user, '[worktree]\nmode = "off"\nenforce_leases = "warn"\n')
        settings = resolve(paths, {})
        assert (settings.get("worktree.mode"), settings.get("worktree.enforce_leases")) == ("on", "warn")

    def test_the_users_directory_follows_the_variable_for_it(self, tmp_path: Path) -> None:
        assert locate("", "", {"XDG_CONFIG_HOME": "/x"}, home="/h").agent == "/x/jit/agent.toml"
        assert locate("", "", {"XDG_CONFIG_HOME": "relative"}, home="/h").agent == "/h/.config/jit/agent.toml"
        assert locate("", "", {"HOME": "/e"}).user == "/e/.config/jit/config.toml"

    @covers("002:config.agent")
    def test_the_agents_own_wishes_win_over_the_shared_ones(self, paths: ConfigPaths) -> None:
        put(paths.repository, "[coordination]\ndefault_ttl_secs = 1200\nheartbeat_interval_secs = 40\n")
        assert (resolve(paths, {}).ttl_secs(), resolve(paths, {}).heartbeat_secs()) == (1200, 40)
        put(paths.agent, "[agent]\ndefault_ttl_secs = 900\n[behavior]\nheartbeat_interval = 7\nauto_heartbeat = true\n")
        settings = resolve(paths, {})
        assert (settings.ttl_secs(), settings.heartbeat_secs()) == (900, 7)
        assert settings.flag("behavior.auto_heartbeat") is True

    def test_the_environment_wins_over_a_wish_in_a_file(self, paths: ConfigPaths) -> None:
        put(paths.agent, "[agent]\ndefault_ttl_secs = 900\n")
        shared = {"JIT_COORDINATION_DEFAULT_TTL_SECS": "30"}
        assert resolve(paths, shared).ttl_secs() == 30
        assert resolve(paths, shared | {"JIT_AGENT_DEFAULT_TTL_SECS": "20"}).ttl_secs() == 20

    @covers("002:agent.file")
    def test_the_agent_file_holds_who_since_when_and_a_description(self, paths: ConfigPaths) -> None:
        text = '[agent]\nid = "agent:a"\ncreated_at = 2026-01-03T12:00:00Z\ndescription = "one"\n'
        put(paths.agent, text)
        settings = resolve(paths, {})
        found = [settings.get(f"agent.{name}") for name in ("id", "created_at", "description")]
        assert found == ["agent:a", "2026-01-03T12:00:00Z", "one"]

    @pytest.mark.parametrize(
        ("variable", "text", "key", "expected"),
        [
            ("JIT_CONTROL_GROUP", "Yes", "control.group", True),
            ("JIT_LOCKS_ENABLE_METADATA", "0", "locks.enable_metadata", False),
            ("JIT_WORKTREE_MODE", "off", "worktree.mode", "off"),
            ("JIT_LOCKS_WAIT_SECS", "0", "locks.wait_secs", 0),
            ("JIT_GLOBAL_OPERATIONS_ALLOWED_BRANCHES", "a, b/c", "global_operations.allowed_branches", ("a", "b/c")),
            ("JIT_GLOBAL_OPERATIONS_ALLOWED_BRANCHES", '["a"]', "global_operations.allowed_branches", ("a",)),
        ],
    )
    def test_variables_are_read_by_the_kind_of_their_key(
        self, variable: str, text: str, key: str, expected: object
    ) -> None:
        assert Settings([], {variable: text}, {}).get(key) == expected


class TestWrongValues:
    @pytest.mark.parametrize(
        ("section", "line", "key"),
        [
            ("worktree", 'enforce_leases = "strickt"', "worktree.enforce_leases"),
            ("worktree", "mode = true", "worktree.mode"),
            ("coordination", 'default_ttl_secs = "600"', "coordination.default_ttl_secs"),
            ("coordination", "default_ttl_secs = 0", "coordination.default_ttl_secs"),
            ("coordination", "default_ttl_secs = 1.5", "coordination.default_ttl_secs"),
            ("coordination", "lease_renewal_threshold_pct = 101", "coordination.lease_renewal_threshold_pct"),
            ("coordination", "max_indefinite_leases_per_repo = true", "coordination.max_indefinite_leases_per_repo"),
            ("coordination", "auto_renew_leases = 1", "coordination.auto_renew_leases"),
            ("global_operations", 'allowed_branches = "main"', "global_operations.allowed_branches"),
            ("global_operations", "allowed_branches = [1]", "global_operations.allowed_branches"),
        ],
    )
    def test_a_wrong_value_is_a_fault_with_file_key_and_line(
        self, paths: ConfigPaths, section: str, line: str, key: str
    ) -> None:
        put(paths.repository, f"# ours\n[{section}]\n{line}\n")
        put(paths.user, f"[{section}]\n")
        with pytest.raises(ConfigError, match=key) as caught:
            resolve(paths, {}).check()
        assert caught.value.exit_code == 7
        assert paths.repository in caught.value.message
        assert caught.value.hint == "jit config validate"
        (problem,) = validate(paths, {})
        assert (problem.file, problem.line, problem.key, problem.severity) == (paths.repository, 3, key, "error")
        assert problem.hint == f"jit config reset {key}"

    def test_a_wrong_value_is_no_fault_of_a_command_that_does_not_need_it(self, paths: ConfigPaths) -> None:
        put(paths.repository, '[worktree]\nmode = "banana"\n')
        assert resolve(paths, {}).get("worktree.enforce_leases") == "strict"

    def test_a_wrong_value_never_falls_back_to_a_weaker_place(self, paths: ConfigPaths) -> None:
        put(paths.repository, '[worktree]\nenforce_leases = "strickt"\n')
        put(paths.user, '[worktree]\nenforce_leases = "off"\n')
        with pytest.raises(ConfigError):
            resolve(paths, {}).get("worktree.enforce_leases")

    def test_a_wrong_variable_is_named(self, paths: ConfigPaths) -> None:
        wrong = {"JIT_LOCKS_WAIT_SECS": "soon"}
        with pytest.raises(ConfigError, match="environment:JIT_LOCKS_WAIT_SECS"):
            resolve(paths, wrong).get("locks.wait_secs")
        (problem,) = validate(paths, wrong)
        assert (problem.file, problem.key) == ("JIT_LOCKS_WAIT_SECS", "locks.wait_secs")

    def test_an_unknown_key_only_warns_and_the_near_one_is_named(self, paths: ConfigPaths) -> None:
        put(paths.user, "[coordination]\nfoo = 1\n\n[worktree]\nenforce_lease = 1\n")
        settings = resolve(paths, {})
        settings.check()
        assert len(settings.warnings()) == 2
        first, second = validate(paths, {})
        assert (first.key, first.line, first.severity) == ("coordination.foo", 2, "warning")
        assert "did you mean worktree.enforce_leases?" in second.what

    def test_a_key_in_the_wrong_file_is_ignored_and_reported(self, paths: ConfigPaths) -> None:
        put(paths.repository, '[agent]\nid = "agent:everyone"\n')
        settings = resolve(paths, {})
        assert settings.origin("agent.id") == "default"
        assert "belongs in agent.toml" in settings.warnings()[0]

    @pytest.mark.parametrize("name", list(RETIRED))
    def test_what_replay_depends_on_cannot_be_turned_off(self, paths: ConfigPaths, name: str) -> None:
        put(paths.repository, f"{name} = false\n")
        with pytest.raises(ConfigError, match="cannot be turned off"):
            resolve(paths, {}).check()
        (problem,) = validate(paths, {})
        assert (problem.key, problem.severity) == (name, "error")
        assert "replay" in problem.what

    def test_a_bad_agent_id_in_the_file_is_found_by_validate(self, paths: ConfigPaths) -> None:
        put(paths.agent, '[agent]\nid = "nobody"\n')
        (problem,) = validate(paths, {})
        assert (problem.key, problem.line) == ("agent.id", 2)
        assert problem.hint == "jit config reset --global agent.id"

    @pytest.mark.parametrize("raw", [b"[worktree\nmode=1", b"mode = \xff\n", b"a = 1\na = 2\n"])
    def test_a_file_that_is_not_toml_is_named(self, paths: ConfigPaths, raw: bytes) -> None:
        Path(paths.user).write_bytes(raw)
        with pytest.raises(ConfigError, match="not TOML") as caught:
            resolve(paths, {})
        assert paths.user in caught.value.message
        (problem,) = validate(paths, {})
        assert problem.file == paths.user

    def test_the_line_of_a_syntax_fault_is_named(self, paths: ConfigPaths) -> None:
        put(paths.repository, "[worktree]\n\nmode = = 1\n")
        assert validate(paths, {})[0].line == 3

    def test_a_directory_in_place_of_the_file_is_named(self, paths: ConfigPaths) -> None:
        Path(paths.repository).mkdir()
        with pytest.raises(ConfigError, match="cannot read the settings"):
            resolve(paths, {})
