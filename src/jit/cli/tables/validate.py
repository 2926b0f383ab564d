"""The commands of `jit validate`."""

from __future__ import annotations

from jit.cli.spec import Command

COMMANDS = (
    Command(("validate", "leases"), "are all active leases in order", "jit.cli.validate:leases"),
    Command(("validate", "config"), "are all configuration files in order", "jit.cli.validate:config"),
    Command(("validate", "divergence"), "does this branch contain all of main", "jit.cli.validate:divergence"),
    Command(("validate", "log"), "is every record of the log whole and in order", "jit.cli.validate:log"),
    Command(
        ("validate", "replay"),
        "decide every batch of the log anew and compare",
        "jit.cli.validate:replay",
        description="Folds the whole history, asks for every decision again with the evidence that was stored"
        " beside it, and compares the result with what the log has and with the index.",
    ),
    Command(("validate", "all"), "all of these", "jit.cli.validate:all_checks"),
)
