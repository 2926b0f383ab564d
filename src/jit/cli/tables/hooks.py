"""The commands that put hooks into agent clients and into git, and take them out again."""

from __future__ import annotations

from jit.cli.spec import Argument, Command, Option

CLIENTS = ("claude", "codex", "gemini", "opencode", "copilot", "qwen", "cursor", "cline")

COMMANDS = (
    Command(
        ("setup",),
        "let an agent client ask before it writes; safe to repeat",
        "jit.cli.clients:setup",
        (
            Option("--project", "", "write it into this repository, not into your home", "flag"),
            Option("--trust", "", "codex: also write down that you trust these hooks", "flag"),
        ),
        (Argument("client", "the agent client", choices=CLIENTS),),
        "Writes the client's own configuration. Other hooks, settings and comments stay as they are, and an older entry"
        " of jit is renewed in its place. In repositories without jit the hook does nothing.",
        (("jit setup claude", "Claude Code, in every repository of yours"), ("jit setup codex --trust", "")),
    ),
    Command(
        ("uninstall",),
        "give every file back as it was before jit wrote to it",
        "jit.cli.clients:uninstall",
        (
            Option("--client", "NAME", "only this agent client", choices=CLIENTS),
            Option(
                "--repository", "", "also undo `jit init`: settings, merge rules, control plane; issues stay", "flag"
            ),
            Option("--yes", "", "with --repository: do it without asking", "flag"),
        ),
        (),
        "A file that nobody touched since is restored byte for byte. From one that was edited, only jit's entries are"
        " taken out. Covers agent clients and the git hooks of this repository.",
        (("jit uninstall", ""), ("jit uninstall --client gemini", "")),
    ),
    Command(
        ("hooks", "install"),
        "put jit's hooks where git looks for them; safe to repeat",
        "jit.cli.git_hooks:install",
        description="pre-commit, prepare-commit-msg, post-commit and pre-push. A hook that is already there is renamed"
        " to NAME.jit-chained and run as well.",
    ),
    Command(("hooks", "uninstall"), "put back what was there before", "jit.cli.git_hooks:uninstall"),
    Command(
        ("hooks", "status"),
        "which hooks are installed, foreign, chained, missing or outdated",
        "jit.cli.git_hooks:status",
    ),
)
