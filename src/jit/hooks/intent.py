"""What an agent client says to a hook, and what a hook answers, the same for every client.

A client tells its hooks about a tool call in a JSON object of its own making. The module of that client turns it into
an `Intent`: who acts, what happened, which paths would change and how. It also turns a decision back into a `Reply` in
the client's own form. Both are pure: no clock, no file, no environment.

Paths stand as the client gave them: absolute, or relative to `cwd`, which is where this very call runs. Nothing is
resolved or cleaned here. An intent that changes files but names no path (`manner` is not "none", `paths` is empty) is
one whose targets the client did not tell: for a shell command they are in `command`.

After a shell call some clients say which files really changed; then these are the paths of the "post" intent.
"""

from __future__ import annotations

from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    # pre: a tool is about to run. post, failed: it has run. stop, subagent-stop: a turn is over. breakdown: a turn was
    # ended by a fault of the client or of its model. start, end: of a session. prompt: a person spoke. other: nothing
    # that a lease depends on.
    Event = Literal["pre", "post", "failed", "stop", "subagent-stop", "breakdown", "start", "end", "prompt", "other"]
    # whole: replaces the content. edit: a replacement that the client, or an MCP server, applies to the file as it then
    # is. none: reads, and everything else that changes no file; never gated.
    Manner = Literal["whole", "edit", "delete", "move", "patch", "shell", "none"]
    Denial = Literal["json", "exit", "throw", "cancel"]

EVENTS: tuple[Event, ...] = (
    "pre", "post", "failed", "stop", "subagent-stop", "breakdown", "start", "end", "prompt", "other",
)  # fmt: skip


class Intent(Record):
    """One call of a hook.

    `replaced`: those of a patch's paths that it brings or takes away whole. `served`: an MCP server does it, which runs
    where the session began. `background`: something of the call goes on running after its "post", or after this "stop".
    """

    client: str
    event: Event
    session: str
    subagent: str = ""
    cwd: str = ""
    tool: str = ""
    paths: tuple[str, ...] = ()
    manner: Manner = "none"
    replaced: tuple[str, ...] = ()
    served: bool = False
    command: str = ""
    background: bool = False
    call_id: str = ""
    raw_event: str = ""


class Reply(Record):
    """What the hook process prints, and how it exits."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0


class Manners(Record):
    """What a client allows its hooks. A hook that outlasts `timeout_secs` lets the write through: it answers before.

    `waits`: the hook may outlast the retry interval of 180 s. `timeout_secs`: to be written into the client's
    configuration; 0 where the client sets no limit. `wait_secs`: how long the hook itself may wait. `denies`: how a
    denial is said: a JSON object, an exit code, an exception in the client, or the end of the whole run.
    `checks_copies`: tools with which the client itself refuses to replace a file that changed since it was read.
    """

    name: str
    waits: bool
    timeout_secs: int
    wait_secs: int
    denies: Denial
    checks_copies: tuple[str, ...] = ()


class Hook(Record):
    """One entry of a client's configuration: `matcher` is empty where the event has none, `timeout` is in its unit."""

    event: str
    matcher: str
    timeout: int


def event_named(raw: str, names: Mapping[str, Event]) -> Event:
    """What happened, by the client's own name for it or by jit's."""
    if raw in names:
        return names[raw]
    return next((event for event in EVENTS if event == raw), "other")
