"""Who is acting?

The strongest word wins: the flag, `JIT_AGENT_ID`, what a known agent client puts into the environment of the commands
it runs, the agent file, and at last the person whose account it is. A client's session becomes a short stable name,
so that the same session is the same agent in every command and two sessions are two agents.
"""

from __future__ import annotations

import posix

from jit.errors import Invalid
from jit.kernel.ids import agent_id_fault
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from jit.world.config import Settings

VARIABLE = "JIT_AGENT_ID"

# Where one client was started by another, both have left their variables. Those that a client gives only to the
# commands of one agent, not to its whole process tree, stand first.
CLIENTS: tuple[tuple[str, str], ...] = (
    ("codex", "CODEX_THREAD_ID"),
    ("codex", "CODEX_SESSION_ID"),
    ("qwen", "QWEN_CODE_AGENT_ID"),
    ("qwen", "QWEN_CODE_SESSION_ID"),
    ("gemini", "GEMINI_SESSION_ID"),
    ("copilot", "COPILOT_AGENT_SESSION_ID"),
    ("claude", "CLAUDE_CODE_SESSION_ID"),
    ("opencode", "OPENCODE_PID"),
    ("cursor", "CURSOR_TRANSCRIPT_PATH"),
)


class Agent(Record):
    id: str
    source: str


def resolve(flag: str | None, environ: Mapping[str, str], settings: Settings | None = None) -> Agent:
    """The agent on whose behalf this command runs, with a checked id."""
    if flag is not None:
        return _checked(Agent(flag, "--agent-id"), "add to the command: --agent-id agent:NAME")
    if environ.get(VARIABLE):
        return _checked(Agent(environ[VARIABLE], VARIABLE), f"export {VARIABLE}=agent:NAME")
    client = from_client(environ)
    if client is not None:
        return client
    written = settings.raw("agent.id") if settings is not None else None
    if settings is not None and written is not None:
        source = settings.origin("agent.id").partition(":")[2]
        return _checked(Agent(str(written), source), "jit config set --global agent.id agent:NAME")
    return Agent(f"human:{user_name(environ)}", "user name")


def from_client(environ: Mapping[str, str]) -> Agent | None:
    """The agent client whose command this is, by the variables it sets."""
    for client, variable in CLIENTS:
        name = shorten(environ.get(variable, ""))
        if name:
            return Agent(f"agent:{client}-{name}", variable)
    return None


def shorten(session: str) -> str:
    """Eight characters that tell a session from others, out of its id or the path of its transcript."""
    stem = session.rpartition("/")[2].partition(".")[0]
    clean = "".join(c for c in stem if c.isascii() and c.isalnum())
    # The first half of a version 7 UUID is a clock, and some ids begin with milliseconds: sessions of the same minute
    # differ only at the end.
    is_clock_first = (len(clean) == 32 and clean[12] == "7") or clean[:13].isdecimal()
    return (clean[-8:] if is_clock_first else clean[:8]).lower()


def user_name(environ: Mapping[str, str]) -> str:
    """The account's name, in characters an agent id may have."""
    name = environ.get("USER") or environ.get("LOGNAME") or _account_name()
    clean = "".join(c if c.isalnum() or c in "._@+-" else "-" for c in name).strip("._@+-")
    return clean[:64] or f"uid-{posix.getuid()}"


def _account_name() -> str:
    import pwd

    try:
        return pwd.getpwuid(posix.getuid()).pw_name
    except KeyError:
        return ""


def _checked(agent: Agent, hint: str) -> Agent:
    why = agent_id_fault(agent.id)
    if why:
        raise Invalid(
            f"the agent id {agent.id!r} from {agent.source} cannot be used: {why}",
            hint=hint,
            details={"agent_id": agent.id, "source": agent.source},
        )
    return agent
