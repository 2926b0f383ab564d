"""The commands of `jit file`."""

from __future__ import annotations

from jit.cli.spec import Argument, Command, Option

_PATH = Argument("path", "the file; it need not exist", completes="path")

COMMANDS = (
    Command(
        ("file", "list"),
        "which files are leased, by whom, since when",
        "jit.cli.file:list_all",
        (Option("--all", "", "also leases that have lapsed and whose end is not in the log yet", "flag"),),
        (),
        "Files of all worktrees. A lease whose owner is dead, or has stopped and is idle, holds nothing: it is not"
        " shown.",
        (("jit file list --json", "for a program"),),
    ),
    Command(
        ("file", "why"),
        "the whole story of a file: who holds it, who waits, what happened last",
        "jit.cli.file_story:why",
        (),
        (_PATH,),
        examples=(("jit file why src/app.py", ""),),
    ),
    Command(
        ("file", "release"),
        "give files of yours back before you commit or stop",
        "jit.cli.file:release",
        (Option("--reason", "TEXT", "a word for the log"),),
        (Argument("path", "the files", many=True, completes="path"),),
        "All of the files or none. Yours are those of the agent that `jit status` takes you for: in a shell that an"
        " agent client started, that is the client's session with its subagents.",
    ),
    Command(
        ("file", "evict"),
        "take a file away from its holder",
        "jit.cli.file:evict",
        (Option("--reason", "TEXT", "why; it is kept in the log", required=True),),
        (_PATH,),
        "The holder may be in the middle of its work: look first with `jit file why`. Its next write has to get the"
        " lease anew.",
        (('jit file evict src/app.py --reason "the agent hangs"', ""),),
    ),
    Command(
        ("file", "waiters"),
        "who waits for which file, and until when",
        "jit.cli.file_waits:waiters",
        (),
        (Argument("path", "only for this file", required=False, completes="path"),),
    ),
    Command(
        ("file", "history"), "everything that happened to a file's leases", "jit.cli.file_story:history", (), (_PATH,)
    ),
    Command(
        ("file", "blockers"),
        "agents that have halted at a file and wait for your instruction",
        "jit.cli.file_waits:blockers",
        description="A denied write is tried once more, after the retry interval. If the file is still held then, the"
        " agent halts and stays here until the holder's lease ends or you act.",
    ),
    Command(
        ("file", "resume"),
        "let an agent that has halted try again",
        "jit.cli.file_waits:resume",
        (Option("--reason", "TEXT", "a word for the log"),),
        (Argument("blocker", "the blocker: its id, or the beginning of it, or the file", completes="path"),),
        "Its next attempt begins a new round: it gets the file if it is free by then, else it waits and retries once as"
        " before.",
        (("jit file resume src/app.py", "everybody who has halted at this file"),),
    ),
)
