"""What `jit demo` promises, and how it looks whether that was kept: in the log alone, without any of jit's own code."""

from __future__ import annotations

from itertools import pairwise

from jit.errors import Invalid
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from jit.cli.demo_agent import Document


class Check(Record):
    """A promise, and what breaks it, if anything does."""

    name: str
    fault: str


def audit(log: Sequence[Document]) -> list[Check]:
    """What must hold of the log, found out from its records alone and without any of jit's own code."""
    holders: dict[object, object] = {}
    twice: list[str] = []
    fences = [0]
    for entry in log:
        noun, _, verb = str(entry["event_type"]).partition(".")
        payload = payload_of(entry)
        fence = payload.get("fence")
        if verb == "acquired":
            fences.append(fence if isinstance(fence, int) else 0)
        if noun not in ("claim", "file"):
            continue
        what = payload.get("issue_id") or str(payload.get("resources"))
        if verb == "acquired":
            twice += [f"{what} at sequence {entry['sequence']}"] if what in holders else []
            holders[what] = payload["lease_id"]
        elif verb in ("released", "evicted"):
            holders.pop(what, None)
    gaps = [str(at) for at, entry in enumerate(log, 1) if entry["sequence"] != at]
    falls = [str(later) for earlier, later in pairwise(fences) if later <= earlier]
    return [
        Check("no file and no issue ever had two holders", ", ".join(twice)),
        Check("every grant has a larger fence than the one before", ", ".join(falls)),
        Check("the log has no gap", ", ".join(gaps)),
        Check("nothing is left behind", ", ".join(map(str, holders))),
    ]


def payload_of(entry: Document) -> Document:
    payload = entry.get("payload")
    return payload if isinstance(payload, dict) else {}


def broken(what: str) -> Invalid:
    return Invalid(f"the demonstration went wrong: {what}", hint="look around with: jit demo --keep")
