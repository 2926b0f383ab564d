"""Agent clients, one module each: what it says to a hook (`read`) and how it wants to be answered.

A hook serves one client, so only that client's module is ever imported.
"""

from __future__ import annotations

from jit.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from jit.hooks.intent import Hook, Intent, Manners, Reply

    class Client(Protocol):
        """The face of every client's module."""

        @property
        def MANNERS(self) -> Manners: ...  # noqa: N802  a constant of the module

        @property
        def MATCHER(self) -> str:  # noqa: N802
            """The tools that must be hooked, in the client's own syntax; empty where it has none."""

        def read(self, payload: dict[str, object], event_hint: str, /) -> Intent:
            """The intent of a payload; `event_hint` is the event the hook serves, for payloads that do not say."""

        def deny(self, intent: Intent, reason: str, /) -> Reply:
            """Refuse the call so that the model reads the reason."""

        def allow(self, intent: Intent, /) -> Reply:
            """Let the call pass, without a word."""

        def remark(self, intent: Intent, text: str, /) -> Reply:
            """Let it pass, and tell the model something; where the model cannot be told, people are."""

        def events(self) -> tuple[Hook, ...]:
            """What to install."""


NAMES = ("claude", "codex", "copilot", "cline", "cursor", "gemini", "opencode", "qwen")


def client(name: str) -> Client:
    """The module of the client with this name."""
    if name not in NAMES:
        raise UsageError(
            f"no agent client is called {name!r}: jit knows {', '.join(NAMES)}", hint=f"jit setup {NAMES[0]}"
        )
    __import__(f"{__name__}.{name}")
    found: Client = globals()[name]
    return found
