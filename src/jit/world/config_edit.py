"""Changing a settings file the way a careful person would: one value, comments and order kept, nothing else touched.

The new text is read back and compared before it replaces the old: exactly the asked key may differ. A file that
cannot be parsed is left alone. Two editors at the same moment are kept apart by whoever calls this, with the scope
lock.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping

from jit.errors import ConfigError, Invalid
from jit.world.config import find_key
from jit.world.config_keys import RETIRED, Key, from_text
from jit.world.config_layers import ConfigPaths, flatten
from jit.world.config_validation import value_fault
from jit.world.files import Files

TYPE_CHECKING = False
if TYPE_CHECKING:
    import tomlkit

    from jit.world.config_keys import Value

ABSENT = object()


def set_value(path: str, name: str, text: str, files: Files) -> Value:
    """Write one value, given as text, and return it as it is now; the file and its directory are made if need be."""
    value = parse_value(name, text)
    real, document = _open(path)
    section, _, leaf = name.partition(".")
    table = document.setdefault(section, {})
    if not isinstance(table, MutableMapping):
        raise ConfigError(f"[{section}] in {path} is not a table", hint=f"edit {path}", details={"file": path})
    table[leaf] = list(value) if isinstance(value, tuple) else value
    _save(real, document, name, list(value) if isinstance(value, tuple) else value, files)
    return value


def unset_value(path: str, name: str, files: Files) -> bool:
    """Take one value out; False if it was not there."""
    if name not in RETIRED:
        find_key(name)
    real, document = _open(path)
    section, _, leaf = name.partition(".")
    table = document.get(section)
    if not isinstance(table, MutableMapping) or leaf not in table:
        return False
    del table[leaf]
    _save(real, document, name, ABSENT, files)
    return True


def parse_value(name: str, text: str) -> Value:
    """The checked value that a text stands for."""
    if name in RETIRED:
        value = from_text(Key(name, "flag", default=True, help=""), text)
        why = "" if value is True else f"it cannot be turned off: {RETIRED[name]}"
    else:
        key = find_key(name)
        value = from_text(key, text)
        why = value_fault(key, value)
    if why:
        raise Invalid(f"{name} cannot be {text!r}: {why}", hint="jit config show", details={"key": name, "value": text})
    return value


def file_for(paths: ConfigPaths, name: str, *, everywhere: bool) -> str:
    """The file that holds a key: the user's with `everywhere`, else the repository's; the agent's own for its keys."""
    home = "config" if name in RETIRED else find_key(name).home
    if home == "agent":
        if not everywhere:
            raise Invalid(
                f"{name} belongs to one agent or person, not to the repository",
                hint=f"jit config set --global {name} VALUE",
            )
        return paths.agent
    path = paths.user if everywhere else paths.repository
    if not path:
        raise Invalid("there is no worktree whose settings could change", hint=f"jit config set --global {name} VALUE")
    return path


def _open(path: str) -> tuple[str, tomlkit.TOMLDocument]:
    """The document, and the file behind it where the path is a symbolic link."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    real = os.path.realpath(path)
    try:
        return real, tomlkit.parse(_read(real).decode("utf-8"))
    except OSError as fault:
        raise ConfigError(
            f"cannot read {path}: {fault.strerror}", hint=f"ls -ld '{path}'", details={"file": path}
        ) from fault
    except (TOMLKitError, UnicodeDecodeError) as fault:
        raise ConfigError(
            f"{path} is not TOML, so it was left as it is: {fault}",
            hint="correct the file, then: jit config validate",
            details={"file": path},
        ) from fault


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return b""


def _save(path: str, document: tomlkit.TOMLDocument, name: str, value: object, files: Files) -> None:
    import tomllib

    before = flatten(tomllib.loads(_read(path).decode("utf-8")))
    text = document.as_string()
    after = flatten(tomllib.loads(text))
    expected = {key: kept for key, kept in before.items() if key != name}
    if value is not ABSENT:
        expected[name] = value
    if after != expected:
        raise ConfigError(
            f"{path} is written in a way that cannot be edited safely, so it was left as it is",
            hint=f"set {name} in it by hand",
            details={"file": path},
        )
    os.makedirs(os.path.dirname(path), exist_ok=True)
    files.write(path, text.encode("utf-8"))
