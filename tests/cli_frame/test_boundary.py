"""How faults end: words, exit code, report."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jit import errors
from jit.cli.boundary import guard
from jit.errors import JitError
from tests.cli_frame.listening import ROOT, Said, process_environ, say, spawn

pytestmark = pytest.mark.surface


def test_a_fault_is_told_on_standard_error_with_its_next_command() -> None:
    assert say("init") == Said(10, "", "error: 01ABC is held by agent:a since noon\nhint: jit claim list\n")


@pytest.mark.parametrize("words", [("init", "--json"), ("--json", "init")])
def test_with_json_the_same_fault_is_one_document_on_standard_output_with_the_same_exit_code(
    words: tuple[str, ...],
) -> None:
    said = say(*words)
    assert (said.code, said.err) == (10, "")
    assert json.loads(said.out) == {
        "error": {
            "code": "held",
            "message": "01ABC is held by agent:a since noon",
            "hint": "jit claim list",
            "details": {"holder": "agent:a"},
        }
    }


def test_a_command_line_that_cannot_be_read_also_answers_in_json() -> None:
    said = say("claim", "acquire", "--json", "--nonsense")
    assert said.code == 2
    assert json.loads(said.out)["error"]["code"] == "usage"


def test_json_for_the_command_that_is_run_is_not_json_for_us() -> None:
    said = say("claim", "run", "--nonsense", "--", "tool", "--json")
    assert said.out == ""
    assert said.err.startswith("error: unknown option --nonsense")


@pytest.mark.parametrize(
    "kind",
    [k for k in vars(errors).values() if isinstance(k, type) and issubclass(k, JitError)],
    ids=lambda kind: kind.code,
)
def test_every_kind_of_fault_ends_in_its_own_exit_code(kind: type[JitError]) -> None:
    def run() -> int:
        raise kind("told")

    documented = {name: code for code, name, _ in errors.EXIT_CODES}
    code = guard(run, [], stdout=None, stderr=None, environ={})
    assert code == documented[kind.code]


def test_the_exit_code_of_the_command_is_kept() -> None:
    assert say("claim", "run", "X", "--", "make", "--json") == Said(7, "make --json\n", "")


def test_an_interruption_is_short_and_ends_in_130() -> None:
    assert say("log") == Said(130, "", "error: interrupted\n")
    assert json.loads(say("log", "--json").out)["error"]["code"] == "interrupted"


def test_a_fault_in_jit_itself_leaves_a_report_that_can_be_pasted(tmp_path: Path) -> None:
    secrets = {"API_TOKEN": "hunter2"}
    said = say("claim", "crash", "--agent-id", "a b", report_dir=str(tmp_path), environ=secrets)
    [path] = tmp_path.iterdir()
    text = path.read_text()
    assert said.code == 1
    assert said.err == (
        "error: a fault in jit itself: ZeroDivisionError: a deliberate fault\n"
        f"hint: please report it with the contents of {path}\n"
    )
    assert path.name.startswith("jit-report-")
    assert path.suffix == ".txt"
    assert path.stat().st_mode & 0o777 == 0o600
    assert "jit claim crash --agent-id 'a b'" in text
    assert "ZeroDivisionError: a deliberate fault" in text
    assert "sample_runs.py" in text
    assert sys.version.split()[0] in text
    assert "hunter2" not in text


def test_with_json_a_fault_in_jit_itself_says_where_the_report_is(tmp_path: Path) -> None:
    said = say("claim", "crash", "--json", report_dir=str(tmp_path))
    error = json.loads(said.out)["error"]
    assert (said.code, error["code"]) == (1, "internal")
    assert Path(error["details"]["report"]).parent == tmp_path


def test_a_report_that_cannot_be_written_is_told_instead(tmp_path: Path) -> None:
    said = say("claim", "crash", report_dir=str(tmp_path / "missing"))
    assert said.code == 1
    assert "sample_runs.py" in said.err
    assert "hint: JIT_DEBUG=1 jit claim crash" in said.err


def test_debugging_lets_the_fault_through(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        say("claim", "crash", environ={"JIT_DEBUG": "1"}, report_dir=str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_process_writes_its_report_into_the_temporary_directory(tmp_path: Path) -> None:
    said = spawn("claim", "crash", TMPDIR=str(tmp_path))
    assert said.code == 1
    assert [path.name[:11] for path in tmp_path.iterdir()] == ["jit-report-"]
    assert "Traceback" not in said.err


def test_a_reader_that_leaves_early_ends_the_command_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tests.cli_frame.sample", "version"],
            stdout=write,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
            env=process_environ(),
            cwd=ROOT,
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")


@pytest.mark.parametrize("words", ["claim list", "claim list --json", "version"])
def test_an_answer_that_could_not_be_written_is_not_success(words: str, tmp_path: Path) -> None:
    program = f'"{sys.executable}" -B -m tests.cli_frame.sample {words}'
    done = subprocess.run(
        ["sh", "-c", f'ulimit -f 0; exec {program} > "{tmp_path}/answer"'],
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
        env=process_environ(),
        cwd=ROOT,
    )
    assert done.returncode == 20
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == ["error", "hint"]
    assert done.stderr.startswith("error: the output cannot be written: ")


@pytest.mark.parametrize(("words", "painted"), [((), True), (("--color", "never"), False), (("--color=never",), False)])
def test_on_a_real_terminal_words_are_painted_unless_asked_otherwise(words: tuple[str, ...], *, painted: bool) -> None:
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tests.cli_frame.sample", "init", *words],
            stdout=subprocess.PIPE,
            stderr=theirs,
            timeout=60,
            check=False,
            env=process_environ(TERM="xterm"),
            cwd=ROOT,
        )
        told = os.read(ours, 4096).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 10
    assert told.startswith("\x1b[31merror:\x1b[0m" if painted else "error: ")
