"""A stand-in for the model of Gemini CLI: a server on this machine that plays steps and writes down what it was told.

A step is a tool call, or a text, which ends the turn. Which one is due is counted from the tool results that a request
carries, so a client may ask twice. Requests without tools are no part of the conversation: somebody counts tokens, or
wants a judgement as JSON.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

USAGE = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
JUDGEMENT = {"reasoning": "The work is done.", "next_speaker": "user", "model_choice": "pro"}


@dataclass(frozen=True)
class Step:
    """A tool and its arguments, or the words of an answer, perhaps after some thought."""

    tool: str = ""
    arguments: dict[str, Any] | None = None
    text: str = ""
    pause_s: float = 0


class StandIn:
    """A server on the loopback interface, at a port that was free. The protocol is the business of each kind."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = [*steps, Step(text="done")]
        self.results: list[list[str]] = []  # of every request of the conversation, the tool results in it
        self.is_over = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_fault: object) -> None:
        self.is_over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def heard(self) -> str:
        """All tool results of the longest conversation so far."""
        longest: list[str] = max(self.results, key=len, default=[])
        return "\n".join(longest)

    def due(self, results: list[str]) -> Step:
        """Write down what the model was told; the step that comes after it."""
        self.results.append(results)
        step = self.steps[min(len(results), len(self.steps) - 1)]
        self.is_over.wait(step.pause_s)
        return step

    def answer(self, path: str, body: dict[str, Any]) -> tuple[str, str]:
        """The kind and the text of what is sent back."""
        raise NotImplementedError


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


def _handler_of(model: StandIn) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send("application/json", json.dumps({"data": [], "models": []}))

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            kind, answer = model.answer(self.path, json.loads(text or b"{}"))
            if not model.is_over.is_set():
                self._send(kind, answer)

        def _send(self, kind: str, text: str) -> None:
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_words: object) -> None:
            """Nothing on the terminal of the tests."""

    return Handler
