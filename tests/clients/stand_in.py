"""A stand-in for a model: a server on this machine that plays steps and writes down what it was told.

A step is a tool call, or a text, which ends the turn. Which one is due is counted from the tool results that a request
carries, so a client may ask twice. The protocol is the business of each kind of model.
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
        self.steps = list(steps)
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

    def heard(self) -> list[str]:
        """What the model got back from each tool call, in order: the results of the longest conversation so far."""
        longest: list[str] = max(self.results, key=len, default=[])
        return longest

    def due(self, results: list[str]) -> Step:
        """Write down what the model was told; the step that comes after it."""
        self.results.append(results)
        step = self.steps[len(results)] if len(results) < len(self.steps) else Step(text="done")
        self.is_over.wait(step.pause_s)
        return step

    def listing(self) -> dict[str, Any]:
        """What there is, for clients that ask."""
        return {"data": [], "models": []}

    def answer(self, path: str, body: dict[str, Any]) -> tuple[str, str]:
        """The kind and the text of what is sent back."""
        raise NotImplementedError


def _handler_of(model: StandIn) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send("application/json", json.dumps(model.listing()))

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
