"""Paths named in a unified diff."""

from __future__ import annotations

_HEADERS = ("--- ", "+++ ", "rename from ", "rename to ", "copy to ")


def diff_paths(patch: str, strip: int) -> list[str]:
    """Old and new names without their first `strip` folders, as `patch -p` and `git apply -p` count them."""
    found: list[str] = []
    for line in patch.split("\n"):
        for head in _HEADERS:
            if line.startswith(head):
                name = line[len(head) :].partition("\t")[0].rstrip()
                found.append(name if head[0] in "rc" else _stripped(name, strip))
    return [name for name in dict.fromkeys(found) if name]


def _stripped(name: str, strip: int) -> str:
    if name == "/dev/null":
        return ""
    return "/".join(name.split("/")[strip:])
