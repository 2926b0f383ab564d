"""Takes modules from a bundle. Its code is the first thing in the bundle, and runs before anything else of jit.

A bundle has tiers: modules that are always needed together, in the order in which they can be executed. The import of
a tier's root executes the whole tier, without looking for anything. A tier with a source that changed since is left
alone, and Python imports what is there. Modules in no tier are imported as usual.
"""

from __future__ import annotations

import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

    Stamp = tuple[str, int, int]  # a source below jit's home, when it was changed, and its size
    Member = tuple[str, str, CodeType]  # a module's name, its file below jit's home, and its code
    Tier = tuple[list[Stamp], bytes]  # the members are kept as text until they are needed

stale = False


def install(home: str, tiers: Mapping[str, Tier]) -> None:
    """Let imports of the roots be served from the bundle."""
    sys.meta_path.insert(0, _Finder(home, tiers))


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


class _Finder:
    def __init__(self, home: str, tiers: Mapping[str, Tier]) -> None:
        self._home = home
        self._tiers = tiers

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        tier = self._tiers.get(name)
        if tier is None:
            return None
        stamps, members = tier
        if not is_fresh(self._home, stamps):
            global stale  # noqa: PLW0603  read by the entry
            stale = True
            return None
        import marshal

        self._execute(marshal.loads(members))  # noqa: S302  our own
        return type(sys.__spec__)(name, self)  # type: ignore[arg-type]

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
