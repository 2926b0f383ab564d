"""Commands without a verb that set jit up or look after it."""

from __future__ import annotations

from jit.cli.spec import Argument, Command, Option

COMMANDS = (
    Command(
        ("init",),
        "set up this repository; safe to repeat",
        "jit.cli.setup:init",
        (
            Option("--no-git-hooks", "", "leave the hooks of git alone", "flag"),
            Option("--no-clients", "", "leave the settings of agent clients alone", "flag"),
        ),
        (),
        "Makes the shared control plane under the git directory, `.jit/` with its settings, this worktree's"
        " identity and the merge rules in .gitattributes; installs the hooks of git, and those of every agent client"
        " that has a folder in your home. Run again, it changes nothing that is already there. `jit uninstall` gives"
        " every file back.",
    ),
    Command(
        ("doctor",),
        "check the set-up and the store, and mend what can be mended",
        "jit.cli.doctor:doctor",
        (
            Option("--fix", "", "mend: a damaged log is copied first, and nothing readable is lost", "flag"),
            Option("--coverage", "", "run the installed hooks to see what they block, detect and miss", "flag"),
        ),
        (),
        "With --coverage, every installed hook is asked about a file that a rival holds, in a scratch repository: a way"
        " of writing is blocked, only detected afterwards, or blind.",
    ),
    Command(
        ("completion",),
        "print a completion script for your shell",
        "jit.cli.setup:completion",
        (),
        (Argument("shell", "bash, zsh or fish", choices=("bash", "zsh", "fish")),),
        examples=(
            ("source <(jit completion bash)", "bash"),
            ("jit completion zsh > ~/.zfunc/_jit", "zsh, with ~/.zfunc in fpath"),
            ("jit completion fish > ~/.config/fish/completions/jit.fish", "fish"),
        ),
    ),
    Command(
        ("demo",),
        "agents that share files and race for work, in a scratch repository",
        "jit.cli.demo:demo",
        (Option("--keep", "", "keep the scratch repository, to look around in it", "flag"),),
        (),
        "Real processes edit the same files through the hooks of agent clients, then race for issues; two are killed"
        " with `kill -9`, and what they had is taken over; the log then explains every decision. Nothing outside a"
        " temporary directory is touched.",
    ),
    Command(("version",), "print the version", "jit.cli.setup:version"),
    Command(("_complete",), "", "jit.cli.setup:complete", trailing=True, hidden=True),
)
