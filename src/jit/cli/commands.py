"""The index of all nouns: summary, the table that has its commands, and the section of the help it stands in."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.cli.spec import Index

GROUPS: Index = {
    "init": ("set up this repository; safe to repeat", "jit.cli.tables.setup", "Set up"),
    "setup": ("install the hooks of an agent client", "jit.cli.tables.hooks", "Set up"),
    "hooks": ("install git hooks, take them out, show them", "jit.cli.tables.hooks", "Set up"),
    "uninstall": ("take out what was installed, byte for byte", "jit.cli.tables.hooks", "Set up"),
    "doctor": ("check the set-up and the store, and mend what can be mended", "jit.cli.tables.setup", "Set up"),
    "config": ("read and change settings, each with where it came from", "jit.cli.tables.config", "Set up"),
    "completion": ("print a completion script for your shell", "jit.cli.tables.setup", "Set up"),
    "demo": ("agents that race for work, in a scratch repository", "jit.cli.tables.setup", "Set up"),
    "version": ("print the version", "jit.cli.tables.setup", "Set up"),
    "issue": ("make, show, list and change issues", "jit.cli.tables.issue", "Work"),
    "claim": ("take issues for an agent, keep them and give them back", "jit.cli.tables.claim", "Work"),
    "file": ("who holds which file, who waits, and how to go on", "jit.cli.tables.file", "Work"),
    "worktree": ("show and make git worktrees with their identity", "jit.cli.tables.worktree", "Work"),
    "status": ("who holds what, and until when", "jit.cli.tables.observe", "Observe"),
    "log": ("what happened, and why", "jit.cli.tables.observe", "Observe"),
    "validate": ("check leases, settings, history, log and replay", "jit.cli.tables.validate", "Observe"),
    "_complete": ("", "jit.cli.tables.setup", ""),
}
