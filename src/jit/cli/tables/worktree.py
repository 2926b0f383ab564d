"""The commands of `jit worktree`."""

from __future__ import annotations

from jit.cli.spec import Argument, Command, Option

COMMANDS = (
    Command(("worktree", "info"), "this worktree and its identity", "jit.cli.worktree:info"),
    Command(("worktree", "list"), "all worktrees of the repository, with their claims", "jit.cli.worktree:list_all"),
    Command(("worktree", "init"), "give this worktree its identity now", "jit.cli.worktree:initialise"),
    Command(
        ("worktree", "create"),
        "make a new worktree with its identity",
        "jit.cli.worktree:create",
        (
            Option("--branch", "NAME", "the branch to work on; made if it does not exist"),
            Option("--from", "COMMIT", "where a new branch begins; HEAD if not said"),
        ),
        (Argument("path", "where the worktree shall be", completes="path"),),
        examples=(("jit worktree create ../auth --branch agents/auth", ""),),
    ),
)
