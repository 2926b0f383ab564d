"""NATS JetStream as a key-value bucket on disk, every write synced before it is acknowledged (`sync_interval: always`).

A key is created by publishing with "the last sequence of this subject is 0", and deleted by a delete marker that names
the sequence of its creation. Written against the client protocol; a bucket is a stream named KV_<bucket>.
"""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

from harness import Absent, Failed

from peers.server import HOST, Server, find_program, open_connection

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_STREAM = {
    "name": "KV_leases",
    "subjects": ["$KV.leases.>"],
    "storage": "file",
    "max_msgs_per_subject": 1,
    "discard": "new",
    "allow_rollup_hdrs": True,
    "deny_delete": True,
    "num_replicas": 1,
}


class Nats:
    name = "nats"
    warmup_pairs = 3

    def __init__(self, directory: Path) -> None:
        self.server = Server(directory / "nats", arguments)
        self.ready = False

    def prepare(self) -> None:
        if self.ready:
            return
        self.server.start()
        session = self.connect(0)
        session.ask("$JS.API.STREAM.CREATE.KV_leases", json.dumps(_STREAM).encode(), {})
        session.close()
        self.ready = True

    def connect(self, worker: int) -> NatsSession:
        return NatsSession(self.server.port, f"agent:{worker}")

    def stop(self) -> None:
        self.server.stop()


class NatsSession:
    def __init__(self, port: int, owner: str) -> None:
        self.socket = open_connection(port)
        self.lines = self.socket.makefile("rb")
        self.owner = owner.encode()
        self.inbox = f"_INBOX.{os.getpid()}"
        self.lines.readline()
        options = {"verbose": False, "pedantic": False, "headers": True, "no_responders": True}
        self.socket.sendall(f"CONNECT {json.dumps(options)}\r\nSUB {self.inbox} 1\r\n".encode())

    def acquire(self, key: str) -> object:
        return self.ask(f"$KV.leases.{key}", self.owner, {"Nats-Expected-Last-Subject-Sequence": "0"})["seq"]

    def release(self, key: str, token: object) -> None:
        headers = {"KV-Operation": "DEL", "Nats-Expected-Last-Subject-Sequence": str(token)}
        self.ask(f"$KV.leases.{key}", b"", headers)

    def close(self) -> None:
        self.lines.close()
        self.socket.close()

    def ask(self, subject: str, body: bytes, headers: Mapping[str, str]) -> dict[str, object]:
        """Publish with a reply subject, and wait for the one answer."""
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"NATS/1.0\r\n{lines}\r\n".encode()
        sizes = f"{len(head)} {len(head) + len(body)}"
        self.socket.sendall(f"HPUB {subject} {self.inbox} {sizes}\r\n".encode() + head + body + b"\r\n")
        answer: dict[str, object] = json.loads(self._receive())
        if "error" in answer:
            raise Failed(f"nats refused {subject}: {answer['error']}")
        return answer

    def _receive(self) -> bytes:
        while True:
            words = self.lines.readline().split()
            if not words or words[0] == b"-ERR":
                raise Failed(f"nats ended the connection: {b' '.join(words).decode()}")
            if words[0] == b"PING":
                self.socket.sendall(b"PONG\r\n")
            elif words[0] == b"MSG":
                return self.lines.read(int(words[-1]) + 2)
            elif words[0] == b"HMSG":
                raise Failed("nats has no JetStream here")


def arguments(directory: Path, port: int, _second: int) -> Sequence[str]:
    program = find_program("nats-server")
    config = directory / "server.conf"
    store = f'jetstream {{\n  store_dir: "{directory / "data"}"\n  sync_interval: always\n}}\n'
    config.write_text(f'listen: "{HOST}:{port}"\n{store}')
    if subprocess.run([program, "-t", "-c", config], capture_output=True, check=False).returncode:
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout.strip()
        raise Absent(f"{version} cannot sync every write; a newer nats-server can")
    return [program, "-c", str(config)]
