"""Programs that rewrite files by a script or a patch: `sed -i`, `perl -i`, `awk`, `patch`, `apply_patch`."""

from __future__ import annotations

from jit.hooks.shell.scope import Field, literal, with_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.shell.calls import Call, Program
    from jit.hooks.shell.options import Options

# Words of a one-line program that do more than change the text at hand.
_PERL = (
    "open",
    "system",
    "unlink",
    "rename",
    "exec",
    "`",
    "qx",
    "require",
    "use ",
    "do ",
    "eval",
    "print {",
    ">",
    "syswrite",
)


def edit_stream(call: Call) -> None:
    """`sed`: with `-i` its files are rewritten, and with a suffix copies are kept beside them."""
    options = call.options("efl", "expression", "file", "line-length", attached="i")
    scripts, files = list(options.all("e", "expression")), list(options.operands)
    in_place = options.has("i", "in-place")
    if in_place and files and files[0].text == "" and not files[0].unknown:
        files = files[1:]  # `sed -i ''`, as BSD wants it
    if not scripts and not options.has("f", "file"):
        scripts, files = files[:1], files[1:]
    if options.has("f", "file"):
        call.unknown(f"sed -f {(options.last('f', 'file') or literal('')).text}")
    for script in scripts:
        _sed_script(call, script)
    if in_place:
        _in_place(call, tuple(files), options.last("i", "in-place"), "sed -i")


def _sed_script(call: Call, script: Field) -> None:
    from jit.hooks.shell.sedscript import side_effects

    written = None if script.unknown else side_effects(script.text)
    if written is None:
        # A variable inside of the script is usual, and usually a part of a substitution.
        harmless = script.unknown and not any(sign in script.unknown for sign in ("w ", "/w", "/e", "`"))
        if not harmless:
            call.unknown(f"sed {script.unknown or script.text}")
        return
    for name in written:
        call.write(literal(name), "sed w")


def _in_place(call: Call, files: tuple[Field, ...], suffix: Field | None, verb: str) -> None:
    for field in files:
        call.write(field, verb)
        if suffix and suffix.text and not field.unknown:
            kept = suffix.text.replace("*", field.text) if "*" in suffix.text else field.text + suffix.text
            call.write(with_text(field, kept), verb)


def run_perl(call: Call) -> None:
    """A program in perl may do anything; a plain substitution over files does only that."""
    options = call.options("eEIMmCDx", attached="i0lF", permute=False)
    programs = options.all("e", "E")
    text = " ".join(program.text for program in programs)
    plain = programs and options.has("p", "n") and not any(program.unknown for program in programs)
    if not plain or any(word in text for word in _PERL) or options.has("M", "m"):
        call.unknown("perl -e …" if programs else f"runs {call.line()}")
    if options.has("i"):
        _in_place(call, options.operands, options.last("i"), "perl -i")


def run_awk(call: Call) -> None:
    options = call.options("Fvfi", "field-separator", "assign", "file", "include", permute=False)
    program = options.operands[0] if options.operands and not options.has("f", "file") else None
    inplace = any(field.text == "inplace" for field in options.all("i", "include"))
    if program is None or program.unknown or _awk_acts(program.text):
        call.unknown(f"runs {call.name}" if program is None else f"{call.name} {program.unknown or program.text}")
    if inplace:
        _in_place(call, options.operands[1:], None, "awk -i")


def _awk_acts(program: str) -> bool:
    """Whether a program may write or run something: `print > "file"`, `| "command"`, `system(…)`."""
    prints = "print" in program
    pipes = "|" in program.replace("||", "")
    return (prints and ">" in program.replace(">=", "")) or pipes or "system" in program or "getline" in program


def apply_diff(call: Call) -> None:
    """`patch`: the files are named in the patch, which is known only from a here-document."""
    options = call.options("pidoBYVzFrDg", "strip", "input", "directory", "output", "reject-file", "fuzz")
    if options.has("dry-run", "C", "check"):
        return
    folder, output = options.last("d", "directory"), options.last("o", "output")
    if output:
        call.write(output)
    elif options.operands:
        _patched(call, options.operands[0])
    elif call.stdin is None or options.has("i", "input"):
        call.unknown("patch changes what its input names")
    else:
        from jit.hooks.shell.patches import diff_paths

        for name in diff_paths(call.stdin, _strip(options)):
            _patched(call, _below(folder, name))


def _strip(options: Options) -> int:
    given = options.last("p", "strip")
    return int(given.text) if given and given.text.isdecimal() else 0


def _patched(call: Call, field: Field) -> None:
    call.write(field, "patch")
    for suffix in (".orig", ".rej"):
        call.write(Field(field.text + suffix, field.glob, certain=False, unknown=field.unknown), "patch")


def _below(folder: Field | None, name: str) -> Field:
    return literal(name) if folder is None else with_text(folder, f"{folder.text}/{name}")


def apply_envelope(call: Call) -> None:
    """`apply_patch <<EOF`, or the patch as its argument."""
    from jit.hooks.clients.patch import paths, replaced

    patch = call.stdin if call.stdin is not None else call.args[0].text if call.args else ""
    found, whole = paths(patch), replaced(patch)
    for name in found:
        call.write(literal(name), "apply_patch whole" if name in whole else "apply_patch")
    if not found:
        call.unknown("apply_patch changes what its input names")


def query_yaml(call: Call) -> None:
    options = call.options("oIp", "output-format", "indent")
    if options.has("i", "inplace", "in-place"):
        for field in options.operands[1:]:
            call.write(field, "yq -i")


PROGRAMS: dict[str, Program] = {
    "sed": edit_stream,
    "gsed": edit_stream,
    "perl": run_perl,
    "awk": run_awk,
    "gawk": run_awk,
    "mawk": run_awk,
    "patch": apply_diff,
    "apply_patch": apply_envelope,
    "applypatch": apply_envelope,
    "yq": query_yaml,
}
