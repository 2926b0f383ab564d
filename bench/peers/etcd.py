"""etcd, one node: a transaction that creates the key if it is not there, bound to the worker's own lease.

Driven through the server's JSON gateway, which is what a program without a gRPC library uses.
"""

from __future__ import annotations

import json
from base64 import b64encode
from typing import TYPE_CHECKING

from harness import Failed

from peers.server import HOST, Server, find_program, open_connection

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_TTL_SECONDS = 600


class Etcd:
    name = "etcd"
    warmup_pairs = 3

    def __init__(self, directory: Path) -> None:
        self.server = Server(directory / "etcd", arguments)

    def prepare(self) -> None:
        self.server.start()
        self.connect(0).close()

    def connect(self, worker: int) -> EtcdSession:
        return EtcdSession(self.server.port, f"agent:{worker}")

    def stop(self) -> None:
        self.server.stop()


class EtcdSession:
    def __init__(self, port: int, owner: str) -> None:
        self.socket = open_connection(port)
        self.owner = encode(owner)
        self.lease = self.post("/v3/lease/grant", {"TTL": _TTL_SECONDS})["ID"]

    def acquire(self, key: str) -> None:
        name = encode(key)
        absent = {"key": name, "target": "CREATE", "result": "EQUAL", "create_revision": "0"}
        put = {"request_put": {"key": name, "value": self.owner, "lease": self.lease}}
        if self.post("/v3/kv/txn", {"compare": [absent], "success": [put]}).get("succeeded") is not True:
            raise RuntimeError(f"{key} is held")

    def release(self, key: str, _token: object) -> None:
        self.post("/v3/kv/deleterange", {"key": encode(key)})

    def close(self) -> None:
        self.post("/v3/lease/revoke", {"ID": self.lease})
        self.socket.close()

    def post(self, path: str, body: dict[str, object]) -> dict[str, object]:
        data = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {len(data)}\r\n\r\n"
        self.socket.sendall(head.encode() + data)
        status, answer = self._receive()
        if status != 200:
            raise Failed(f"etcd answered {status} to {path}: {answer.decode(errors='replace')[:200]}")
        decoded: dict[str, object] = json.loads(answer)
        return decoded

    def _receive(self) -> tuple[int, bytes]:
        """An answer with a Content-Length, the only kind the gateway gives to these requests."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._more()
        head, _, body = data.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        while len(body) < length:
            body += self._more()
        return int(head.split(b" ", 2)[1]), body

    def _more(self) -> bytes:
        data = self.socket.recv(1 << 16)
        if not data:
            raise Failed("etcd closed the connection")
        return data


def encode(text: str) -> str:
    return b64encode(text.encode()).decode()


def arguments(directory: Path, port: int, second: int) -> Sequence[str]:
    client, peer = f"http://{HOST}:{port}", f"http://{HOST}:{second}"
    clients = ["--listen-client-urls", client, "--advertise-client-urls", client]
    peers = ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer]
    node = ["--name", "bench", "--initial-cluster", f"bench={peer}", "--data-dir", str(directory / "data")]
    return [find_program("etcd"), *node, *clients, *peers, "--log-level", "error"]
