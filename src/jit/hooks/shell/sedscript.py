"""The commands of sed's language that write files or run programs: `w`, `W`, `e`, and the flags `w`, `e` of `s`."""

from __future__ import annotations

_TO_LINE_END = frozenset("aicrR#v")
_LABELS = frozenset(":bTt}")


def side_effects(script: str) -> list[str] | None:
    """Files that the script writes besides its output; None if it runs programs or is not understood."""
    files: list[str] = []
    at = 0
    while at < len(script):
        if script[at] in " \t\n;{}":
            at += 1
            continue
        at = _address(script, at)
        command = script[at : at + 1]
        if command == "e" or at < 0:
            return None
        if command in ("w", "W"):
            at = _name(script, at + 1, files)
        elif command in ("s", "y"):
            at = _substitution(script, at, files)
        else:
            at = _line_end(script, at) if command in _TO_LINE_END else _label_end(script, at + 1, command)
        if at < 0:
            return None
    return files


def _address(script: str, at: int) -> int:
    """Where the command letter is, after the addresses; -1 if an address does not end."""
    while at < len(script) and script[at] in "0123456789$,+~!/\\IM \t":
        if script[at] in "/\\":
            custom = script[at] == "\\"
            at = _closing(script, at + 1 + custom, script[at + custom : at + custom + 1])
            if at < 0:
                return -1
        at += 1
    return at


def _closing(script: str, at: int, delimiter: str) -> int:
    """Where the next unescaped delimiter is; inside of brackets it does not count."""
    if not delimiter:
        return -1
    while at < len(script):
        if script[at] == "\\":
            at += 1
        elif script[at] == delimiter:
            return at
        at += 1
    return -1


def _substitution(script: str, at: int, files: list[str]) -> int:
    """After `s/…/…/flags`; -1 if a flag runs the result."""
    delimiter = script[at + 1 : at + 2]
    middle = _closing(script, at + 2, delimiter)
    end = _closing(script, middle + 1, delimiter) if middle >= 0 else -1
    if end < 0:
        return -1
    at = end + 1
    while at < len(script) and script[at] not in ";}\n":
        if script[at] == "e":
            return -1
        if script[at] == "w":
            return _name(script, at + 1, files)
        at += 1
    return at


def _name(script: str, at: int, files: list[str]) -> int:
    end = _line_end(script, at)
    files.append(script[at:end].strip())
    return end


def _line_end(script: str, at: int) -> int:
    end = script.find("\n", at)
    return len(script) if end < 0 else end


def _label_end(script: str, at: int, command: str) -> int:
    while command in _LABELS and at < len(script) and script[at] not in ";\n":
        at += 1
    return at
