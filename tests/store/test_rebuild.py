"""After any history the caches say what the log says, and making them anew changes nothing."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jit.kernel.commands import Beat, Evict, Release, Renew, Transfer
from jit.store.archive import archive
from jit.store.table import SLOTS_AT
from tests.store.checker import read_log
from tests.store.ground import ANN, BOB, Site
from tests.traceability import covers

if TYPE_CHECKING:
    from collections.abc import Callable

    from jit.kernel.lease import Owner

pytestmark = pytest.mark.contract

VERBS = ("claim", "claim", "endless", "renew", "beat", "release", "evict", "transfer", "wait", "reopen", "archive")
STEP = st.tuples(st.sampled_from(VERBS), st.integers(0, 3), st.sampled_from((ANN, BOB)))


class Story:
    """A random history, told through the engine."""

    def __init__(self, folder: Path) -> None:
        self.site = Site(folder)

    def tell(self, verb: str, number: int, owner: Owner) -> None:
        site, machine = self.site, self.site.machine
        lease_id = dict(enumerate(sorted(site.held()))).get(number, "01" + "0" * 24)
        match verb:
            case "claim":
                site.claim(f"i{number}", owner, ttl_ms=1000)
            case "endless":
                site.claim(f"e{number}", owner, ttl_ms=0)
            case "renew":
                site.engine.submit(Renew(lease_id, owner))
            case "beat":
                site.engine.submit(Beat(lease_id, owner))
            case "release":
                site.engine.submit(Release(lease_id, owner))
            case "evict":
                site.engine.submit(Evict(lease_id, owner, "because"))
            case "transfer":
                to = BOB if owner is ANN else ANN
                site.engine.submit(Transfer(lease_id, owner, to, machine.ulid(0), "yours now"))
            case "wait":
                machine.pass_ms(400 * number)
            case "archive":
                archive(site.store, machine.now())
            case _:
                site.close()
                self.site = site.anew()


def index_rows(site: Site) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(site.index.read_text())["active"]
    return [{name: value for name, value in row.items() if name != "stale"} for row in rows]


@settings(max_examples=60)
@given(steps=st.lists(STEP, max_size=40))
@covers("L:9", "002:T14", "002:schema.rebuild", "002:seq.order", "002:T9")
def test_after_any_history_index_table_and_log_agree(steps: list[tuple[str, int, Owner]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        story = Story(Path(folder))
        story.site.take("first")
        for step in steps:
            story.tell(*step)
        story.site.claim("last", BOB)
        story.site.close()
        _assert_agreed(story.site)


@pytest.mark.parametrize("seed", [1, 2, 3])
@covers("L:9", "002:T14")
def test_after_a_long_history_index_table_and_log_agree(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    story = Story(tmp_path)
    verbs = [verb for verb in VERBS if verb != "archive"]
    for _ in range(300):
        story.tell(chance.choice(verbs), chance.randrange(4), chance.choice((ANN, BOB)))
    story.site.claim("last", BOB)
    story.site.close()
    assert story.site.log.stat().st_size > 100_000
    _assert_agreed(story.site)


def _assert_agreed(site: Site) -> None:
    state = read_log(site.log)
    live = site.anew().store.snapshot()
    assert (set(live.ledger.active), live.ledger.fence, live.sequence) == (
        set(state.active),
        state.fence,
        state.sequence,
    )
    rows = index_rows(site)
    assert {row["lease_id"]: row["fence"] for row in rows} == {i: x["fence"] for i, x in state.active.items()}
    for spoil in (_neither, _no_index, _no_table, _no_table):
        spoil(site)
        assert site.anew().store.snapshot() == live
        again = site.anew()
        with again.store.exclusive():
            leases = again.store.view().leases
            assert {name: leases.holders(name)[0].lease_id for name in state.holders()} == state.holders()
            assert leases.fence == state.fence
        again.close()


def _neither(site: Site) -> None:
    site.table.unlink(missing_ok=True)
    site.index.unlink(missing_ok=True)


def _no_index(site: Site) -> None:
    site.index.unlink(missing_ok=True)


def _no_table(site: Site) -> None:
    site.table.unlink(missing_ok=True)


@covers("L:9")
def test_making_the_table_anew_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    site = Site(tmp_path)
    for number in range(30):
        lease = site.take(f"i{number}")
        if number % 3 == 0:
            site.release(lease)
    site.close()
    made: list[tuple[bytes, set[str]]] = []
    makers: list[Callable[[Site], None]] = [_neither, _neither, _no_table]
    for spoil in makers:
        spoil(site)
        again = site.anew()
        with again.store.exclusive():
            assert again.store.view().sequence == 40
        made.append((site.table.read_bytes()[SLOTS_AT:], again.held()))
        again.close()
    assert made[0] == made[1] == made[2]


@covers("002:seq.order", "002:schema.append-only", "002:inv5", "002:AC7")
def test_every_operation_is_one_more_record_and_no_record_ever_changes(tmp_path: Path) -> None:
    site = Site(tmp_path)
    seen = b""
    lease = site.take("a")
    steps: list[Callable[[], object]] = [
        lambda: site.renew(lease),
        lambda: site.engine.submit(Beat(lease, ANN)),
        lambda: site.claim("a", BOB),
        lambda: site.release(lease, BOB),
        lambda: site.engine.submit(Transfer(lease, ANN, BOB, "01" + "7" * 24, "over")),
        lambda: site.engine.submit(Evict("01" + "7" * 24, ANN, "gone")),
        lambda: site.take("a"),
    ]
    for step in steps:
        seen = site.log.read_bytes()
        step()
        assert site.log.read_bytes().startswith(seen)
        assert len(site.log.read_bytes()) > len(seen)
    assert read_log(site.log).types == [
        "claim.acquired",
        "claim.renewed",
        "claim.heartbeat",
        "claim.denied",
        "claim.refused",
        "claim.transferred",
        "claim.evicted",
        "claim.acquired",
    ]
    site.close()
