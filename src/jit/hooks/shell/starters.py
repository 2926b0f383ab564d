"""Programs that start another: `sudo`, `env`, `xargs`, `find -exec`, shells, interpreters."""

from __future__ import annotations

from jit.hooks.shell.readers import names
from jit.hooks.shell.scope import Field, literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.shell.calls import Call, Program

# Options that take a value, and how many words stand before the program.
PREFIXES: dict[str, tuple[str, tuple[str, ...], int]] = {
    "sudo": ("ugpChrtTUD", ("user", "group", "prompt", "chdir", "host"), 0),
    "doas": ("uC", (), 0),
    "nice": ("n", ("adjustment",), 0),
    "ionice": ("cnp", ("class", "classdata"), 0),
    "timeout": ("ks", ("kill-after", "signal"), 1),
    "nohup": ("", (), 0),
    "setsid": ("", (), 0),
    "stdbuf": ("ioe", ("input", "output", "error"), 0),
    "command": ("", (), 0),
    "builtin": ("", (), 0),
    "exec": ("a", (), 0),
    "chronic": ("", (), 0),
    "caffeinate": ("tw", (), 0),
    "unbuffer": ("", (), 0),
    "busybox": ("", (), 0),
    "noglob": ("", (), 0),
    "chrt": ("", (), 1),
    "taskset": ("", (), 1),
    "faketime": ("f", (), 1),
    "xvfb-run": ("sne", (), 0),
}


def start(call: Call) -> None:
    short, long, skip = PREFIXES[call.name]
    options = call.options(short, *long, permute=False)
    if call.name == "command" and options.has("v", "V"):
        return
    if options.has("D", "chdir") and call.name == "sudo":
        call.unknown("sudo --chdir")
    rest = options.operands[skip:]
    if call.name == "sudo":
        rest = _without_assignments(rest)
    call.run(rest)


def time(call: Call) -> None:
    options = call.options("fo", "format", "output", permute=False)
    for field in options.all("o", "output"):
        call.write(field)
    call.run(options.operands)


def environment(call: Call) -> None:
    options = call.options("uCS", "unset", "chdir", "split-string", permute=False)
    folder, string = options.last("C", "chdir"), options.last("S", "split-string")
    if string:
        call.walk.script(string.unknown or string.text, call.scope.copy())
        return
    scope = call.scope.copy()
    if folder:
        call.walk.run((literal("cd"), folder), scope)
    rest = _without_assignments(options.operands)
    if rest:
        call.walk.run(rest, scope, call.stdin)


