"""The shapes of names: ULIDs for leases, issues and batches; `type:identifier` for agents; `wt:` + 8 hex for
worktrees.
"""

from __future__ import annotations

ULID_LENGTH = 26
ULID_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
AGENT_ID_LIMIT = 128
_PUNCTUATION = "._@+:-"
_BYTE_TO_DIGIT = (ULID_DIGITS * 8).encode()
_times: dict[int, str] = {}


def ulid(wall_ms: int, entropy: bytes) -> str:
    """A ULID: 48 bits of milliseconds in 10 digits, then 16 digits from the low bits of 16 random bytes.

    Sorts by time.
    """
    return _time_digits(wall_ms & 0xFFFF_FFFF_FFFF) + entropy[:16].translate(_BYTE_TO_DIGIT).decode()


def _time_digits(wall_ms: int) -> str:
    text = _times.get(wall_ms)
    if text is None:
        if len(_times) > 16:
            _times.clear()
        text = _times[wall_ms] = "".join([ULID_DIGITS[wall_ms >> shift & 31] for shift in range(45, -1, -5)])
    return text


def is_ulid(text: str) -> bool:
    return len(text) == ULID_LENGTH and text[0] in "01234567" and all(c in ULID_DIGITS for c in text)


def agent_id_fault(text: str) -> str:
    """Why this is not an agent id, or nothing if it is one."""
    kind, colon, name = text.partition(":")
    if not colon or not kind or not name:
        return "it must look like TYPE:NAME, for example agent:copilot-1 or human:alice"
    if len(text) > AGENT_ID_LIMIT:
        return f"it is longer than {AGENT_ID_LIMIT} characters"
    if not (kind.isascii() and kind[0].isalpha() and kind.replace("-", "").isalnum() and kind == kind.lower()):
        return f"the type {kind!r} must be lower-case letters, digits and dashes, and start with a letter"
    if not name[0].isalnum():
        return f"the name {name!r} must start with a letter or a digit"
    bad = sorted({c for c in name if not (c.isalnum() or c in _PUNCTUATION)})
    if bad:
        return f"the name may not contain {' '.join(map(repr, bad))}"
    return ""


def is_worktree_id(text: str) -> bool:
    return len(text) == 11 and text.startswith("wt:") and all(c in "0123456789abcdef" for c in text[3:])
