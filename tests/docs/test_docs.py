"""The documentation is true: generated pages match the source, links lead somewhere, the tutorial runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from jit.cli.spec import Command, spelling
from tests.docs.shell import COMMANDS, ROOT, environment
from tests.traceability import covers

pytestmark = pytest.mark.surface

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"(?:^|[|;&(] *)jit ([^|;&#)\n]*)")


def generate(*words: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environ = os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(folder / "docs/generate.py"), *words]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=120)


def test_the_generated_pages_are_those_of_the_source() -> None:
    done = generate("--check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_generated_page_that_was_edited_is_named(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    subprocess.run(["cp", "-R", str(ROOT / "docs"), str(docs)], check=True, timeout=60)
    page = docs / "reference/exit-codes.md"
    page.write_text(page.read_text("utf-8").replace("held by someone else", "held by nobody"), "utf-8")
    done = generate("--check", folder=tmp_path)
    assert done.returncode == 1
    assert "docs/reference/exit-codes.md" in done.stdout
    assert generate(folder=tmp_path).returncode == 0
    assert page.read_text("utf-8") == (ROOT / "docs/reference/exit-codes.md").read_text("utf-8")


@pytest.mark.parametrize("command", COMMANDS, ids=spelling)
def test_every_command_has_a_summary_and_its_options_and_arguments_have_help(command: Command) -> None:
    assert command.summary
    assert all(option.help for option in command.options)
    assert all(argument.help for argument in command.arguments)


@pytest.mark.parametrize("command", [one for one in COMMANDS if one.options and one.arguments], ids=spelling)
def test_every_command_with_options_and_arguments_has_an_example_somewhere(command: Command) -> None:
    pages = [path for path in (ROOT / "docs").rglob("*.md") if path.name != "cli.md"]
    shown = any(re.search(rf"^{spelling(command)} ", body, re.MULTILINE) for path in pages for _, body in blocks(path))
    assert command.examples or command.description or shown


def test_every_command_stands_on_the_reference_page() -> None:
    page = (ROOT / "docs/reference/cli.md").read_text("utf-8")
    missing = [spelling(command) for command in COMMANDS if f"### {spelling(command)}\n" not in page]
    assert not missing


def blocks(path: Path) -> list[tuple[str, str]]:
    """The fenced blocks of a page: language and text."""
    return BLOCK.findall(path.read_text("utf-8"))


def markdown_files() -> list[Path]:
    inside = [path for folder in ("docs", "tests", "bench") for path in (ROOT / folder).rglob("*.md")]
    return sorted([*ROOT.glob("*.md"), *inside])


@pytest.mark.parametrize("path", markdown_files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_relative_link_leads_to_a_file_and_to_a_heading(path: Path) -> None:
    prose = BLOCK.sub("", path.read_text("utf-8"))
    targets = [target for target in LINK.findall(prose) if "://" not in target and not target.startswith("mailto:")]
    assert not [target for target in targets if not leads_somewhere(path, target)]


def leads_somewhere(path: Path, target: str) -> bool:
    name, _, anchor = target.partition("#")
    there = (path.parent / name).resolve() if name else path
    if not there.exists():
        return False
    return not anchor or anchor in headings(there)


def headings(path: Path) -> set[str]:
    """The anchors of a page, as code hosts make them from its headings."""
    prose = BLOCK.sub("", path.read_text("utf-8"))
    titles = [line.lstrip("#").strip().lower() for line in prose.splitlines() if line.startswith("#")]
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}


# ------------------------------------------------------------------------------------------------------- the tutorial


@covers("002:doc.tutorial", "002:AC8")
def test_the_tutorial_runs_as_it_is_written(tmp_path: Path) -> None:
    script = "\n".join(body for language, body in blocks(ROOT / "docs/tutorial.md") if language == "sh")
    tools = tmp_path / "bin"
    tools.mkdir()
    for name, call in (("jit", "-m jit"), ("python3", "")):
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {call} "$@"\n', "utf-8")
        (tools / name).chmod(0o755)
    environ = environment(tmp_path, PYTHONPATH=str(ROOT / "src"), PYTHONDONTWRITEBYTECODE="1")
    environ["PATH"] = f"{tools}:{environ['PATH']}"
    command = ["bash", "-eu", "-o", "pipefail", "-c", script]
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "exit code 10" in done.stdout
    assert "hello Anna and goodbye" in done.stdout
    assert not (tmp_path / "anna").exists()


@covers("002:doc.how-to", "002:AC8")
@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: path.name)
def test_every_command_and_option_that_a_page_shows_exists(path: Path) -> None:
    shown = [line for language, body in blocks(path) if language == "sh" for line in body.splitlines()]
    calls = [call for line in shown for call in CALL.findall(line)]
    assert not [call for call in calls if not exists(call)]


def exists(call: str) -> bool:
    """Is there a command that these words begin with, and has it these options?"""
    words = re.sub(r"^(-C|--repo) \S+ ", "", call).split(" -- ")[0].split()
    named = [one for one in COMMANDS if tuple(words[: len(one.path)]) == one.path]
    if not named:
        return False
    best = max(named, key=lambda one: len(one.path))
    known = {option.name for option in best.options} | {"--json", "--agent-id", "--repo", "--help"}
    return {word.partition("=")[0] for word in words if word.startswith("--")} <= known
