"""The page of decisions: every command against every standing, answered by the kernel itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generator.markdown import code, document, table
from generator.scene import ANNA, BEN, BOOT_ID, START_BOOT_MS, START_WALL_MS
from jit.cli.answers import accept
from jit.engine import Outcome
from jit.errors import JitError
from jit.kernel.commands import Acquire, Beat, Evict, Release, Renew, Transfer
from jit.kernel.decide import decide
from jit.kernel.events import Refused, recorded
from jit.kernel.instant import Instant
from jit.kernel.lease import Evidence, Lease, Owner
from jit.kernel.ledger import Ledger
from jit.kernel.policy import Indefinite, Revisions, Signs, Ttl, WhileAlive, standing
from jit.systems.claims.decide import Claim, ClaimNext, Quota
from jit.systems.claims.decide import decide as decide_claim

if TYPE_CHECKING:
    from jit.kernel.commands import Command
    from jit.kernel.events import Event
    from jit.kernel.policy import Policy

INTRODUCTION = """
Each cell was made by giving the kernel a small state and a command. It lists the events of the batch in order; the
last one is the answer. *(exit N)* is what the command line ends in when the answer is no. An event in *italics* is
answered and not recorded.

An Acquire by the same owner is refused, not granted twice. *You* are agent and worktree together: the same agent in
another worktree is another owner.
"""
STANDINGS = """
## When a lease is held, stale or lapsed

Claims use the first two policies. The other two are for files and for documents.
"""
QUOTAS = """
## Claims that never end

