"""The commands of `jit issue`."""

from __future__ import annotations

from jit.cli.spec import Argument, Command, Option
from jit.systems.issues.issue import PRIORITIES, STATES

_ISSUE = Argument("issue", "the issue: its id, or the beginning of it", completes="issue")
_FIELDS = (
    Option("--description", "TEXT", "more about it"),
    Option("--priority", "PRIORITY", "how urgent it is", choices=PRIORITIES),
    Option("--state", "STATE", "how far it is", choices=STATES),
    Option("--label", "LABEL", "a label; may be given several times", "list"),
    Option("--assignee", "ID", "who is to do it", completes="agent"),
)

COMMANDS = (
    Command(
        ("issue", "create"),
        "make a new issue; needs no claim",
        "jit.cli.issue:create",
        (Option("--title", "TEXT", "what is to be done", required=True), *_FIELDS),
        examples=(('jit issue create --title "Fix the login" --priority high', ""),),
    ),
    Command(("issue", "show"), "show an issue, wherever it is", "jit.cli.issue:show", (), (_ISSUE,)),
    Command(
        ("issue", "list"),
        "list issues with who holds them",
        "jit.cli.issue:list_all",
        (
            Option("--state", "STATE", "only those in this state", choices=STATES),
            Option("--available", "", "only those that can be claimed now", "flag"),
        ),
    ),
    Command(
        ("issue", "update"),
        "change an issue that you hold",
        "jit.cli.issue:update",
        (
            Option("--title", "TEXT", "what is to be done"),
            *_FIELDS,
            Option("--strict", "", "demand a claim even if the settings do not", "flag"),
        ),
        (_ISSUE,),
        "Needs your active claim on the issue (worktree.enforce_leases says how strictly). A label that begins"
        " with a dash is taken away: --label=-old.",
        (("jit issue update 01ABCD --state done", ""),),
    ),
)
