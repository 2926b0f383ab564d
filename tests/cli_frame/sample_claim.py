"""The sample's table for `claim`."""

from __future__ import annotations

from jit.cli.spec import Argument, Command, Option

ISSUE = Argument("ISSUE", "id of the issue, or the beginning of one", completes="issue")

COMMANDS = (
    Command(
        ("claim", "acquire"),
        "Lease an issue to an agent",
        "tests.cli_frame.sample_runs:acquire",
        options=(
            Option("--ttl", "SECONDS", "how long the lease lasts; 0 is without end", "secs", default=600),
            Option("--reason", "TEXT", "why, kept in the log"),
            Option("--label", "LABEL", "take only issues with this label", "list"),
            Option("--priority", "LEVEL", "of the issue", choices=("low", "normal", "high")),
            Option("--retries", "COUNT", "how often to try", "int", short="-n"),
            Option("--strict", "", "refuse what would only be warned about", "flag"),
        ),
        arguments=(ISSUE,),
        description="Fails when someone else holds it.\n\nA lease ends by itself when its time has passed.",
        examples=(("jit claim acquire 01ABC --ttl 10m", "hold 01ABC for ten minutes"),),
    ),
    Command(
        ("claim", "release"),
        "Give leases back",
        "tests.cli_frame.sample_runs:fail",
        arguments=(Argument("LEASE", "id of a lease", many=True, completes="lease"),),
    ),
    Command(
        ("claim", "evict"),
        "Take a lease away from its holder",
        "tests.cli_frame.sample_runs:fail",
        options=(
            Option("--reason", "TEXT", "why, kept in the log", required=True),
            Option("--agent", "ID", "only from this agent", completes="agent"),
        ),
        arguments=(Argument("LEASE", completes="lease"), Argument("WHEN", required=False, choices=("now", "later"))),
    ),
    Command(
        ("claim", "run"),
        "Hold an issue while a command runs",
        "tests.cli_frame.sample_runs:run",
        arguments=(ISSUE,),
        trailing=True,
    ),
    Command(("claim", "list"), "Every lease", "tests.cli_frame.sample_runs:listing"),
    Command(("claim", "crash"), "A fault", "tests.cli_frame.sample_runs:crash", hidden=True),
)
