"""A stand-in for a model that speaks OpenAI's chat completions.

A request that offers no tools, such as one for a title, gets a text and nothing else.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.clients.stand_in import StandIn, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "stand-in"
USAGE = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
Message = dict[str, Any]


class Model(StandIn):
    """`/v1/chat/completions`, at once or as a stream, and `/v1/models`."""

    def __init__(self, *steps: Step) -> None:
        super().__init__(steps)
        self.offered: set[str] = set()  # the names of all tools that a client offered

    @property
    def url(self) -> str:
        return f"{super().url}/v1"

    def listing(self) -> Message:
        return {"object": "list", "data": [{"id": NAME, "object": "model"}]}

    def answer(self, path: str, body: Message) -> tuple[str, str]:
        tools = body.get("tools") or []
        self.offered.update(tool.get("function", {}).get("name", "") for tool in tools)
        message = _message(self.due(_results(body)), len(self.results)) if tools else _words("a title")
        if body.get("stream"):
            return "text/event-stream", "".join(_events(message))
        return "application/json", json.dumps(_whole(message))


def _message(step: Step, number: int) -> Message:
    if not step.tool:
        return _words(step.text)
    function = {"name": step.tool, "arguments": json.dumps(step.arguments or {})}
    call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _words(text: str) -> Message:
    return {"role": "assistant", "content": text}


def _results(request: Message) -> list[str]:
    return [_text(one.get("content")) for one in request.get("messages", []) if one.get("role") == "tool"]


def _text(content: object) -> str:
    """A text, or the parts of one."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return str(content or "")


def _reason(message: Message) -> str:
    return "tool_calls" if message.get("tool_calls") else "stop"


def _whole(message: Message) -> Message:
    choice = {"index": 0, "message": message, "finish_reason": _reason(message)}
    return {**_head("chat.completion"), "choices": [choice], "usage": USAGE}


def _events(message: Message) -> Iterator[str]:
    """The message in one piece, the reason for its end, what it cost, and the end."""
    head = _head("chat.completion.chunk")
    yield _event({**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]})
    yield _event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": _reason(message)}]})
    yield _event({**head, "choices": [], "usage": USAGE})
    yield "data: [DONE]\n\n"


def _event(chunk: Message) -> str:
    return f"data: {json.dumps(chunk)}\n\n"


def _head(kind: str) -> Message:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": NAME}
