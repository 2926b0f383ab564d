"""`jit config`: every setting with where it came from; edits keep comments."""

from __future__ import annotations

from jit.cli.table import Column
from jit.errors import Invalid
from jit.rights import require_global_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.cli.call import Call
    from jit.cli.style import Role
    from jit.world.config import Settings

COLUMNS = (Column("SETTING", "id"), Column("VALUE"), Column("FROM"))


def show(call: Call) -> int:
    from jit.world.config_keys import KEYS

    settings = call.workspace.settings
    rows = [{"key": name, "value": settings.raw(name), "origin": settings.origin(name)} for name in KEYS]
    call.out.data({"settings": rows, "count": len(rows)})
    call.out.table(COLUMNS, [(str(row["key"]), plain(row["value"]), str(row["origin"])) for row in rows])
    for words in settings.warnings():
        call.out.warn(words)
    return 0


def get(call: Call) -> int:
    name = call.parsed.text("key")
    settings = call.workspace.settings
    value = settings.get(name)
    call.out.data({"key": name, "value": value, "origin": settings.origin(name)})
    call.out.line(plain(value))
    return 0


def put(call: Call) -> int:
    from jit.app import shared_files
    from jit.world.config_edit import set_value

    name = call.parsed.text("key")
    path = _file_to_change(call, name)
    with call.workspace.scope_lock():
        value = set_value(path, name, call.parsed.text("value"), shared_files())
    origin = _settings_now(call).origin(name)
    call.out.data({"key": name, "value": value, "file": path, "origin": origin})
    call.out.line(f"{call.out.paint('ok', 'set')} {name} = {plain(value)} in {path}")
    if not origin.endswith(path):
        call.out.warn(f"{name} is also set in {origin}, which is stronger")
    return 0


def reset(call: Call) -> int:
    from jit.app import shared_files
    from jit.world.config_edit import unset_value

    name = call.parsed.text("key")
    path = _file_to_change(call, name)
    with call.workspace.scope_lock():
        removed = unset_value(path, name, shared_files())
    now = _settings_now(call)
    call.out.data({"key": name, "removed": removed, "value": now.raw(name), "origin": now.origin(name)})
    verb = "reset in" if removed else "not set in"
    call.out.line(f"{verb} {path}: {name} is {plain(now.raw(name))} ({now.origin(name)})")
    return 0


def validate(call: Call) -> int:
    from jit.world.config_validation import validate as problems_of

    space = call.workspace
    problems = problems_of(space.paths, space.environ)
    fields = ("file", "line", "key", "what", "hint", "severity")
    rows = [{name: getattr(problem, name) for name in fields} for problem in problems]
    wrong = [problem for problem in problems if problem.severity == "error"]
    call.out.data({"problems": rows, "count": len(rows), "valid": not wrong})
    for problem in problems:
        role: Role = "bad" if problem.severity == "error" else "warn"
        place = f"{problem.file}:{problem.line}" if problem.line else problem.file
        call.out.line(f"{call.out.paint(role, problem.severity)}  {place}: {problem.what}")
        call.out.line(f"       {problem.hint}")
    if not problems:
        call.out.line(f"{call.out.paint('ok', 'valid')}: every configuration file is in order")
    return Invalid.exit_code if wrong else 0


def plain(value: object) -> str:
    """A value as it would be typed."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return ", ".join(str(item) for item in value)
    return str(value)


def _file_to_change(call: Call, name: str) -> str:
    from jit.world.config_edit import file_for

    everywhere = call.parsed.flag("--global")
    path = file_for(call.workspace.paths, name, everywhere=everywhere)
    if not everywhere:
        require_global_right(call.workspace)
    return path


def _settings_now(call: Call) -> Settings:
    from jit.world.config import resolve

    return resolve(call.workspace.paths, call.environ)
