"""A stand-in for the model of Gemini CLI. Requests without tools are no part of the conversation: somebody counts
tokens, or wants a judgement as JSON.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.clients.stand_in import StandIn

if TYPE_CHECKING:
    from tests.clients.stand_in import Step

USAGE = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
JUDGEMENT = {"reasoning": "The work is done.", "next_speaker": "user", "model_choice": "pro"}


class GeminiModel(StandIn):
    """`models/NAME:streamGenerateContent`, `:generateContent` and `:countTokens`."""

    def answer(self, path: str, body: dict[str, Any]) -> tuple[str, str]:
        method = path.partition("?")[0].rpartition(":")[2]
        if method == "countTokens":
            return "application/json", json.dumps({"totalTokens": 10})
        part = _part(self.due(_results(body))) if body.get("tools") else {"text": json.dumps(JUDGEMENT)}
        said = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        text = json.dumps({"candidates": [said], "usageMetadata": USAGE, "modelVersion": "stand-in"})
        if method == "streamGenerateContent":
            return "text/event-stream", f"data: {text}\r\n\r\n"
        return "application/json", text


def _part(step: Step) -> dict[str, Any]:
    return {"functionCall": {"name": step.tool, "args": step.arguments or {}}} if step.tool else {"text": step.text}


def _results(body: dict[str, Any]) -> list[str]:
    parts = [part for content in body.get("contents", []) for part in content.get("parts", [])]
    return [json.dumps(part["functionResponse"], ensure_ascii=False) for part in parts if "functionResponse" in part]
