"""Every setting there is: its name, what it may be, what it is when nobody says, and what it does.

This table is the only place that knows a key. The resolver, the validator, the editor, the help and the reference
page read it. A key is `section.name`; the environment variable is `JIT_SECTION_NAME`. Keys of `agent` and `behavior`
describe one person or agent and live in `agent.toml`; all others live in `config.toml`.
"""

from __future__ import annotations

from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Value: TypeAlias = str | int | bool | tuple[str, ...] | None
    Kind: TypeAlias = Literal["choice", "number", "flag", "names", "text"]
    Home: TypeAlias = Literal["config", "agent"]

YEAR_SECS = 31_536_000
DAY_SECS = 86_400


class Key(Record):
    name: str
    kind: Kind
    default: Value
    help: str
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 0

    @property
    def environment(self) -> str:
        return "JIT_" + self.name.replace(".", "_").upper()

    @property
    def home(self) -> Home:
        return "agent" if self.name.startswith(("agent.", "behavior.")) else "config"


def _choice(name: str, default: str, *choices: str, help: str) -> Key:  # noqa: A002  the table reads better so
    return Key(name, "choice", default, help, choices, 0, 0)


def _number(name: str, default: int | None, low: int, high: int, *, help: str) -> Key:  # noqa: A002
    return Key(name, "number", default, help, (), low, high)


def _flag(name: str, *, default: bool, help: str) -> Key:  # noqa: A002
    return Key(name, "flag", default, help, (), 0, 0)


_TABLE: tuple[Key, ...] = (
    _choice(
        "worktree.mode", "auto", "auto", "on", "off",
        help="worktree features: auto detects git worktrees, on demands one, off uses .jit alone",
    ),
    _choice(
        "worktree.enforce_leases", "strict", "strict", "warn", "off",
        help="a write without a lease is refused (strict), reported (warn) or allowed (off)",
    ),
    _number(
        "coordination.default_ttl_secs", 600, 1, YEAR_SECS,
        help="how long a new lease lasts; agent.default_ttl_secs wins over it",
    ),
    _number(
        "coordination.heartbeat_interval_secs", 30, 1, DAY_SECS,
        help="pause between heartbeats; behavior.heartbeat_interval wins over it",
    ),
    _number(
        "coordination.lease_renewal_threshold_pct", 10, 0, 100,
        help="warn when less than this part of the time to live is left",
    ),
    _number(
        "coordination.stale_threshold_secs", 3600, 1, YEAR_SECS,
        help="an indefinite lease without a heartbeat for this long is stale",
    ),
    _number(
        "coordination.max_indefinite_leases_per_agent", 2, 0, 100_000,
        help="indefinite leases one agent may hold; 0 forbids them",
    ),
    _number(
        "coordination.max_indefinite_leases_per_repo", 10, 0, 100_000,
        help="indefinite leases the repository may have; 0 forbids them",
    ),
    _flag("coordination.auto_renew_leases", default=False, help="background heartbeats also renew the agent's leases"),
    _flag(
        "global_operations.require_main_history", default=True,
        help="shared settings change only on a branch that contains all of main",
    ),
    Key(
        "global_operations.allowed_branches", "names", ("main", "develop"),
        "branches on which shared settings may change",
    ),
    _number("locks.max_age_secs", 3600, 1, YEAR_SECS, help="doctor reports a writers' lock that is held for longer"),
    _flag("locks.enable_metadata", default=True, help="note in the lock file who holds it, for diagnosis only"),
    _number("locks.wait_secs", 10, 0, DAY_SECS, help="how long a command waits for the writers' lock"),
    _flag("control.group", default=False, help="share the control plane with the group of its directory (0770, 0660)"),
    _choice(
        "files.on_contention", "wait", "wait", "deny",
        help="a denied edit waits inside the hook for its retry, or is answered at once with the time of the retry",
    ),
    _number("files.retry_interval_secs", 180, 1, DAY_SECS, help="when a denied edit may be tried again; contract: 180"),
    _number("files.stop_idle_secs", 30, 0, DAY_SECS, help="how long a stopped agent keeps its files; contract: 30"),
    _number(
        "files.silence_secs", 3600, 1, YEAR_SECS,
        help="how long an owner whose life cannot be known may be silent before its files are free",
    ),
    _flag("files.lease_ignored", default=False, help="lease files that git ignores, too"),
    _choice(
        "files.on_failure", "allow", "allow", "deny",
        help="what a hook answers when jit itself fails: allow and record it, or deny",
    ),
    _flag(
        "commits.trailers", default=False,
        help="commit messages name the lease, issue, agent and worktree of the claims they were made under",
    ),
    Key("agent.id", "text", None, "who this agent is, as type:name"),
    Key("agent.created_at", "text", None, "when this identity was made"),
    Key("agent.description", "text", None, "a line about this agent, for people"),
    _number(
        "agent.default_ttl_secs", None, 1, YEAR_SECS,
        help="this agent's own default; wins over coordination.default_ttl_secs unless the environment sets that",
    ),
    _flag("behavior.auto_heartbeat", default=False, help="start background heartbeats with the first claim"),
    _number(
        "behavior.heartbeat_interval", None, 1, DAY_SECS,
        help="this agent's own pause; wins over coordination.heartbeat_interval_secs unless the environment sets that",
    ),
)  # fmt: skip

