"""Content that is older than the file: whoever waited, or only read, must not write it over somebody else's work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.gate.watch import holder_of, waits
from tests.surface.jitcli import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.gate.agent import Agent, Answer

    Start = Callable[..., Agent]

pytestmark = pytest.mark.crash

WAITING = {"JIT_FILES_ON_CONTENTION": "wait", "JIT_FILES_RETRY_INTERVAL_SECS": "1"}


def command(text: str) -> dict[str, object]:
    return {"tool_name": "Bash", "tool_input": {"command": text}}


def patch(*lines: str) -> dict[str, object]:
    body = "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])
    return {"tool_name": "apply_patch", "tool_input": {"command": body}}


OVERWRITE = [
    command("cat > a.txt <<'EOF'\nwhat I made of it\nEOF"),
    command("echo x | tee a.txt"),
    command("cp b.txt a.txt"),
    command("mv b.txt a.txt"),
    command("rm a.txt"),
    command("git checkout -- a.txt"),
    command("git reset --hard"),
    command("sed -i s/1/2/ a.txt && cat > a.txt < b.txt"),
    command("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\nEOF"),
    patch("*** Add File: a.txt", "+what I made of it"),
    patch("*** Delete File: a.txt"),
    patch("*** Update File: b.txt", "*** Move to: a.txt", "@@", "-b", "+c"),
]
ADAPT = [
    command("echo more >> a.txt"),
    command("echo x | tee -a a.txt"),
    command("sed -i s/1/2/ a.txt"),
    command("chmod +x a.txt"),
    command("apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\nEOF"),
    patch("*** Update File: a.txt", "@@", "-one", "+two"),
]


def ask_while_held(site: Path, agent: Start, call: dict[str, object]) -> tuple[Agent, Answer]:
    """The answer to a call that waits for a file which changes meanwhile, and who asked."""
    (site / "a.txt").write_text("one\n")
    (site / "b.txt").write_text("b\n")
    ann, bob = agent("ann"), agent("bob", **WAITING)
    ann.write("a.txt", "two\n")
    number = bob.send(bob.payload("PreToolUse", **call), "codex")
    wait_until(lambda: len(waits(site)) == 1)
    ann.write("a.txt", "three\n")
    ann.tell("SessionEnd", reason="other")
    return bob, bob.wait_for(number)


@pytest.mark.parametrize("call", OVERWRITE, ids=str)
def test_what_brings_its_own_content_is_refused_once_after_the_wait(
    site: Path, agent: Start, call: dict[str, object]
) -> None:
    bob, answer = ask_while_held(site, agent, call)
    assert "changed since you read it" in answer.denied
    assert holder_of(site, "a.txt") == "bob/"
    again = bob.wait_for(bob.send(bob.payload("PreToolUse", **call), "codex"))
    assert (again.denied, again.code) == ("", 0)


@pytest.mark.parametrize("call", ADAPT, ids=str)
def test_what_is_applied_to_the_file_as_it_then_is_goes_on_after_the_wait(
    site: Path, agent: Start, call: dict[str, object]
) -> None:
    _, answer = ask_while_held(site, agent, call)
    assert (answer.denied, answer.code) == ("", 0)
    assert holder_of(site, "a.txt") == "bob/"
