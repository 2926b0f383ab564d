"""Settings: one resolver for every command.

A value comes from the strongest place that names it: a flag of the command, the environment, the repository's
`.jit/config.toml`, the user's files, the system's, the default. `Settings` remembers where each came from. A value that
breaks its rule is a fault of the command that needs it, named with its file and key, and never silently replaced by a
weaker one: a misspelt `strict` must not turn into no enforcement. Keys nobody knows only cause a warning.
"""

from __future__ import annotations

from jit.errors import ConfigError, NotFound
from jit.world.config_keys import KEYS, RETIRED, fault, from_text, suggest
from jit.world.config_layers import ConfigPaths, Layer, read_layers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from jit.world.config_keys import Key, Value
    from jit.world.files import Files


def resolve(
    paths: ConfigPaths,
    environ: Mapping[str, str],
    *,
    flags: Mapping[str, Value] | None = None,
    files: Files | None = None,
    now_ns: int | None = None,
) -> Settings:
    """The settings in force. `files` lets parsed layers be cached; `flags` are keys given on the command line."""
    return Settings(read_layers(paths, files, now_ns=now_ns), environ, flags or {})


class Settings:
    """What holds, and where it comes from."""

    __slots__ = ("_environ", "_flags", "layers")

    def __init__(self, layers: Sequence[Layer], environ: Mapping[str, str], flags: Mapping[str, Value]) -> None:
        self.layers = layers
        self._environ = environ
        self._flags = flags

    def get(self, name: str) -> Value:
        """The value of a key; `ConfigError` if what is written there cannot be used."""
        key = find_key(name)
        value, origin = self._find(key)
        why = fault(key, value) if origin != "default" else ""
        if why:
            raise ConfigError(
                f"{name} cannot be used as set in {origin}: {why}",
                hint="jit config validate",
                details={"key": name, "origin": origin},
            )
        return tuple(value) if isinstance(value, list) else value  # type: ignore[return-value]

    def origin(self, name: str) -> str:
        """`default`, `flag`, `environment:NAME`, or `repository:`, `user:`, `system:` and the file."""
        return self._find(find_key(name))[1]

    def raw(self, name: str) -> object:
        """What is written, unchecked, for showing it to people."""
        return self._find(find_key(name))[0]

    def text(self, name: str) -> str:
        value = self.get(name)
        return value if isinstance(value, str) else ""

    def number(self, name: str) -> int:
        value = self.get(name)
        if not isinstance(value, int):
            raise NotFound(f"{name} has no value", hint=f"jit config set {name} NUMBER")
        return value

    def flag(self, name: str) -> bool:
        return self.get(name) is True

    def names(self, name: str) -> tuple[str, ...]:
        value = self.get(name)
        return value if isinstance(value, tuple) else ()

    def ttl_secs(self) -> int:
        """How long a new lease lasts if the command does not say."""
        return self._preferred("agent.default_ttl_secs", "coordination.default_ttl_secs")

    def heartbeat_secs(self) -> int:
        return self._preferred("behavior.heartbeat_interval", "coordination.heartbeat_interval_secs")

    def check(self) -> None:
        """Raise for the first value in force that breaks its rule."""
        for name in KEYS:
            if name != "agent.id":
                self.get(name)
        for layer in self.layers:
            for name, why in RETIRED.items():
                if layer.values.get(name, True) is not True:
                    raise ConfigError(
                        f"{name} cannot be turned off, as {layer.path} asks: {why}",
                        hint="jit config validate",
                        details={"key": name, "origin": f"{layer.level}:{layer.path}"},
                    )

    def warnings(self) -> list[str]:
        """One line for each key in a file that has no meaning there."""
        return [f"{layer.path}: {words}" for layer in self.layers for _, words in strangers(layer)]

    def _find(self, key: Key) -> tuple[object, str]:
        if key.name in self._flags:
            return self._flags[key.name], "flag"
        text = self._environ.get(key.environment, "")
        if text:
            return from_text(key, text), f"environment:{key.environment}"
        for layer in self.layers:
            if layer.home == key.home and key.name in layer.values:
                return layer.values[key.name], f"{layer.level}:{layer.path}"
        return key.default, "default"

    def _preferred(self, own: str, shared: str) -> int:
        """The agent's own wish, unless it has none or the shared key was set for this very command."""
        now = ("flag", "environment")
        shared_now = self.origin(shared).startswith(now) and not self.origin(own).startswith(now)
        return self.number(shared if shared_now or self.get(own) is None else own)


def find_key(name: str) -> Key:
    key = KEYS.get(name)
    if key is None:
        meant = suggest(name)
        raise NotFound(
            f"there is no setting {name!r}" + (f"; did you mean {meant}?" if meant else ""),
            hint=f"jit config get {meant}" if meant else "jit config show",
        )
    return key


def strangers(layer: Layer) -> Iterator[tuple[str, str]]:
    """Keys of a file that are unknown, or at home in the other file."""
    for name in layer.values:
        key = KEYS.get(name)
        if key is None and name not in RETIRED and name != "path":
            meant = suggest(name)
            yield name, f"unknown setting {name}" + (f"; did you mean {meant}?" if meant else "")
        elif key is not None and key.home != layer.home:
            yield name, f"{name} belongs in {key.home}.toml and is ignored here"
