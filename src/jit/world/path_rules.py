"""Rules for paths: how a file is contended for, shared, and how far its lease reaches.

    [[path]]
    pattern = "migrations/**"
    policy = "queue"
    scope = "repository"

The first rule whose pattern matches decides; what it does not say is the default. Patterns are matched against the
path from the worktree's root: `*` and `?` stay within one name, `**` crosses folders, and a pattern without a slash
means a name in any folder.
"""

from __future__ import annotations

from jit.errors import ConfigError
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from jit.world.config import Settings

CHOICES: dict[str, tuple[str, ...]] = {
    "policy": ("retry-then-halt", "queue", "fail-fast", "free"),
    "mode": ("exclusive", "shared"),
    "scope": ("worktree", "repository"),
    "on_failure": ("allow", "deny"),
}


class PathRule(Record):
    """A file is exclusive unless the rule says `shared`; one that says `exclusive` is denied when jit itself fails."""

    pattern: str = "**"
    policy: str = "retry-then-halt"
    mode: str = ""
    scope: str = "worktree"
    on_failure: str = ""

    def denies_on_failure(self, *, allowed: bool) -> bool:
        """Must a write wait when jit cannot judge it? `allowed`: the settings say for all files that it need not."""
        return self.on_failure == "deny" or (not self.on_failure and self.mode == "exclusive" and not allowed)


DEFAULT = PathRule()


def rules_of(settings: Settings) -> tuple[PathRule, ...]:
    """All rules in force, the repository's before the user's and the system's."""
    found: list[PathRule] = []
    for layer in settings.layers:
        rows = layer.values.get("path", ())
        for row in rows if isinstance(rows, list) else ():
            why = fault(row)
            if why:
                raise ConfigError(f"a [[path]] rule in {layer.path} cannot be used: {why}", hint="jit config validate")
            found.append(PathRule(**row))
    return tuple(found)


def fault(row: object) -> str:
    """Why this is not a rule, or nothing if it is one."""
    if not isinstance(row, dict) or not isinstance(row.get("pattern"), str) or not row["pattern"]:
        return "it needs a pattern"
    for name, value in row.items():
        if name != "pattern" and value not in CHOICES.get(name, ()):
            known = ", ".join(CHOICES.get(name, ())) or f"one of pattern, {', '.join(CHOICES)}"
            return f"{name} = {value!r}: it must be {known}"
    return ""


def rule_for(path: str, rules: Iterable[PathRule]) -> PathRule:
    for rule in rules:
        if matches(path, rule.pattern):
            return rule
    return DEFAULT


def matches(path: str, pattern: str) -> bool:
    if "/" not in pattern.rstrip("/"):
        pattern = f"**/{pattern}"
    if pattern.endswith("/"):
        pattern += "**"
    return _names_match(path.split("/"), pattern.lstrip("/").split("/"))


def _names_match(names: list[str], parts: list[str]) -> bool:
    if not parts:
        return not names
    if parts[0] == "**":
        return any(_names_match(names[skip:], parts[1:]) for skip in range(len(names) + 1))
    return bool(names) and _name_matches(names[0], parts[0]) and _names_match(names[1:], parts[1:])


def _name_matches(name: str, part: str) -> bool:
    """One name against one part: on a mismatch go back to the last star and let it take one character more."""
    at = star = mark = 0
    seen_star = False
    where = 0
    while where < len(name):
        if at < len(part) and part[at] == "*":
            seen_star, star, mark = True, at, where
            at += 1
        elif at < len(part) and part[at] in ("?", name[where]):
            at += 1
            where += 1
        elif seen_star:
            at, mark = star + 1, mark + 1
            where = mark
        else:
            return False
    return all(character == "*" for character in part[at:])
