"""The files that settings come from, each read as one flat table, and a cache that spares parsing them.

Parsing TOML costs more than starting the interpreter, and settings are needed before every command. So a parsed file
is kept in the control plane beside what `stat` said of it (modification and change time, size, inode); while `stat`
says the same, the cache is used. A file that changed within the last two seconds is not kept, because a second change
could leave the same stamp. The cache is only ever a shortcut: if it is missing, damaged or cannot be written, nothing
but speed is lost.
"""

from __future__ import annotations

import posix
import time

from jit.disk import expanduser, join, read_file
from jit.errors import ConfigError, Unavailable
from jit.kernel.jsontext import dumps, loads
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, TypeAlias

    from jit.world.config_keys import Home
    from jit.world.files import Files

    Flat: TypeAlias = dict[str, object]
    Level: TypeAlias = Literal["repository", "user", "system"]

CACHE_VERSION = 1
CACHED_FILES_LIMIT = 128
RACY_NS = 2_000_000_000


class ConfigPaths(Record):
    """Where settings are kept; an empty path stands for a file that cannot exist."""

    repository: str
    user: str
    system: str
    agent: str
    cache: str


class Layer(Record):
    """One file, parsed: `values` maps `section.key` to whatever is written there."""

    level: Level
    home: Home
    path: str
    values: Mapping[str, object]


def locate(
    worktree: str, control: str, environ: Mapping[str, str], *, home: str = "", system: str = "/etc/jit/config.toml"
) -> ConfigPaths:
    """The usual places, for a worktree (may be empty) and a control plane (may be empty)."""
    folder = environ.get("XDG_CONFIG_HOME", "")
    if not folder.startswith("/"):
        folder = join(home or environ.get("HOME", "") or expanduser("~"), ".config")
    return ConfigPaths(
        repository=join(worktree, ".jit", "config.toml") if worktree else "",
        user=join(folder, "jit", "config.toml"),
        system=system,
        agent=join(folder, "jit", "agent.toml"),
        cache=join(control, "config.cache.json") if control else "",
    )


def read_layers(paths: ConfigPaths, files: Files | None = None, *, now_ns: int | None = None) -> list[Layer]:
    """All files that exist, the strongest first."""
    stamps = [(place, stamp) for place in places(paths) if (stamp := _stamp(place[2])) is not None]
    if not stamps:
        return []
    cached = _load_cache(paths.cache)
    layers: list[Layer] = []
    fresh: dict[str, list[object]] = {}
    for (level, home, path), stamp in stamps:
        values = _cached_values(cached.get(path), stamp)
        if values is None:
            values = parse_file(path)
            fresh[path] = [stamp, values]
        layers.append(Layer(level, home, path, values))
    _keep(paths.cache, cached, fresh, files, time.time_ns() if now_ns is None else now_ns)
    return layers


def places(paths: ConfigPaths) -> list[tuple[Level, Home, str]]:
    every: list[tuple[Level, Home, str]] = [
        ("repository", "config", paths.repository),
        ("user", "config", paths.user),
        ("user", "agent", paths.agent),
        ("system", "config", paths.system),
    ]
    return [place for place in every if place[2]]


def parse_file(path: str) -> Flat:
    """A TOML file as a flat table; `ConfigError` with file and line if it cannot be read."""
    import tomllib

    try:
        with open(path, "rb") as file:
            return flatten(tomllib.load(file))
    except OSError as fault:
        raise ConfigError(
            f"cannot read the settings in {path}: {fault.strerror}", hint=f"ls -ld '{path}'", details={"file": path}
        ) from fault
    except ValueError as fault:
        raise ConfigError(
            f"the settings in {path} are not TOML: {fault}",
            hint="correct the file, then: jit config validate",
            details={"file": path},
        ) from fault


def flatten(table: Mapping[str, object], prefix: str = "") -> Flat:
    """`{"a": {"b": 1}}` as `{"a.b": 1}`, with values that JSON can hold."""
    flat: Flat = {}
    for name, value in table.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = _plain(value)
    return flat


def _plain(value: object) -> object:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if hasattr(value, "isoformat"):
        return str(value.isoformat()).replace("+00:00", "Z")
    return value if isinstance(value, str | int) else str(value)


def _stamp(path: str) -> list[int] | None:
    try:
        found = posix.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as fault:
        raise ConfigError(
            f"cannot read the settings in {path}: {fault.strerror}", hint=f"ls -ld '{path}'", details={"file": path}
        ) from fault
    return [found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino]


def _cached_values(entry: object, stamp: list[int]) -> Flat | None:
    if isinstance(entry, list) and len(entry) == 2 and entry[0] == stamp and isinstance(entry[1], dict):
        return entry[1]
    return None


def _load_cache(path: str) -> dict[str, object]:
    if not path:
        return {}
    try:
        found = loads(read_file(path).decode("ascii"))
    except (OSError, ValueError):
        return {}
    known = isinstance(found, dict) and found.get("version") == CACHE_VERSION
    entries = found.get("files") if known and isinstance(found, dict) else None
    return entries if isinstance(entries, dict) else {}


def _keep(
    path: str, cached: dict[str, object], fresh: dict[str, list[object]], files: Files | None, now_ns: int
) -> None:
    settled = {name: entry for name, entry in fresh.items() if _is_settled(entry[0], now_ns)}
    if not settled or not path or files is None:
        return
    # The newest entries stand last, so the oldest are the ones to go.
    merged = {name: entry for name, entry in cached.items() if name not in settled} | settled
    kept = dict(list(merged.items())[-CACHED_FILES_LIMIT:])
    try:
        files.write(path, dumps({"version": CACHE_VERSION, "files": kept}).encode("ascii"))
    except (OSError, Unavailable):
        pass


def _is_settled(stamp: object, now_ns: int) -> bool:
    return isinstance(stamp, list) and now_ns - stamp[0] >= RACY_NS