def _without_assignments(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    while fields and "=" in (fields[0].text or fields[0].unknown):
        fields = fields[1:]
    return fields


def lock_and_run(call: Call) -> None:
    """`flock FILE command`; the file is made if it is missing."""
    options = call.options("wEc", "wait", "timeout", "conflict-exit-code", "command", permute=False)
    for field in options.operands[:1]:
        if not field.text.isdigit():
            call.write(field)
    for script in options.all("c", "command"):
        call.walk.script(script.text, call.scope.copy())
    rest = options.operands[1:]
    if rest and rest[0].text in ("-c", "--command"):
        rest = (literal("sh"), *rest)
    call.run(rest)


def with_arguments(call: Call) -> None:
    """`xargs`: the program also gets what the input names."""
    short, long = "aEdILnPs", ("arg-file", "delimiter", "max-args", "max-procs", "replace", "max-lines", "max-chars")
    options = call.options(short, *long, attached="iel", permute=False)
    replaced = options.last("I", "replace", "i")
    inputs = call.inputs()
    if replaced and replaced.text:
        call.run(tuple(inputs if replaced.text in field.text else field for field in options.operands))
    elif options.operands:
        call.run((*options.operands, inputs))


INTERPRETERS = names("python python2 python3 node deno ruby php lua Rscript osascript bun tsx ts-node")
FIND_FILES = ("-fprint", "-fprint0", "-fls", "-fprintf")
FIND_EXEC = ("-exec", "-execdir", "-ok", "-okdir")


def find_files(call: Call) -> None:
    starts = _starts(call.args)
    for at, field in enumerate(call.args):
        if field.text == "-delete":
            for one in starts:
                call.write(_anything(one), "find -delete", below=True)
        elif field.text in FIND_FILES and at + 1 < len(call.args):
            call.write(call.args[at + 1], "find")
        elif field.text in FIND_EXEC:
            _execute(call, starts, _program(call.args[at + 1 :]))


def _starts(args: tuple[Field, ...]) -> tuple[Field, ...]:
    found: list[Field] = []
    for field in args:
        if field.text.startswith(("-", "(", "!")) and field.text not in ("-H", "-L", "-P"):
            break
        if field.text not in ("-H", "-L", "-P"):
            found.append(field)
    return tuple(found) or (literal("."),)


def _anything(field: Field) -> Field:
    return Field(field.text, field.glob, certain=False, unknown=field.unknown)


def _program(args: tuple[Field, ...]) -> tuple[Field, ...]:
    for at, field in enumerate(args):
        if field.text in (";", "+"):
            return args[:at]
    return args


def _execute(call: Call, starts: tuple[Field, ...], program: tuple[Field, ...]) -> None:
    """The program runs for the start itself or for something below it."""
    for one in starts:
        inner = Field(f"{one.text.rstrip('/')}/*", glob=True, certain=False, unknown=one.unknown)
        for found in (_anything(one), inner):
            outer, call.walk.found.wide = call.walk.found.wide, True
            call.run(tuple(_replaced(field, found) for field in program))
            call.walk.found.wide = outer


def _replaced(field: Field, found: Field) -> Field:
    if "{}" not in field.text:
        return field
    return Field(field.text.replace("{}", found.text), found.glob, certain=False, unknown=found.unknown)


def run_shell(call: Call) -> None:
    """`sh -c '…'`, `bash <<EOF`, `bash script`."""
    options = call.options("oO", "rcfile", "init-file", permute=False)
    if options.has("version", "help", "n"):
        return
    scope = call.scope.copy()
    if options.has("c") and options.operands:
        script, *arguments = options.operands
        if script.unknown:
            call.unknown(f"{call.name} -c {script.unknown}")
            return
        scope.arrays["@"] = tuple(arguments[1:])
        call.walk.script(script.text, scope)
    elif options.operands and not options.has("s") and options.operands[0].text != "-":
        call.unknown(f"runs {call.name} {options.operands[0].unknown or options.operands[0].text}")
    elif call.stdin is not None:
        scope.arrays["@"] = options.operands
        call.walk.script(call.stdin, scope)
    else:
        call.unknown(f"{call.name} runs what its input says")


def interpret(call: Call) -> None:
    """Code in another language may do anything."""
    words = [field.text for field in call.args]
    if words and words[0] in ("--version", "-V", "-v", "--help") and len(words) == 1:
        return
    flag = next((word for word in words if word in ("-c", "-e", "-p", "-r", "--eval")), "")
    call.unknown(f"{call.name} {flag} …" if flag else f"runs {call.line(2)}")


def run_jit(call: Call) -> None:
    """Our own commands are never gated; only what they start."""
    words = [field.text for field in call.args]
    if "run" in words[:2] and "--" in words:
        call.run(call.args[words.index("--") + 1 :])


PROGRAMS: dict[str, Program] = {
    **dict.fromkeys(PREFIXES, start),
    **dict.fromkeys(("sh", "bash", "zsh", "dash", "ksh"), run_shell),
    **dict.fromkeys(INTERPRETERS, interpret),
    "time": time,
    "env": environment,
    "flock": lock_and_run,
    "xargs": with_arguments,
    "find": find_files,
    "jit": run_jit,
}
