"""The commands of `jit claim`."""

from __future__ import annotations

from jit.cli.spec import Argument, Command, Option

_TTL = Option("--ttl", "SECONDS", "how long it lasts: 600, 10m, 2h; 0 has no end and needs --reason", "secs")
_ISSUE = Argument("issue", "the issue: its id, or the beginning of it", completes="issue")
_LEASE = Argument("lease", "the lease: its id, or the beginning of it", completes="lease")

COMMANDS = (
    Command(
        ("claim", "acquire"),
        "take an issue, if nobody else has it",
        "jit.cli.claim:acquire",
        (_TTL, Option("--reason", "TEXT", "why; needed for a claim without end")),
        (_ISSUE,),
        "Of any number of agents that ask at once, in any worktrees, exactly one gets the issue. The others are"
        " told who has it, since when and until when. The claim is on disk before the command returns.",
        (
            ("jit claim acquire 01ABCD", "for the default time, 10 minutes"),
            ("jit claim acquire 01ABCD --ttl 2h", "for two hours"),
            ('jit claim acquire 01ABCD --ttl 0 --reason "schema migration"', "until it is released"),
        ),
    ),
    Command(
        ("claim", "next"),
        "take the most urgent free issue",
        "jit.cli.claim:take_next",
        (_TTL, Option("--reason", "TEXT", "why; needed for a claim without end")),
        (),
        "Agents that ask at the same moment get different issues. If there is no work, the exit code is 3.",
        (("jit claim next --ttl 30m --json", "for a program"),),
    ),
    Command(
        ("claim", "renew"),
        "start a claim's time anew",
        "jit.cli.claim:renew",
        (Option("--ttl", "SECONDS", "and change how long it lasts", "secs"),),
        (_LEASE,),
        examples=(("jit claim renew 01HXJK --ttl 20m", "another 20 minutes from now"),),
    ),
    Command(
        ("claim", "heartbeat"),
        "say that you are still at work",
        "jit.cli.claim_heartbeat:heartbeat",
        (
            Option("--loop", "", "go on until the claims end, renewing them if so configured", "flag"),
            Option("--while-pid", "PID", "with --loop: stop when this process ends", "int"),
        ),
        (Argument("lease", "one lease; without it, all of yours", required=False, completes="lease"),),
        "Updates your heartbeat file and the last sign of life of your claims. It makes a stale claim good"
        " again; it does not prolong a claim that has an end (that is `jit claim renew`).",
    ),
    Command(
        ("claim", "release"),
        "give a claim back",
        "jit.cli.claim:release",
        (Option("--reason", "TEXT", "a word for the log"),),
        (Argument("lease", "the lease or the issue: an id, or the beginning of one", completes="lease"),),
    ),
    Command(
        ("claim", "transfer"),
        "hand a claim to another agent, without a moment in which it is free",
        "jit.cli.claim:transfer",
        (
            Option("--to-agent", "ID", "who gets it", required=True, completes="agent"),
            Option("--to-worktree", "ID", "in which worktree; this one if not said", completes="worktree"),
            Option("--reason", "TEXT", "why", required=True),
        ),
        (_LEASE,),
    ),
    Command(
        ("claim", "force-evict"),
        "take a claim away from its holder",
        "jit.cli.claim:force_evict",
        (Option("--reason", "TEXT", "why; it is kept in the log", required=True),),
        (_LEASE,),
        examples=(('jit claim force-evict 01HXJK --reason "agent crashed"', ""),),
    ),
    Command(
        ("claim", "status"),
        "who holds what, and until when",
        "jit.cli.claim_show:status",
        (
            Option("--issue", "ISSUE", "only this issue", completes="issue"),
            Option("--agent", "ID", "only this agent", completes="agent"),
        ),
    ),
    Command(("claim", "list"), "all active claims", "jit.cli.claim_show:status_all"),
    Command(
        ("claim", "history"),
        "everything that happened to an issue's claims",
        "jit.cli.claim_show:history",
        (),
        (_ISSUE,),
    ),
    Command(
        ("claim", "run"),
        "take an issue, run a command while it is held, and give it back",
        "jit.cli.claim_run:run_claimed",
        (_TTL, Option("--reason", "TEXT", "why; needed for a claim without end")),
        (_ISSUE,),
        "The command finds JIT_LEASE_ID, JIT_FENCE and JIT_AGENT_ID in its environment. The claim is renewed"
        " while it runs and released when it ends; its exit code is the command's. If the claim is lost, the"
        " command gets SIGTERM and jit exits with 12.",
        (("jit claim run 01ABCD -- make test", ""),),
        trailing=True,
    ),
)
