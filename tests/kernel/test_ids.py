from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jit.kernel.ids import agent_id_fault, is_ulid, is_worktree_id, ulid
from tests.traceability import covers

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
entropy = st.binary(min_size=16, max_size=16)


@covers("002:lease.id")
@given(st.integers(0, 2**48 - 1), entropy)
def test_a_ulid_is_its_time_and_its_random_bits_in_crockfords_digits(wall_ms: int, random: bytes) -> None:
    bits = f"{wall_ms:050b}" + "".join(f"{byte % 32:05b}" for byte in random)
    digits = [CROCKFORD[int(bits[start : start + 5], 2)] for start in range(0, 130, 5)]
    assert ulid(wall_ms, random) == "".join(digits)
    assert is_ulid(ulid(wall_ms, random))


@given(st.integers(0, 2**48 - 2), st.integers(1, 2**40), entropy, entropy)
def test_ulids_sort_by_time(wall_ms: int, more_ms: int, one: bytes, other: bytes) -> None:
    later = min(wall_ms + more_ms, 2**48 - 1)
    assert ulid(wall_ms, one) < ulid(later, other)


def test_the_memory_of_recent_times_does_not_mix_them_up() -> None:
    made = [ulid(ms, bytes(16)) for ms in (*range(40), *range(40))]
    assert made[:40] == made[40:]
    assert len(set(made)) == 40


@pytest.mark.parametrize(
    "text",
    [
        "",
        "01ARZ3NDEKTSV4RRFFQ69G5FA",
        "01ARZ3NDEKTSV4RRFFQ69G5FAVX",
        "81ARZ3NDEKTSV4RRFFQ69G5FAV",
        "01ARZ3NDEKTSV4RRFFQ69G5FAI",
        "01arz3ndektsv4rrffq69g5fav",
        "01ARZ3NDEKTSV4RRFFQ69G5FA ",
        "01ARZ3NDEKTSV4RRFFQ69G5FA\n",
    ],
)
def test_what_is_too_short_too_long_too_late_or_in_other_letters_is_no_ulid(text: str) -> None:
    assert not is_ulid(text)


@covers("002:agent.format")
@pytest.mark.parametrize(
    "text", ["agent:copilot-1", "human:alice", "ci-bot:x", "a1:b", "agent:A.b_c@d+e:f-g", "agent:" + "x" * 122]
)
def test_a_type_and_a_name_make_an_agent_id(text: str) -> None:
    assert agent_id_fault(text) == ""


@covers("002:agent.format")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "TYPE:NAME"),
        ("alice", "TYPE:NAME"),
        (":alice", "TYPE:NAME"),
        ("human:", "TYPE:NAME"),
        ("agent:" + "x" * 123, "longer than 128"),
        ("Agent:x", "lower-case"),
        ("1agent:x", "start with a letter"),
        ("-a:x", "start with a letter"),
        ("ag ent:x", "lower-case"),
        ("agént:x", "lower-case"),
        ("agent:-x", "must start with a letter or a digit"),
        ("agent: x", "must start with a letter or a digit"),
        ("agent:a/b", "may not contain '/'"),
        ("agent:a b\n", r"may not contain '\n' ' '"),
        ("agent:a\x1b[31m", "may not contain"),
    ],
)
def test_an_agent_id_with_a_fault_is_told_which(text: str, words: str) -> None:
    assert words in agent_id_fault(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wt:0123abcd", True),
        ("wt:0123abc", False),
        ("wt:0123abcde", False),
        ("wt:0123ABCD", False),
        ("wx:0123abcd", False),
    ],
)
def test_a_worktree_id_is_wt_and_eight_hex_digits(text: str, *, expected: bool) -> None:
    assert is_worktree_id(text) is expected
