r"""Quotes and backslashes: `a\ b`, `$'a\tb'`; and patterns that match themselves."""

from __future__ import annotations

from jit.hooks.shell.braces import Run

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_ESCAPES |= {char: char for char in "\\'\"?"}
_HEX = {"x": 2, "u": 4, "U": 8}


def remove_backslashes(text: str, only: str = "") -> tuple[Run, ...]:
    """Bare text, with what a backslash protects as quoted text. In double quotes a backslash protects `only` some."""
    runs: list[Run] = []
    bare, at = "", 0
    while at < len(text):
        after = text[at + 1 : at + 2]
        if text[at] != "\\" or (only and after not in f"{only}\n") or not after:
            bare, at = bare + text[at], at + 1
            continue
        if after != "\n":
            runs += [Run(bare, "bare")] if bare else []
            runs.append(Run(after, "quoted"))
            bare = ""
        at += 2
    return (*runs, Run(bare, "bare")) if bare else tuple(runs)


def decode(text: str) -> Run:
    """The inside of `$'…'`."""
    out, at = "", 0
    while at < len(text):
        if text[at] != "\\":
            out, at = out + text[at], at + 1
            continue
        char, at = _escape(text, at + 1)
        if not char or char == "\0":
            return Run("", "unknown")
        out += char
    return Run(out, "quoted")


def _escape(text: str, at: int) -> tuple[str, int]:
    """The character of one escape and where it ends; no character if it is of a rare kind."""
    char = text[at : at + 1]
    if char in _ESCAPES:
        return _ESCAPES[char], at + 1
    if char in _HEX:
        end = _digits(text, at + 1, "0123456789abcdefABCDEF", _HEX[char])
        code = int(text[at + 1 : end] or "0", 16)
        return (chr(code) if code < 128 or (char != "x" and code < 0xD800) else ""), end
    end = _digits(text, at, "01234567", 3)
    code = int(text[at:end] or "0", 8)
    return (chr(code) if code < 128 else ""), end


def _digits(text: str, start: int, allowed: str, most: int) -> int:
    end = start
    while end < len(text) and end - start < most and text[end] in allowed:
        end += 1
    return end


def is_pattern(text: str) -> bool:
    return "*" in text or "?" in text or "]" in text.partition("[")[2]


def match_itself(text: str) -> str:
    """A pattern that matches exactly this text."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in text)
