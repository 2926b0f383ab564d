"""Takes modules from a bundle. Its code is the first thing in the bundle, and runs before anything else of jit.

A bundle has tiers: modules that are always needed together, in the order in which they can be executed. The import of
a tier's root reads and executes the whole tier, without looking for anything. A tier with a source that changed since
is left alone, and Python imports what is there. Python's own modules in C are loaded from where they were found when
the bundle was made, without a search. All other modules are imported as usual.
"""

from __future__ import annotations

import _frozen_importlib_external
import gc
import marshal
import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

    Stamp = tuple[str, int, int]  # a source below jit's home, when it was changed, and its size
    Member = tuple[str, str, CodeType]  # a module's name, its file below jit's home, and its code
    Tier = tuple[list[Stamp], int, int]  # its sources, and where its members are in the bundle: offset and size

stale = True


def install(home: str, bundle: int, tiers: Mapping[str, Tier], extensions: Mapping[str, str]) -> None:
    """Let imports of the roots be served from the bundle, an open file."""
    global stale  # noqa: PLW0603  read by whoever started us
    stale = False
    gc.disable()  # a hook lives for milliseconds
    sys.meta_path.insert(0, _Finder(home, bundle, tiers, extensions))


def is_fresh(home: str, stamps: Sequence[Stamp]) -> bool:
    """Are the sources those that the bundle was made from?"""
    try:
        for path, changed_ns, size in stamps:
            found = posix.stat(f"{home}/{path}")
            if found.st_mtime_ns != changed_ns or found.st_size != size:
                return False
    except OSError:
        return False
    return True


def is_there(path: str) -> bool:
    try:
        posix.stat(path)
    except OSError:
        return False
    return True


class _Finder:
    def __init__(self, home: str, bundle: int, tiers: Mapping[str, Tier], extensions: Mapping[str, str]) -> None:
        self._home = home
        self._bundle = bundle
        self._tiers = tiers
        self._extensions = extensions

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        tier = self._tiers.get(name)
        if tier is None:
            return self._extension(name)
        stamps, offset, size = tier
        data = posix.pread(self._bundle, size, offset) if is_fresh(self._home, stamps) else b""
        if len(data) < size:
            global stale  # noqa: PLW0603
            stale = True
            return None
        self._execute(marshal.loads(data))  # noqa: S302  our own
        return type(sys.__spec__)(name, self)  # type: ignore[arg-type]

    def _extension(self, name: str) -> ModuleSpec | None:
        path = self._extensions.get(name)
        if path is None or not is_there(path):
            return None
        loader = _frozen_importlib_external.ExtensionFileLoader(name, path)
        return type(sys.__spec__)(name, loader, origin=path)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return sys.modules[spec.name]

    def exec_module(self, module: ModuleType) -> None:
        """It was executed with its tier."""

    def _execute(self, members: list[Member]) -> None:
        modules, make = sys.modules, type(sys)
        for name, file, code in members:
            if name in modules:
                continue
            module = modules[name] = make(name)
            parent, _, own = name.rpartition(".")
            space = module.__dict__
            space["__file__"] = f"{self._home}/{file}"
            if file.endswith("/__init__.py"):
                space["__path__"] = [f"{self._home}/{file[:-12]}"]
                space["__package__"] = name
            else:
                space["__package__"] = parent
            if parent:
                setattr(modules[parent], own, module)
            exec(code, space)  # noqa: S102  our own code, compiled by us
