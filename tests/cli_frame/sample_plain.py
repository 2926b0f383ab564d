"""The sample's table for nouns that need no verb."""

from __future__ import annotations

from jit.cli.spec import Argument, Command, Option

COMMANDS = (
    Command(
        ("init",),
        "Set up this repository",
        "tests.cli_frame.sample_runs:fail",
        arguments=(Argument("DIR", "where", required=False, completes="path"),),
    ),
    Command(("version",), "Say which version this is", "tests.cli_frame.sample_runs:version"),
    Command(
        ("log",),
        "What happened",
        "tests.cli_frame.sample_runs:log",
        options=(Option("--follow", "", "wait for more", "flag"),),
    ),
    Command(
        ("log", "at"),
        "Who held what at a time",
        "tests.cli_frame.sample_runs:log",
        arguments=(Argument("TIME", "a moment"),),
    ),
    Command(("_complete",), "Candidates for the shell", "tests.cli_frame.sample_runs:complete", trailing=True),
)