`jit claim acquire --ttl 0`, with limits of 2 per agent and 3 per repository:
"""
COLUMNS = ("held by you", "held by another", "yours, stale", "another's, stale", "lapsed", "no such lease")
NOW = Instant(START_WALL_MS, START_BOOT_MS, BOOT_ID)
EARLIER = Instant(START_WALL_MS - 10_000, START_BOOT_MS - 10_000, BOOT_ID)
EVIDENCE = Evidence(NOW, {})
RESOURCE = "issue:X"
SHORT, LONG = 1000, 60_000
COMMANDS: tuple[tuple[str, Command], ...] = (
    ("Acquire", Acquire("N", (RESOURCE,), ANNA, Ttl(LONG))),
    ("Renew", Renew("L", ANNA)),
    ("Beat (heartbeat)", Beat("L", ANNA)),
    ("Release", Release("L", ANNA)),
    ("Transfer", Transfer("L", ANNA, BEN, "N", "review")),
    ("Evict, with a reason", Evict("L", ANNA, "crashed")),
    ("Evict, without a reason", Evict("L", ANNA, " ")),
    ("Renew, so that it never ends", Renew("L", ANNA, Indefinite(LONG))),
)
STATES: tuple[Ledger, ...]


def page() -> str:
    rows = [(name, *[answer(decide(state, command, EVIDENCE)) for state in STATES]) for name, command in COMMANDS]
    main = table(("command", *COLUMNS), rows)
    quotas = table(("when", "answer"), [(when, answer(events)) for when, events in _quotas()])
    nexts = table(("when", "answer"), [(when, answer(events)) for when, events in _nexts()])
    return document(
        "Decisions", INTRODUCTION, main, QUOTAS, quotas, "## Taking the next free issue", nexts, STANDINGS, _standings()
    )


def answer(events: tuple[Event, ...]) -> str:
    """The events of a decision in words, with the exit code of a no."""
    kept = recorded(events)
    names = [code(_name(event)) if event in kept else f"*{_name(event)}*" for event in events]
    exit_code = _exit_code(events)
    return ", ".join(names) + (f" (exit {exit_code})" if exit_code else "")


def _name(event: Event) -> str:
    return f"Refused {event.code}" if isinstance(event, Refused) else type(event).__name__


def _exit_code(events: tuple[Event, ...]) -> int:
    try:
        accept(Outcome(events, 0, ""), EVIDENCE)
    except JitError as error:
        return error.exit_code
    return 0


def _lease(owner: Owner, policy: Policy, *, lease_id: str = "L", resource: str = RESOURCE) -> Lease:
    return Lease(lease_id, (resource,), owner, policy, 1, EARLIER, EARLIER, EARLIER)


def _ledger(*leases: Lease) -> Ledger:
    ledger = Ledger()
    for lease in leases:
        ledger.put(lease)
    ledger.fence = len(leases)
    return ledger


def _endless(*owners: Owner) -> Ledger:
    made = [_lease(who, Indefinite(LONG), lease_id=f"L{n}", resource=f"issue:{n}") for n, who in enumerate(owners)]
    return _ledger(*made)


def _quotas() -> list[tuple[str, tuple[Event, ...]]]:
    def ask(state: Ledger, *, reason: str = "migration", quota: Quota | None = None) -> tuple[Event, ...]:
        acquire = Acquire("N", (RESOURCE,), ANNA, Indefinite(LONG), reason)
        return decide_claim(state, Claim(acquire, quota or Quota(2, 3)), EVIDENCE)

    return [
        ("nobody has one", ask(_endless())),
        ("no reason is given", ask(_endless(), reason="")),
        ("one of the limits is 0", ask(_endless(), quota=Quota(0, 3))),
        ("you have 2", ask(_endless(ANNA, ANNA))),
        ("others have 3", ask(_endless(BEN, BEN, BEN))),
        ("the issue is held by another", ask(STATES[1])),
    ]


def _nexts() -> list[tuple[str, tuple[Event, ...]]]:
    def ask(state: Ledger, *candidates: str) -> tuple[Event, ...]:
        claim = Claim(Acquire("N", candidates[:1] or ("issue:",), ANNA, Ttl(LONG)), Quota(2, 3))
        return decide_claim(state, ClaimNext(claim, candidates), EVIDENCE)

    return [
        ("the first issue is free", ask(_ledger(), RESOURCE)),
        ("the first is held by another, the second is free", ask(STATES[1], RESOURCE, "issue:Y")),
        ("the first is yours, the second is free", ask(STATES[0], RESOURCE, "issue:Y")),
        ("the first has lapsed", ask(STATES[4], RESOURCE)),
        ("all are held", ask(STATES[1], RESOURCE)),
        ("there is none", ask(_ledger())),
    ]


def _standings() -> str:
    rows = [(policy, when, code(standing(of, signs))) for policy, when, of, signs in _cases()]
    return table(("policy", "when", "standing"), rows)


def _cases() -> list[tuple[str, str, Policy, Signs]]:
    quiet = Signs(NOW, EARLIER, EARLIER)
    alive, dead = (Signs(NOW, EARLIER, EARLIER, life) for life in ("alive", "dead"))
    hasty = WhileAlive(SHORT, SHORT)
    patient = WhileAlive(LONG, SHORT)
    stopped = Signs(NOW, EARLIER, EARLIER, "alive", stopped=True)
    near, far = (Signs(NOW, NOW, NOW, revisions=ahead) for ahead in (2, 3))
    return [
        ("time to live", "no more than the time has passed since it was granted or renewed", Ttl(10_000), quiet),
        ("time to live", "more has passed", Ttl(9_999), quiet),
        ("indefinite", "a sign of life within the threshold", Indefinite(10_000), quiet),
        ("indefinite", "silent for longer", Indefinite(9_999), quiet),
        ("while alive", "the owner's process lives, however silent", hasty, alive),
        ("while alive", "it is proven dead", patient, dead),
        ("while alive", "it said that it stopped, and the idle time passed", patient, stopped),
        ("while alive", "its life is unknown, silent within the limit", patient, quiet),
        ("while alive", "its life is unknown, silent for longer", hasty, quiet),
        ("revisions", "the document is no more than the agreed revisions ahead", Revisions(2), near),
        ("revisions", "it is further ahead", Revisions(2), far),
    ]


STATES = (
    _ledger(_lease(ANNA, Ttl(LONG))),
    _ledger(_lease(BEN, Ttl(LONG))),
    _ledger(_lease(ANNA, Indefinite(SHORT))),
    _ledger(_lease(BEN, Indefinite(SHORT))),
    _ledger(_lease(BEN, Ttl(SHORT))),
    _ledger(),
)
