"""Builtins that change what the shell knows: its directory, its variables, the script itself."""

from __future__ import annotations

from jit.hooks.shell.findings import paths
from jit.hooks.shell.readers import names
from jit.hooks.shell.scope import cannot_be_known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.shell.calls import Call, Program


def change_directory(call: Call) -> None:
    """`cd`; if it might fail, the shell may also still be where it was."""
    operands = call.options().operands
    target = operands[0] if operands else call.walk.words.home()
    before, scope = call.scope.copy(), call.scope
    if target.text == "-" or target.unknown or target.glob:
        scope.cwds = ()
        return
    there = call.kind(target) == "directory"
    scope.cwds = tuple(dict.fromkeys(_resolve(path) for path in paths(target, scope)))
    if not there:
        scope.may_fail(before)


def _resolve(path: str) -> str:
    """`cd` itself treats `..` as text."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part:
            parts.append(part)
    return "/" + "/".join(parts)


def push_directory(call: Call) -> None:
    call.scope.stack = (*call.scope.stack, call.scope.cwds)
    change_directory(call)


def pop_directory(call: Call) -> None:
    call.scope.cwds = call.scope.stack[-1] if call.scope.stack else ()
    call.scope.stack = call.scope.stack[:-1]


def evaluate(call: Call) -> None:
    if any(field.unknown or field.glob for field in call.args):
        call.unknown("eval " + " ".join(field.unknown or field.text for field in call.args))
        call.scope.forget_all()
        return
    call.walk.script(" ".join(field.text for field in call.args), call.scope)


def source(call: Call) -> None:
    name = (call.args[0].unknown or call.args[0].text) if call.args else ""
    if name:
        call.unknown(f"runs {name}")
        call.scope.forget_all()


def read_variables(call: Call) -> None:
    """`read a b`: what is read is not known. Array names follow `-a` and are operands here as well."""
    for field in call.options("dinNptu").operands:
        call.scope.forget(field.text)
    call.scope.forget("REPLY")


def unset(call: Call) -> None:
    for field in call.args:
        call.scope.forget(field.text)


def set_arguments(call: Call) -> None:
    words = [field.text for field in call.args]
    if "--" in words:
        call.scope.arrays["@"] = call.args[words.index("--") + 1 :]
    elif words and not words[0].startswith(("-", "+")):
        call.scope.arrays["@"] = call.args


def shift(call: Call) -> None:
    given = call.scope.arrays.get("@", ())
    count = call.args[0].text if call.args else "1"
    call.scope.arrays["@"] = given[int(count) :] if count.isdecimal() else (cannot_be_known("$@"),)


def trap(call: Call) -> None:
    if call.args and call.args[0].unknown:
        call.unknown(f"trap {call.args[0].unknown}")
    elif len(call.args) > 1 and not call.args[0].text.startswith("-"):
        call.walk.script(call.args[0].text, call.scope.copy())


def print_formatted(call: Call) -> None:
    """`printf -v name`."""
    options = call.options("v", permute=False)
    name = options.last("v")
    if name:
        call.scope.forget(name.text)


def declare(call: Call) -> None:
    """`export "$name"=value` and the like, which the parser does not take for declarations."""
    for field in call.args:
        call.scope.forget(field.text.partition("=")[0])


def nothing(call: Call) -> None:
    """Changes neither files nor anything that matters here."""


BUILTINS: dict[str, Program] = {
    "cd": change_directory,
    "chdir": change_directory,
    "pushd": push_directory,
    "popd": pop_directory,
    "eval": evaluate,
    "source": source,
    ".": source,
    "read": read_variables,
    "mapfile": read_variables,
    "readarray": read_variables,
    "getopts": unset,
    "unset": unset,
    "set": set_arguments,
    "shift": shift,
    "trap": trap,
    "printf": print_formatted,
    **dict.fromkeys(("declare", "typeset", "local", "export", "readonly"), declare),
    **dict.fromkeys(
        names(
            "alias bg bind break caller continue dirs disown exit fg hash help let logout return shopt suspend times"
            " ulimit umask unalias"
        ),
        nothing,
    ),
}
