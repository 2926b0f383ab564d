"""`jit demo`: the main job in a few seconds, with real processes, in a repository that is thrown away.

First agents edit the same files, then they race for work. The story is told while it happens. Afterwards the log has to
explain all of it: as tables, as the history of the issue whose agent was killed, as promises checked with a few lines
that know nothing of jit but the log, and by deciding every batch anew. However the demonstration ends, no process and
no folder stays behind.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time

from jit.cli.demo_agent import JIT, run_jit
from jit.cli.demo_audit import Check, audit, payload_of
from jit.cli.demo_story import Story, claim_of
from jit.cli.table import Column
from jit.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType

    from jit.cli.call import Call
    from jit.cli.demo_agent import Agent
    from jit.cli.demo_files import Row

EDITS = (Column("AGENT"), Column("FILE"), Column("SECONDS", right=True), Column("WHAT HAPPENED"))
COLUMNS = (Column("AGENT"), Column("WORKTREE"), Column("ISSUE"), Column("FENCE", right=True), Column("WHAT HAPPENED"))


def demo(call: Call) -> int:
    began = time.monotonic()
    handlers = {number: signal.signal(number, _interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    scratch = os.path.realpath(tempfile.mkdtemp(prefix="jit-demo-"))
    story = Story(scratch, call.environ, call.out.note)
    try:
        story.play()
        return _tell(call, story, began)
    finally:
        # Nothing may interrupt the clearing away.
        handlers[signal.SIGINT] = signal.signal(signal.SIGINT, signal.SIG_IGN)
        story.end()
        if not call.parsed.flag("--keep"):
            shutil.rmtree(scratch, ignore_errors=True)
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _tell(call: Call, story: Story, began: float) -> int:
    log = story.log()
    replay = run_jit(story.main, story.environ, "validate", "replay")
    fault = replay.text("error", "message") if replay.code else ""
    checks = [
        story.files.check(),
        *audit(log),
        Check("every decision, made anew from the log, is the same (jit validate replay)", fault),
    ]
    rows = [_row(story, agent) for agent in story.agents]
    call.out.data(
        {
            "edits": [
                {"agent_id": x.agent_id, "file": x.file, "secs": x.secs, "outcome": x.outcome} for x in story.files.rows
            ],
            "refusal": story.files.refusal,
            "agents": rows,
            "denial": story.denial,
            "history": [entry for entry in log if payload_of(entry).get("issue_id") == story.killed_issue],
            "checks": [{"name": check.name, "ok": not check.fault, "fault": check.fault} for check in checks],
            "replay": replay.document,
            "repository": story.main if call.parsed.flag("--keep") else None,
            "seconds": round(time.monotonic() - began, 1),
        }
    )
    _tell_people(call, story, rows, checks)
    broken = [f"{check.name}: {check.fault}" for check in checks if check.fault]
    if broken:
        raise Invalid(f"the demonstration broke a promise: {'; '.join(broken)}", hint="jit demo --keep")
    return 0


def _tell_people(call: Call, story: Story, rows: Sequence[dict[str, str]], checks: Sequence[Check]) -> None:
    out = call.out
    out.line()
    out.table(EDITS, [_cells(row) for row in story.files.rows])
    out.line()
    out.table(COLUMNS, [tuple(row.values()) for row in rows])
    out.line()
    out.line(out.paint("bold", f"jit claim history {story.killed_issue}"))
    for line in _history(call, story):
        out.line(line)
    out.line()
    for check in checks:
        out.line(f"{out.paint('bad', 'no') if check.fault else out.paint('ok', 'ok')}  {check.name}")
    out.line()
    for line in _next_steps(story, keep=call.parsed.flag("--keep")):
        out.line(line)


def _history(call: Call, story: Story) -> list[str]:
    """The words of the command itself."""
    if call.out.json:
        return []
    color = "always" if call.out.style.colored else "never"
    words = (*JIT, "claim", "history", story.killed_issue, "--color", color)
    done = subprocess.run(words, cwd=story.main, env=story.environ, capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).splitlines()


def _next_steps(story: Story, *, keep: bool) -> Iterator[str]:
    yield "where to go next"
    yield f"  look around:      cd {story.main} && jit log" if keep else "  look around:      jit demo --keep"
    yield "  your agents:      jit init, and they share your files: jit file list"
    yield '  your issues:      jit issue create --title "…", then jit claim next'
    yield "  your script:      jit claim run ISSUE -- COMMAND"
    yield "  read on:          docs/tutorial.md, or jit --help"


def _cells(row: Row) -> tuple[str, ...]:
    return row.agent_id, row.file, row.secs, row.outcome


def _row(story: Story, agent: Agent) -> dict[str, str]:
    claim = claim_of(agent)
    return {
        "agent_id": agent.id,
        "worktree": os.path.basename(agent.place),
        "issue": story.titles[claim.text("issue_id")],
        "fence": claim.text("fence"),
        "outcome": story.outcomes[agent.id],
    }


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
