"""A stand-in for a model behind Anthropic's messages API, as GitHub Copilot CLI can be told to use one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.clients.stand_in import StandIn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.clients.stand_in import Step

USAGE = {"input_tokens": 10, "output_tokens": 5}


class MessagesModel(StandIn):
    """`/v1/messages`, at once or as a stream, and `/v1/messages/count_tokens`."""

    def answer(self, path: str, body: dict[str, Any]) -> tuple[str, str]:
        if path.partition("?")[0].endswith("/count_tokens"):
            return "application/json", json.dumps({"input_tokens": 10})
        block = _block(self.due(_results(body)), len(self.results)) if body.get("tools") else _words("done")
        reason = "tool_use" if block["type"] == "tool_use" else "end_turn"
        message = {"id": f"msg_{len(self.results)}", "type": "message", "role": "assistant", "model": body.get("model")}
        message |= {"content": [block], "stop_reason": reason, "stop_sequence": None, "usage": USAGE}
        if not body.get("stream"):
            return "application/json", json.dumps(message)
        events = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _stream(message, block))
        return "text/event-stream", "".join(events)


def _stream(message: dict[str, Any], block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same message in pieces: its frame, then its one block, then its end."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    if block["type"] == "tool_use":
        empty, piece = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    else:
        empty, piece = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    yield {"type": "content_block_delta", "index": 0, "delta": piece}
    yield {"type": "content_block_stop", "index": 0}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": USAGE}
    yield {"type": "message_stop"}


def _block(step: Step, number: int) -> dict[str, Any]:
    if not step.tool:
        return _words(step.text)
    return {"type": "tool_use", "id": f"toolu_{number:04}", "name": step.tool, "input": step.arguments or {}}


def _words(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _results(body: dict[str, Any]) -> list[str]:
    contents = [message["content"] for message in body.get("messages", []) if isinstance(message["content"], list)]
    blocks = [block for content in contents for block in content if block.get("type") == "tool_result"]
    return [json.dumps(block, ensure_ascii=False) for block in blocks]
