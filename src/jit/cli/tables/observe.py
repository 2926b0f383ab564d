"""Commands that tell what is and what was."""

from __future__ import annotations

from jit.cli.spec import Argument, Command, Option

COMMANDS = (
    Command(("status",), "who holds what, and until when", "jit.cli.status:status"),
    Command(
        ("log",),
        "what happened, and why",
        "jit.cli.log:show",
        (
            Option("--follow", "", "go on showing what happens", "flag", short="-f"),
            Option("--limit", "N", "only the last N; 0 for all", "int", default=50, short="-n"),
            Option("--issue", "ISSUE", "only this issue", completes="issue"),
            Option("--agent", "ID", "only what this agent did or had done to it", completes="agent"),
            Option("--batch", "ID", "only this batch"),
        ),
        description="Each line is an event; with --json, each is the record as it is in the log, one per line.",
        examples=(("jit log --follow", "watch"), ("jit log --issue 01ABCD --limit 0", "the whole story of one issue")),
    ),
    Command(
        ("log", "at"),
        "who held what at a moment",
        "jit.cli.log:at_time",
        (),
        (Argument("time", "2026-01-03T12:00:00Z, 14:32 (today, here), or 10m (ago)"),),
        examples=(("jit log at 14:32", "today"), ("jit log at 2h", "two hours ago")),
    ),
    Command(
        ("log", "archive"),
        "move closed history into a compressed segment",
        "jit.cli.log:archive_now",
        (),
        (),
        "Sequences go on where they were, and replaying segments and log gives the same state as before.",
    ),
)
