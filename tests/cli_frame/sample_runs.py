"""What the sample's commands do."""

from __future__ import annotations

from jit.cli.completion import candidates
from jit.cli.output import Out
from jit.cli.parse import Parsed
from jit.cli.table import Column
from jit.errors import Held
from tests.cli_frame.sample import INDEX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.cli.table import Cell

LIVE = {
    "issue": lambda: [("01ABCDEF", "first"), ("01XYZ", "second")],
    "lease": lambda: [("01LEASE", "held by agent:a")],
    "agent": lambda: [("agent:alpha", ""), ("agent:beta", ""), ("human:carol", "")],
}


def acquire(parsed: Parsed, out: Out) -> int:
    out.note("asking")
    out.data({"issue_id": parsed.text("ISSUE"), "ttl_secs": parsed.integer("--ttl")})
    out.line(f"{parsed.text('ISSUE')} for {parsed.integer('--ttl')} s")
    return 0


def listing(parsed: Parsed, out: Out) -> int:
    rows: list[tuple[Cell, ...]] = [("01LEASE", "agent:a"), ("02LEASE", ("warn", "stale"))]
    out.data({"leases": [row[0] for row in rows], "count": len(rows)})
    out.table([Column("LEASE", "id"), Column("HOLDER")], rows)
    return 0


def version(parsed: Parsed, out: Out) -> int:
    for number in range(20_000):
        out.line(f"line {number}")
    return 0


def log(parsed: Parsed, out: Out) -> int:
    raise KeyboardInterrupt


def run(parsed: Parsed, out: Out) -> int:
    out.line(" ".join(parsed.trailing))
    return 7


def complete(parsed: Parsed, out: Out) -> int:
    for value, meaning in candidates(parsed.trailing, INDEX, LIVE):
        out.line(f"{value}\t{meaning}")
    return 0


def fail(parsed: Parsed, out: Out) -> int:
    raise Held("01ABC is held by agent:a since noon", hint="jit claim list", details={"holder": "agent:a"})


def crash(parsed: Parsed, out: Out) -> int:
    raise ZeroDivisionError("a deliberate fault")
