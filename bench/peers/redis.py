"""Redis with an append-only file synced before every reply: SET NX PX, and a script that deletes what is ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peers.server import HOST, Server, find_program, open_connection

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_TTL_MS = b"600000"
_DELETE_IF_OURS = b"if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end"


class Redis:
    name = "redis"
    warmup_pairs = 3

    def __init__(self, directory: Path) -> None:
        self.server = Server(directory / "redis", arguments)

    def prepare(self) -> None:
        self.server.start()

    def connect(self, worker: int) -> RedisSession:
        return RedisSession(self.server.port, b"agent:%d" % worker)

    def stop(self) -> None:
        self.server.stop()


class RedisSession:
    def __init__(self, port: int, owner: bytes) -> None:
        self.socket = open_connection(port)
        self.replies = self.socket.makefile("rb")
        self.owner = owner
        self.script = self.ask(b"SCRIPT", b"LOAD", _DELETE_IF_OURS)

    def acquire(self, key: str) -> None:
        if self.ask(b"SET", key.encode(), self.owner, b"NX", b"PX", _TTL_MS) != b"OK":
            raise RuntimeError(f"{key} is held")

    def release(self, key: str, _token: object) -> None:
        if self.ask(b"EVALSHA", self.script, b"1", key.encode(), self.owner) != b"1":
            raise RuntimeError(f"{key} was not ours")

    def close(self) -> None:
        self.replies.close()
        self.socket.close()

    def ask(self, *words: bytes) -> bytes:
        """One command and its reply, in the server's text protocol (RESP)."""
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in words))
        line = self.replies.readline().rstrip()
        kind, rest = line[:1], line[1:]
        if kind == b"-":
            raise RuntimeError(rest.decode())
        if kind == b"$" and int(rest) >= 0:
            return self.replies.read(int(rest) + 2)[:-2]
        return rest


def arguments(directory: Path, port: int, _second: int) -> Sequence[str]:
    program = find_program("redis-server")
    network = ["--bind", HOST, "--port", str(port), "--dir", str(directory), "--daemonize", "no"]
    return [program, *network, "--appendonly", "yes", "--appendfsync", "always", "--save", ""]
