"""Programs whose operands are the files they change: `rm`, `touch`, `tee`, `truncate`, `chmod`, formatters."""

from __future__ import annotations

from jit.hooks.shell.quoting import match_itself
from jit.hooks.shell.scope import Field, literal, with_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.shell.calls import Call, Program


def remove(call: Call) -> None:
    options = call.options()
    below = options.has("r", "R", "recursive", "d", "dir")
    for field in options.operands:
        call.write(field, below=below)


def remove_directories(call: Call) -> None:
    for field in call.options().operands:
        call.walk.found.change(field, call.scope)


def make_directories(call: Call) -> None:
    for field in call.options("mZ", "mode").operands:
        call.walk.found.make(field, call.scope)


def touch(call: Call) -> None:
    for field in call.options("drtA", "date", "reference").operands:
        call.write(field)


def truncate(call: Call) -> None:
    for field in call.options("sr", "size", "reference").operands:
        call.write(field)


def tee(call: Call) -> None:
    options = call.options()
    for field in options.operands:
        call.write(field, "tee -a" if options.has("a", "append") else "")


def make_nodes(call: Call) -> None:
    for field in call.options("mZ", "mode").operands[:1]:
        call.write(field)


def make_temporary(call: Call) -> None:
    """`mktemp` makes a file with a new name, which nobody else can hold; where, matters only with a template."""
    for field in call.options("p", "tmpdir", "suffix").operands:
        call.write(field if field.unknown else Field(match_itself(field.text).replace("X", "?"), glob=True))


def change_mode(call: Call) -> None:
    """`chmod`, `chown`, `chgrp`: a mode may begin with a dash, as in `chmod -x file`."""
    options = call.options("", "reference", "from")
    given = [field for field in call.args if not field.text.startswith("-")]
    dashed = any(field.text[:2] in ("-x", "-r", "-w", "-X", "-s", "-t") for field in call.args)
    for field in given if dashed or options.has("reference") else given[1:]:
        call.write(field, below=options.has("R", "recursive"))


def disk_dump(call: Call) -> None:
    for field in call.args:
        if field.text.startswith("of="):
            call.write(with_text(field, field.text[3:]))
        elif field.unknown:
            call.unknown(f"dd {field.unknown}")


def split_file(call: Call) -> None:
    """Pieces are named after a prefix."""
    options = call.options("abClnt", "suffix-length", "bytes", "lines", "number", "filter", "additional-suffix")
    if options.has("filter"):
        call.unknown("split --filter")
    prefix = options.operands[1] if len(options.operands) > 1 else literal("x")
    call.write(prefix if prefix.unknown else Field(match_itself(prefix.text) + "*", glob=True))


def second_operand(call: Call) -> None:
    """`uniq in out`, `xxd in out`."""
    options = call.options("fsw" if call.name == "uniq" else "clogs")
    for field in options.operands[1:2]:
        call.write(field)


def sort(call: Call) -> None:
    options = call.options(
        "kotST", "output", "key", "field-separator", "buffer-size", "temporary-directory", "parallel"
    )
    for field in options.all("o", "output"):
        call.write(field)
    if options.has("compress-program"):
        call.unknown("sort --compress-program")


def recode(call: Call) -> None:
    for field in call.options("fto", "from-code", "to-code", "output").all("o", "output"):
        call.write(field)


# Formatters: the option without which they only look, and the options that make them only look.
FORMATTERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "black": ((), ("check", "diff")),
    "isort": ((), ("c", "check", "check-only", "diff", "d")),
    "gofmt": (("w",), ()),
    "goimports": (("w",), ()),
    "prettier": (("write", "w"), ()),
    "clang-format": (("i",), ()),
    "rustfmt": ((), ("check",)),
    "shfmt": (("w", "write"), ()),
}


def reformat(call: Call) -> None:
    needs, unless = FORMATTERS[call.name]
    options = call.options()
    if options.has(*unless) or (needs and not options.has(*needs)):
        return
    if not options.operands:
        call.unknown(f"runs {call.line()}")
    for field in options.operands:
        call.write(field, below=True)


PROGRAMS: dict[str, Program] = {
    "rm": remove,
    "unlink": remove,
    "shred": remove,
    "rmdir": remove_directories,
    "mkdir": make_directories,
    "mkfifo": make_nodes,
    "mknod": make_nodes,
    "mktemp": make_temporary,
    "touch": touch,
    "truncate": truncate,
    "tee": tee,
    "sponge": tee,
    "chmod": change_mode,
    "chown": change_mode,
    "chgrp": change_mode,
    "dd": disk_dump,
    "split": split_file,
    "uniq": second_operand,
    "xxd": second_operand,
    "sort": sort,
    "iconv": recode,
    **dict.fromkeys(FORMATTERS, reformat),
}
