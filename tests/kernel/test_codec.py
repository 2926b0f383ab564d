"""What is written can be read: every command, event and policy comes back as it was, and damage is noticed."""

from __future__ import annotations

import json
from binascii import crc32
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jit.kernel.commands import Acquire, Release, Renew
from jit.kernel.events import Granted
from jit.kernel.record import replace
from jit.store.api import Batch
from jit.store.codec import decode_batch, decode_line, encode_batch, is_whole
from jit.store.commands import decode_command
from jit.store.events import decode_event
from tests.kernel import strategies
from tests.kernel.made import ANN, START, TTL, known, made_lease
from tests.traceability import covers

if TYPE_CHECKING:
    from jit.kernel.events import Event
    from jit.kernel.lease import Lease
    from jit.kernel.policy import Policy
    from jit.systems.claims.decide import ClaimCommand

SAMPLE = encode_batch(Batch("B1", Acquire("L1", ("issue:1",), ANN, TTL), known(), (Granted(made_lease()),)), 7)[0][:-1]


RELEASE = Release("L1", ANN)


def read_back(batch: Batch) -> Batch:
    """Written, parsed by the public package as well, and read."""
    lines = [line[:-1] for line in encode_batch(batch, 1)]
    assert all(isinstance(json.loads(line), dict) for line in lines)
    return decode_batch([decode_line(line) for line in lines])


@given(strategies.policies(least_ttl_ms=1))
def test_a_policy_comes_back_as_it_was(policy: Policy) -> None:
    batch = Batch("B1", Renew("L1", ANN, policy), known(), (Granted(made_lease(policy=policy)),))
    assert read_back(batch) == batch


@given(strategies.leases(least_ttl_ms=1))
def test_a_lease_comes_back_as_it_was(lease: Lease) -> None:
    batch = Batch("B1", RELEASE, known(), (Granted(lease),))
    assert read_back(batch) == batch


@pytest.mark.parametrize("changes", [{"stopped": True}, {"reason": ""}, {"acquired_rev": 0}, {"branch": ""}])
def test_each_field_of_a_lease_is_kept_by_itself(changes: dict[str, object]) -> None:
    lease = replace(replace(made_lease(), reason="", branch=""), **changes)
    assert lease.renewed is lease.acquired
    batch = Batch("B1", RELEASE, known(), (Granted(lease),))
    assert read_back(batch) == batch


@given(strategies.commands())
def test_a_command_comes_back_as_it_was(command: ClaimCommand) -> None:
    batch = Batch("B1", command, known(), (Granted(made_lease()),))
    assert read_back(batch) == batch


@given(strategies.events())
def test_an_event_comes_back_as_it_was(event: Event) -> None:
    batch = Batch("B1", RELEASE, known(), (event,))
    assert read_back(batch) == batch


@given(strategies.batches(), st.integers(1, 2**40))
def test_a_batch_comes_back_as_it_was_with_a_sequence_for_each_event(batch: Batch, sequence: int) -> None:
    lines = encode_batch(batch, sequence)
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 and is_whole(line[:-1]) for line in lines)
    read = [decode_line(line[:-1]) for line in lines]
    assert [line.sequence for line in read] == list(range(sequence, sequence + len(batch.events)))
    assert {(line.batch_id, line.count) for line in read} == {(batch.batch_id, len(batch.events))}
    assert [line.index for line in read] == list(range(len(batch.events)))
    assert decode_batch(read) == batch


@covers("002:envelope.control", "002:lease.fields", "002:schema.acquire")
def test_a_record_has_the_unified_envelope_and_the_fields_of_a_lease() -> None:
    body = json.loads(SAMPLE)
    moment = datetime.fromtimestamp(START.wall_ms / 1000, UTC)
    assert body["schema_version"] == 1
    assert (body["sequence"], body["event_type"]) == (7, "claim.acquired")
    assert datetime.fromisoformat(body["timestamp"]) == moment
    assert body["actor"]["agent_id"] == "agent:ann"
    lease = body["payload"]
    assert (lease["lease_id"], lease["issue_id"], lease["ttl_secs"]) == ("L1", "1", 600)
    assert (lease["agent_id"], lease["worktree_id"], lease["branch"]) == ("agent:ann", "wt:0000000a", "main")
    assert datetime.fromisoformat(lease["acquired_at"]) == moment
    assert (datetime.fromisoformat(lease["expires_at"]) - moment).total_seconds() == 600
    assert lease["reason"] == "why"


def test_the_checksum_is_the_crc_of_everything_before_it() -> None:
    head, _, tail = SAMPLE.rpartition(b',"crc":"')
    assert int(tail[:8], 16) == crc32(head)
    assert tail[8:] == b'"}'


@settings(max_examples=400)
@given(st.integers(0, len(SAMPLE) - 1), st.integers(1, 255))
@example(len(SAMPLE) - 1, 0x20)
@example(len(SAMPLE) - 2, 0x01)
def test_a_change_of_any_one_byte_is_noticed(position: int, flip: int) -> None:
    damaged = bytearray(SAMPLE)
    damaged[position] ^= flip
    assert not is_whole(bytes(damaged))


def test_a_checksum_in_capitals_is_a_change_too() -> None:
    digits = [place for place in range(len(SAMPLE) - 10, len(SAMPLE) - 2) if SAMPLE[place : place + 1].isalpha()]
    assert digits, "the sample's checksum has no letter: choose another sample"
    for place in digits:
        damaged = SAMPLE[:place] + SAMPLE[place : place + 1].upper() + SAMPLE[place + 1 :]
        assert not is_whole(damaged)


@given(st.integers(0, len(SAMPLE) - 1))
def test_a_record_that_was_cut_short_is_noticed(length: int) -> None:
    assert not is_whole(SAMPLE[:length])


@pytest.mark.parametrize("line", [b"{}", b"[]", b"null", b'{"schema_version":2}', b"\xff", b"{", b""])
def test_what_is_not_a_record_of_this_log_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  damage has many words
        decode_line(line)


@pytest.mark.parametrize("missing", ["actor", "command", "evidence", "payload"])
def test_a_record_that_lacks_a_part_is_refused(missing: str) -> None:
    line = decode_line(SAMPLE)
    del line.body[missing]
    with pytest.raises(ValueError, match=missing):
        decode_batch([line])


def test_an_event_or_a_command_of_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown event molten"):
        decode_event("claim.molten", decode_line(SAMPLE).body["payload"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown command melt"):
        decode_command(ANN, {"name": "melt", "lease_id": "L1"})
