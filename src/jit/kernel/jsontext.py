"""JSON without the `json` package.

The package imports `re` and costs more than the interpreter's own start; the two C functions beneath it cost nothing.
They are private, so every use has the public package as its fallback, and both ways are tested to agree.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Loads = Callable[[str], object]
    Dumps = Callable[[object], str]


def dumps(value: object, *, indent: int | None = None) -> str:
    """Compact ASCII JSON; with `indent`, the readable form."""
    if indent is None:
        return _compact(value)
    import json

    return json.dumps(value, indent=indent)


def loads(text: str) -> object:
    """The value of a whole JSON text; `ValueError` if it is not one."""
    return _parse(text)


def private_pair() -> tuple[Loads, Dumps]:
    """Parser and printer from the C accelerator alone; `ImportError` where it is missing."""
    import _json

    scan = _json.make_scanner(_ScannerSettings)  # type: ignore[arg-type]
    encode = _json.make_encoder(None, _refuse, _json.encode_basestring_ascii, None, ":", ",", False, False, False)  # noqa: FBT003

    def parse(text: str) -> object:
        try:
            value, end = scan(text, 0)
        except (StopIteration, SystemError):  # the scanner cannot say what is wrong unless the package is loaded
            return public_pair()[0](text)
        if end != len(text) and text[end:].strip(" \t\r\n"):
            raise ValueError(f"extra data after the JSON value, at character {end}")
        return value

    def compact(value: object) -> str:
        return "".join(encode(value, 0))

    return parse, compact


def public_pair() -> tuple[Loads, Dumps]:
    """The same two functions from the public package."""
    import json

    return (
        lambda text: json.loads(text, parse_constant=_constant),
        lambda value: json.dumps(value, separators=(",", ":"), allow_nan=False),
    )


def _refuse(value: object) -> object:
    raise TypeError(f"not a JSON value: {value!r}")


def _constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


class _ScannerSettings:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_constant)
    memo: dict[str, str] = {}  # noqa: RUF012  the scanner's own scratch space


quote: Callable[[str], str]
"""A text as a JSON string."""

try:
    from _json import encode_basestring_ascii as quote

    _parse, _compact = private_pair()
except (ImportError, TypeError, AttributeError):
    _parse, _compact = public_pair()
    quote = _compact
