"""Codex runs a hook only when its user has trusted it, and says nothing about the ones it skips.

Trust is a hash of the hook's definition, kept in the user's `config.toml` under the place of the hook:

    [hooks.state."/path/of/hooks.json:pre_tool_use:0:0"]
    trusted_hash = "sha256:…"

People give it in the `/hooks` screen of Codex. To write it for them is a decision of theirs: `--trust`. Each of our
entries stands below a comment that says so, which is how they are found again. The result is read back before it is
written: nothing but our entries may differ.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib

from jit.errors import ConfigError
from jit.install import jsonc
from jit.install.command import is_hook_command
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Hashes = Mapping[str, str]

DEFAULT_TIMEOUT = 600
SESSION_END_LIMIT = 3
WITHOUT_MATCHER = ("UserPromptSubmit", "Stop")
MARK = "# jit: its own hook, trusted with --trust"
_BLOCK = re.compile(rf"(?:\r?\n)?^{MARK}\r?\n\[hooks\.state\.[^\n]*\n(?:trusted_hash[^\n]*(?:\n|\Z))?", re.MULTILINE)
_WORD_START = re.compile(r"(?<!^)([A-Z])")


class TrustFile(Record):
    """The user's `config.toml`; `hashes` are our hooks as they are now, by the place where each stands.

    `hooks_path` is the hooks file that is spoken of; empty for all of them.
    """

    path: str
    client: str
    hooks_path: str
    hashes: Hashes

    kind = "trust"

    def put(self, before: bytes | None) -> bytes:
        if before is not None and self.is_trusted(before):
            return before
        kept = _without_ours(_decode(before or b"", self.path), self.hooks_path)
        states = _states(kept)
        text = kept
        for key, value in self.hashes.items():
            text = text + _block(key, value, text) if key not in states else _set(text, key, value)
        self._verify(kept, text)
        return text.encode()

    def strip(self, before: bytes, original: bytes | None) -> bytes | None:
        """Without the trust in our hooks; what others trust stays."""
        after = _without_ours(_decode(before, self.path), self.hooks_path)
        return None if original is None and not after.strip() else after.encode()

    def is_trusted(self, data: bytes | None) -> bool:
        """Does Codex run all of our hooks as they are now?"""
        states = _states(_decode(data or b"", self.path))
        return all(states.get(key) == {"trusted_hash": value} for key, value in self.hashes.items())

    def _verify(self, kept: str, text: str) -> None:
        expected = tomllib.loads(kept)
        hooks = expected.setdefault("hooks", {})
        try:
            hooks.setdefault("state", {}).update({key: {"trusted_hash": value} for key, value in self.hashes.items()})
            sound = tomllib.loads(text) == expected
        except (ValueError, AttributeError):
            sound = False
        if not sound:
            raise ConfigError(
                f"{self.path} is written in a way that cannot be edited safely, so nothing was changed",
                hint="trust the hooks in Codex itself: codex, then /hooks",
                details={"file": self.path},
            )


def hashes_of(hooks_json: bytes, shown_path: str) -> dict[str, str]:
    """The hashes of our hooks in a hooks file, by the place where each stands."""
    document = jsonc.parse(hooks_json.decode()).value
    hooks = document.get("hooks") if isinstance(document, dict) else None
    return dict(_hashes(hooks, shown_path)) if isinstance(hooks, dict) else {}


def hash_of(event: str, matcher: str | None, handler: Mapping[str, object]) -> str:
    """What Codex computes of one hook: its definition with the defaults filled in, as compact JSON with sorted keys."""
    definition: dict[str, object] = {
        "async": bool(handler.get("async", False)),
        "command": handler["command"],
        "timeout": _timeout(event, handler.get("timeout")),
        "type": "command",
    }
    if handler.get("statusMessage") is not None:
        definition["statusMessage"] = handler["statusMessage"]
    identity: dict[str, object] = {"event_name": _snake(event), "hooks": [definition]}
    if matcher is not None and event not in WITHOUT_MATCHER:
        identity["matcher"] = matcher
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _hashes(hooks: Mapping[str, object], shown_path: str) -> Iterator[tuple[str, str]]:
    for event, groups in hooks.items():
        for at, group in enumerate(_list(groups)):
            for index, handler in enumerate(_list(_table(group).get("hooks"))):
                yield from _ours(f"{shown_path}:{_snake(event)}:{at}:{index}", event, _table(group), _table(handler))


def _ours(
    key: str, event: str, group: Mapping[str, object], handler: Mapping[str, object]
) -> Iterator[tuple[str, str]]:
    matcher = group.get("matcher")
    if is_hook_command(str(handler.get("command")), "codex"):
        yield key, hash_of(event, matcher if isinstance(matcher, str) else None, handler)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _table(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _timeout(event: str, given: object) -> int:
    if event == "SessionEnd":
        return min(max(given if isinstance(given, int) else 1, 1), SESSION_END_LIMIT)
    return max(given if isinstance(given, int) else DEFAULT_TIMEOUT, 1)


def _snake(event: str) -> str:
    return _WORD_START.sub(r"_\1", event).lower()


def _block(key: str, value: str, text: str) -> str:
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return f"{gap}{MARK}\n[hooks.state.{_quoted(key)}]\ntrusted_hash = {_quoted(value)}\n"


def _without_ours(text: str, hooks_path: str) -> str:
    start = f"[hooks.state.{_quoted(hooks_path)[:-1]}:" if hooks_path else ""
    return _BLOCK.sub(lambda block: "" if start in block[0] else block[0], text)


def _quoted(text: str) -> str:
    """A JSON string is a basic string of TOML as well."""
    return json.dumps(text, ensure_ascii=False)


def _set(text: str, key: str, value: str) -> str:
    """Renew the trust that somebody gave an older hook at this place."""
    import tomlkit

    document = tomlkit.parse(text)
    document["hooks"]["state"][key]["trusted_hash"] = value
    return document.as_string()


def _states(text: str) -> dict[str, object]:
    hooks = tomllib.loads(text).get("hooks")
    states = hooks.get("state") if isinstance(hooks, dict) else None
    return states if isinstance(states, dict) else {}


def _decode(data: bytes, path: str) -> str:
    try:
        text = data.decode("utf-8")
        tomllib.loads(text)
    except ValueError as fault:
        raise ConfigError(
            f"{path} is not TOML, so nothing was changed: {fault}",
            hint=f"correct {path}, then run the command again",
            details={"file": path},
        ) from fault
    return text
