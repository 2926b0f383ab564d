"""Fields of a client's payload: the missing is empty, the unknown is ignored, the wrong type is a fault.

Clients name the same thing differently, so every question takes several names and the first that is there answers. A
value that does not have its type would make jit guess what is about to be written; that is refused instead.
"""

from __future__ import annotations

from jit.errors import Invalid
from jit.hooks.intent import Reply
from jit.kernel.jsontext import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    Table = dict[str, object]

PATH = ("file_path", "path", "notebook_path", "filePath", "absolute_path")
PATCH = ("command", "input", "patch", "patchText")
UNSAID = "jit denies this call, and no reason was given"


def text(table: Table, *names: str) -> str:
    """The first of these fields that is there and not empty."""
    for name in names:
        value = table.get(name)
        if isinstance(value, str):
            if value:
                return value
        elif value is not None:
            raise _fault(name, value, "a text")
    return ""


def flag(table: Table, *names: str) -> bool:
    for name in names:
        value = table.get(name)
        if isinstance(value, bool):
            return value
        if value is not None:
            raise _fault(name, value, "true or false")
    return False


def inner(table: Table, *names: str) -> Table:
    """The object in the first of these fields that is there."""
    for name in names:
        value = table.get(name)
        if isinstance(value, dict):
            return value
        if value is not None:
            raise _fault(name, value, "an object")
    return {}


def texts(table: Table, name: str) -> tuple[str, ...]:
    """The texts of a list."""
    values = table.get(name)
    if values is None:
        return ()
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise _fault(name, values, "a list of texts")
    return tuple(values)


def tables(table: Table, name: str) -> list[Table]:
    """The objects of a list, whatever else is in it."""
    values = table.get(name)
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def paths(table: Table) -> tuple[str, ...]:
    """The one path of a tool that writes one file, under whichever name."""
    path = text(table, *PATH)
    return (path,) if path else ()


def parsed(name: str, value: str) -> object:
    """The JSON value that a client put into a field as a text."""
    try:
        return loads(value)
    except ValueError:
        raise _fault(name, value, "JSON") from None


def within(cwd: str, directory: str) -> str:
    """Where a call runs that asks for a directory of its own."""
    if not directory or directory.startswith(("/", "~")) or not cwd:
        return directory or cwd
    return f"{cwd.rstrip('/')}/{directory}"


def say(value: dict[str, object]) -> Reply:
    """A JSON object on stdout, and nothing else."""
    return Reply(stdout=dumps(value) + "\n")


def _fault(name: str, value: object, wanted: str) -> Invalid:
    return Invalid(
        f"the client sent {name} as {type(value).__name__}, not as {wanted}: jit cannot tell what this call changes",
        hint="jit doctor --coverage",
        details={"field": name, "type": type(value).__name__},
    )
