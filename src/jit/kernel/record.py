"""Frozen value types that cost nothing to import.

`import dataclasses` takes longer than starting the whole interpreter, and the kernel is loaded before every edit of
every agent. So `class Point(Record)` makes what a frozen, slotted dataclass would be, in one page. Type
checkers see a dataclass. A record has no subclasses and no mutable defaults. To Python `Record` is a function: each
class is made once, with its slots, and is an ordinary class, which `isinstance` is fastest with.

Generating a constructor for each class would cost a short-lived process more than it ever gains, so there is one
constructor for all; a process that goes on working calls `specialise` once and has the generated ones from then on.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Never, NoReturn, TypeVar, dataclass_transform

    T = TypeVar("T")

    @dataclass_transform(frozen_default=True)
    class Record:
        def __init_subclass__(cls) -> None: ...

    def replace(value: T, /, **changes: object) -> T: ...

    def specialise() -> None: ...

else:
    _made = []

    class _Maker(type):
        def __new__(cls, name, bases, space):
            """A frozen, slotted value type from an annotated class body."""
            if not bases:
                return super().__new__(cls, name, bases, space)
            fields = tuple(space.get("__annotations__", ()))
            space["_defaults"] = {field: space.pop(field) for field in fields if field in space}
            space["__slots__"] = space["__match_args__"] = fields
            made = type(name, (_Record,), space)
            _made.append(made)
            return made

    class Record(metaclass=_Maker):
        """What the class statement of a record names as its base; the class has `_Record` instead."""

    def specialise():
        """Generate a constructor for every record class there is; once is enough, and more do no harm."""
        while _made:
            made = _made.pop()
            fields = made.__slots__
            known = {f"set_{name}": put for name, put in zip(fields, _bound(made), strict=True)}
            known |= {f"default_{name}": value for name, value in made._defaults.items()}
            heads = [f"{name}=default_{name}" if name in made._defaults else name for name in fields]
            lines = [f"    set_{name}(self, {name})" for name in fields] or ["    pass"]
            exec("\n".join([f"def __init__(self, {', '.join(heads)}):", *lines]), known)  # noqa: S102  fields of our own source
            made.__init__ = known["__init__"]

    class _Record:
        __slots__ = ()
        _setters = None

        def __init__(self, *args, **named):
            setters = self._setters or _bound(self.__class__)
            if named or len(args) != len(setters):
                args = _arguments(self, args, named)
            for put, value in zip(setters, args):  # noqa: B905  lengths are equal, strict costs a keyword
                put(self, value)

        def __setattr__(self, name, value):
            raise AttributeError(f"{type(self).__name__} is frozen: cannot set {name}")

        def __delattr__(self, name):
            raise AttributeError(f"{type(self).__name__} is frozen: cannot delete {name}")

        def __eq__(self, other):
            if other is self:
                return True
            if other.__class__ is not self.__class__:
                return NotImplemented
            return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

        def __hash__(self):
            return hash((self.__class__, *(getattr(self, name) for name in self.__slots__)))

        def __repr__(self):
            inner = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
            return f"{type(self).__name__}({inner})"

        def __reduce__(self):
            return type(self), tuple(getattr(self, name) for name in self.__slots__)

    def _bound(cls):
        """What sets each field. Made when a class is first used: most processes use few of those they load."""
        cls._setters = tuple([cls.__dict__[field].__set__ for field in cls.__slots__])
        return cls._setters

    def _arguments(self, args, named):
        fields = self.__slots__
        if len(args) > len(fields):
            raise TypeError(f"{type(self).__name__} takes {len(fields)} values, got {len(args)}")
        out = list(args)
        for name in fields[len(args) :]:
            if name in named:
                out.append(named.pop(name))
            elif name in self._defaults:
                out.append(self._defaults[name])
            else:
                raise TypeError(f"{type(self).__name__} needs {name}")
        if named:
            raise TypeError(f"{type(self).__name__} has no field {', '.join(sorted(named))}")
        return out

    def replace(value, /, **changes):
        """The same record with some fields changed."""
        kept = {name: getattr(value, name) for name in value.__slots__}
        return type(value)(**(kept | changes))


def unreachable(value: Never) -> NoReturn:
    """The end of a `match` that covers a closed union: type checkers prove that it is never called."""
    raise AssertionError(f"not covered: {value!r}")
