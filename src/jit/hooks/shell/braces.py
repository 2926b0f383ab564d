"""Brace expansion: `{a,b}` and `{1..3}` in the bare text of a word."""

from __future__ import annotations

from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT = 256


class Run(Record):
    """Text of one kind: `quoted`, `bare`, `split` (from an unquoted variable), `pattern` or `unknown`."""

    text: str
    kind: str
    certain: bool = True


def expand_braces(runs: tuple[Run, ...]) -> list[tuple[Run, ...]]:
    """Every word that the braces make, in order; the word itself if there are none."""
    if not any(run.kind == "bare" and "{" in run.text for run in runs):
        return [runs]
    found: list[tuple[Run, ...]] = []
    for word in _words(tuple(_single(runs))):
        found.append(tuple(_whole(word)))
        if len(found) > LIMIT:
            return [(Run("", "unknown"),)]
    return found


def _single(runs: tuple[Run, ...]) -> Iterator[Run]:
    """Bare text as runs of one character, so that braces and commas stand alone."""
    for run in runs:
        if run.kind == "bare":
            yield from (Run(char, "bare") for char in run.text)
        else:
            yield run


def _whole(runs: tuple[Run, ...]) -> Iterator[Run]:
    bare = ""
    for run in runs:
        if run.kind == "bare":
            bare += run.text
            continue
        if bare:
            yield Run(bare, "bare")
        bare = ""
        yield run
    if bare:
        yield Run(bare, "bare")


def _words(runs: tuple[Run, ...]) -> Iterator[tuple[Run, ...]]:
    for start, run in enumerate(runs):
        if not _is(run, "{"):
            continue
        end, commas = _group(runs, start)
        choices = _choices(runs, start, end, commas)
        if choices:
            # Made one by one, because there may be far more than anyone will ask for.
            for choice in choices:
                yield from (runs[:start] + inner + rest for inner in _words(choice) for rest in _words(runs[end + 1 :]))
            return
    yield runs


def _is(run: Run, char: str) -> bool:
    return run.kind == "bare" and run.text == char


def _group(runs: tuple[Run, ...], start: int) -> tuple[int, list[int]]:
    """Where a brace is closed (-1: nowhere), and its own commas."""
    depth, commas = 0, []
    for at in range(start, len(runs)):
        if _is(runs[at], "{"):
            depth += 1
        elif _is(runs[at], ","):
            commas += [at] if depth == 1 else []
        elif _is(runs[at], "}"):
            depth -= 1
            if not depth:
                return at, commas
    return -1, []


def _choices(runs: tuple[Run, ...], start: int, end: int, commas: list[int]) -> list[tuple[Run, ...]]:
    if end < 0:
        return []
    if commas:
        edges = [start, *commas, end]
        return [runs[edges[number] + 1 : end] for number, end in enumerate(edges[1:])]
    inner = runs[start + 1 : end]
    if any(run.kind != "bare" for run in inner):
        return []
    return [(Run(text, "bare"),) for text in _sequence("".join(run.text for run in inner))]


def _sequence(text: str) -> list[str]:
    """`1..3`, `a..c`, `1..9..2`; nothing if it is none."""
    ends = text.split("..")
    if len(ends) not in (2, 3):
        return []
    first, last = ends[:2]
    letters = len(first) == len(last) == 1 and (first + last).isalpha() and (first + last).isascii()
    if not letters and not all(_is_number(end) for end in ends):
        return []
    low, high = (ord(first), ord(last)) if letters else (int(first), int(last))
    step = abs(int(ends[2])) or 1 if len(ends) == 3 and _is_number(ends[2]) else 1
    numbers = range(low, high + 1, step) if low <= high else range(low, high - 1, -step)
    width = max(len(first), len(last)) if any(_padded(end) for end in ends[:2]) else 0
    return [chr(number) if letters else str(number).zfill(width) for number in numbers[: LIMIT + 1]]


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and text.isascii() and len(text) < 10


def _padded(text: str) -> bool:
    return len(text.lstrip("-")) > 1 and text.lstrip("-").startswith("0")
