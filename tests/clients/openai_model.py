"""A stand-in for a model that speaks OpenAI's chat completions: it plays a list of tool calls and then is done.

It keeps no place in its list: a request that carries the results of three calls gets the fourth, so that a client may
ask again as often as it likes. A request that offers no tools, such as one for a title, gets a text and nothing else.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

NAME = "stand-in"
USAGE = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
Message = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """One step: the model calls a tool."""

    tool: str
    arguments: dict[str, Any]


class Model:
    """Listens on a free port of this machine until it is left."""

    def __init__(self, *steps: Call, last_words: str = "done") -> None:
        self.steps, self.last_words = steps, last_words
        self._requests: list[Message] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _listener(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_fault: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def answer(self, request: Message) -> Message:
        """The message for one request, which is written down."""
        with self._lock:
            self._requests.append(request)
        done = len(_results(request))
        if not request.get("tools") or done >= len(self.steps):
            return {"role": "assistant", "content": self.last_words if request.get("tools") else "a title"}
        step = self.steps[done]
        function = {"name": step.tool, "arguments": json.dumps(step.arguments)}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"index": 0, "id": f"call_{done}", "type": "function", "function": function}],
        }

    def heard(self) -> list[str]:
        """What the model got back from each tool call, in order: the results of the longest conversation."""
        with self._lock:
            return max((_results(request) for request in self._requests), key=len, default=[])

    def offered(self) -> set[str]:
        """The names of all tools that a client offered."""
        with self._lock:
            tools = [tool for request in self._requests for tool in request.get("tools") or []]
        return {tool.get("function", {}).get("name", "") for tool in tools}


def _results(request: Message) -> list[str]:
    return [_text(one.get("content")) for one in request.get("messages", []) if one.get("role") == "tool"]


def _text(content: object) -> str:
    """A text, or the parts of one."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return str(content or "")


def _listener(model: Model) -> type[BaseHTTPRequestHandler]:
    """The class that the server makes an object of for each connection."""

    class Listener(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.reply("application/json", [json.dumps({"object": "list", "data": [{"id": NAME, "object": "model"}]})])

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
            message = model.answer(request)
            if request.get("stream"):
                self.reply("text/event-stream", _events(message))
            else:
                self.reply("application/json", [json.dumps(_whole(message))])

        def reply(self, kind: str, lines: Iterator[str] | list[str]) -> None:
            body = "".join(lines).encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_words: object) -> None:
            """A test reads what was heard, not what was served."""

    return Listener


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
