"""What the shell offers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from jit.cli.completion import candidates, script
from jit.errors import UsageError
from tests.cli_frame.listening import ROOT, process_environ
from tests.cli_frame.sample import INDEX
from tests.cli_frame.sample_runs import LIVE

GLOBAL = {"--json", "--agent-id", "--repo", "--color", "--quiet", "--help"}


def offered(*words: str) -> list[str]:
    return [value for value, _ in candidates(words, INDEX, LIVE)]


@pytest.mark.unit
class TestCandidates:
    def test_nouns_come_first_and_hidden_ones_never(self) -> None:
        assert candidates([""], INDEX, LIVE) == [
            ("init", "Set up this repository"),
            ("version", "Say which version this is"),
            ("claim", "Lease issues"),
            ("log", "What happened, and when"),
        ]
        assert offered() == offered("")

    @pytest.mark.parametrize(
        ("words", "values"),
        [
            (("cl",), ["claim"]),
            (("nothing", ""), []),
            (("claim", ""), ["acquire", "release", "evict", "run", "list"]),
            (("--json", "-C", "dir", "claim", "--quiet", "re"), ["release"]),
            (("claim", "acquire", ""), ["01ABCDEF", "01XYZ"]),
            (("claim", "acquire", "01a"), ["01ABCDEF"]),
            (("claim", "acquire", "01ABC", ""), []),
            (("claim", "acquire", "--ttl", "5", "--strict", ""), ["01ABCDEF", "01XYZ"]),
            (("claim", "acquire", "--ttl", ""), []),
            (("claim", "acquire", "--priority", "n"), ["normal"]),
            (("claim", "acquire", "--priority=n"), ["--priority=normal"]),
            (("claim", "acquire", "X", "--pri"), ["--priority"]),
            (("claim", "release", "A", "B", ""), ["01LEASE"]),
            (("claim", "evict", "L", ""), ["now", "later"]),
            (("claim", "evict", "--agent", "agent:"), ["agent:alpha", "agent:beta"]),
            (("claim", "evict", "--agent=agent:b"), ["--agent=agent:beta"]),
            (("--agent-id", "h"), ["human:carol"]),
            (("claim", "--agent-id", "h"), ["human:carol"]),
            (("--color", ""), ["auto", "always", "never"]),
            (("claim", "acquire", "-C", ""), [":files"]),
            (("init", ""), [":files"]),
            (("init", "here", ""), []),
            (("init", "here", "--j"), ["--json"]),
            (("claim", "nonsense", ""), []),
            (("claim", "run", "X", "--", ""), [":commands"]),
            (("claim", "run", "X", "--", "make", "t"), [":files"]),
            (("claim", "acquire", "--", ""), ["01ABCDEF", "01XYZ"]),
            (("log", ""), ["at"]),
            (("log", "--fo"), ["--follow"]),
            (("log", "--color", "ne"), ["never"]),
        ],
    )
    def test_the_words_before_the_cursor_decide(self, words: tuple[str, ...], values: list[str]) -> None:
        assert offered(*words) == values

    def test_a_dash_offers_the_options_of_the_command_and_of_every_command(self) -> None:
        assert set(offered("claim", "evict", "-")) == {"--reason", "--agent"} | GLOBAL
        assert set(offered("-")) == set(offered("claim", "-")) == GLOBAL

    def test_an_option_is_offered_once_unless_it_may_be_repeated(self) -> None:
        left = offered("claim", "acquire", "--ttl=5", "--label", "a", "-n", "1", "--")
        assert "--ttl" not in left
        assert "--retries" not in left
        assert "--label" in left

    def test_ids_are_asked_for_only_when_they_are_wanted(self) -> None:
        assert [value for value, _ in candidates(["claim", "acquire", ""], INDEX, {})] == []


@pytest.fixture
def jit_on_path(tmp_path: Path) -> Path:
    """A directory with a `jit` that runs the sample."""
    program = tmp_path / "jit"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tests.cli_frame.sample "$@"\n')
    program.chmod(0o755)
    return tmp_path


DRIVER = r"""
source "$SCRIPT"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE=$LINE COMP_POINT=${#LINE}
_jit jit
printf '%s\n' "${COMPREPLY[@]}"
"""


def complete_in_bash(directory: Path, line: str, pieces: list[str]) -> list[str]:
    """The replies of the script in a real bash; `pieces` is the line as bash cuts it up."""
    (directory / "jit.bash").write_text(script("bash"))
    environ = process_environ(SCRIPT=str(directory / "jit.bash"), LINE=line)
    environ["PATH"] = f"{directory}:{environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", DRIVER, "driver", *pieces],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=environ,
        cwd=directory,
    )
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line]


@pytest.mark.surface
class TestBash:
    @pytest.mark.parametrize(
        ("line", "pieces", "replies"),
        [
            ("jit cl", ["jit", "cl"], ["claim"]),
            ("jit  claim   ", ["jit", "claim", ""], ["acquire", "release", "evict", "run", "list"]),
            ("jit claim acquire 01A", ["jit", "claim", "acquire", "01A"], ["01ABCDEF"]),
            ("jit --color=al", ["jit", "--color", "=", "al"], ["always"]),
            ("jit --color=", ["jit", "--color", "="], ["auto", "always", "never"]),
            ("jit --agent-id agent:b", ["jit", "--agent-id", "agent", ":", "b"], ["beta"]),
            ("jit --agent-id agent:", ["jit", "--agent-id", "agent", ":"], ["alpha", "beta"]),
            ("jit claim evict --agent=human:", ["jit", "claim", "evict", "--agent", "=", "human", ":"], ["carol"]),
            ("jit -C wt:1 claim li", ["jit", "-C", "wt", ":", "1", "claim", "li"], ["list"]),
        ],
    )
    def test_replies_replace_what_bash_takes_for_the_last_word(
        self, jit_on_path: Path, line: str, pieces: list[str], replies: list[str]
    ) -> None:
        assert complete_in_bash(jit_on_path, line, pieces) == replies

    def test_file_names_are_left_to_bash(self, jit_on_path: Path) -> None:
        (jit_on_path / "a file with spaces").touch()
        assert complete_in_bash(jit_on_path, "jit init a", ["jit", "init", "a"]) == ["a file with spaces"]

    def test_the_command_to_run_is_left_to_bash(self, jit_on_path: Path) -> None:
        pieces = ["jit", "claim", "run", "X", "--", "jit"]
        assert "jit" in complete_in_bash(jit_on_path, "jit claim run X -- jit", pieces)

    def test_a_cursor_inside_a_word_completes_what_stands_before_it(self, jit_on_path: Path) -> None:
        assert complete_in_bash(jit_on_path, "jit cl", ["jit", "claim"]) == ["claim"]

    def test_sourcing_the_script_registers_the_function(self, jit_on_path: Path) -> None:
        path = jit_on_path / "jit.bash"
        path.write_text(script("bash"))
        done = subprocess.run(
            ["bash", "--norc", "-c", f'source "{path}"; complete -p jit'],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert done.stdout.strip() == "complete -F _jit jit"


@pytest.mark.unit
class TestScripts:
    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_every_script_asks_with_the_words_up_to_the_cursor_and_knows_both_requests(self, shell: str) -> None:
        text = script(shell)
        assert "_complete -- " in text
        assert ":files" in text
        assert ":commands" in text
        assert "2>/dev/null" in text

    def test_zsh_splits_value_from_meaning_and_keeps_colons_in_ids(self) -> None:
        assert r"value=${line%%$'\t'*}" in script("zsh")
        assert r"${value//:/\\:}" in script("zsh")
        assert script("zsh").startswith("#compdef jit\n")

    def test_fish_shows_each_line_as_it_is_because_a_tab_is_its_own_separator(self) -> None:
        assert "complete -c jit -f -a '(__jit_complete)'" in script("fish")

    def test_an_unknown_shell_is_told_with_the_known_ones(self) -> None:
        with pytest.raises(UsageError, match="bash, zsh, fish"):
            script("powershell")


@pytest.mark.surface
def test_the_answer_to_the_shell_is_one_value_and_meaning_per_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.cli_frame.sample", "_complete", "--", "claim", "r"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=process_environ(),
        cwd=ROOT,
    )
    assert done.stdout == "release\tGive leases back\nrun\tHold an issue while a command runs\n"