KEYS: dict[str, Key] = {key.name: key for key in _TABLE}

RETIRED: dict[str, str] = {
    "events.enable_sequences": "every record has a sequence: replay and the index depend on it",
    "events.use_unified_envelope": "every record has the unified envelope: replay depends on it",
}
"""Keys that can only be true; saying so is allowed, the opposite is an error."""


def fault(key: Key, value: object) -> str:
    """Why this value cannot be used for this key, or nothing if it can."""
    if key.kind == "choice":
        return "" if value in key.choices else f"it must be one of {', '.join(key.choices)}, not {value!r}"
    if key.kind == "flag":
        return "" if isinstance(value, bool) else f"it must be true or false, not {value!r}"
    if key.kind == "number":
        return _number_fault(key, value)
    if key.kind == "names":
        listed = isinstance(value, list | tuple) and all(isinstance(name, str) and name for name in value)
        return "" if listed else f'it must be a list of names, like ["main", "develop"], not {value!r}'
    return "" if isinstance(value, str) else f"it must be text, not {value!r}"


def from_text(key: Key, text: str) -> Value:
    """The value that a word in the environment or on the command line stands for; what cannot be read stays text."""
    if key.kind == "number":
        digits = text.strip().removeprefix("-")
        return int(text) if digits.isascii() and digits.isdigit() else text
    if key.kind == "flag":
        return _FLAG_WORDS.get(text.strip().lower(), text)
    if key.kind == "names":
        inner = text.strip().removeprefix("[").removesuffix("]")
        return tuple(name.strip().strip("\"'") for name in inner.split(",")) if inner.strip() else ()
    return text


def suggest(name: str) -> str:
    """The key that was probably meant, or nothing."""
    from difflib import get_close_matches

    known = [*KEYS, *RETIRED]
    by_last_part = [key for key in known if key.partition(".")[2] == name.rpartition(".")[2]]
    return next(iter(by_last_part or get_close_matches(name, known, 1, 0.7)), "")


_FLAG_WORDS: dict[str, bool] = {
    "true": True, "yes": True, "on": True, "1": True,
    "false": False, "no": False, "off": False, "0": False,
}  # fmt: skip


def _number_fault(key: Key, value: object) -> str:
    if not isinstance(value, int) or isinstance(value, bool):
        return f"it must be a whole number, not {value!r}"
    if not key.low <= value <= key.high:
        return f"it must be from {key.low} to {key.high}, not {value}"
    return ""
