"""Programs that put files somewhere: `cp`, `mv`, `install`, `ln`, `rsync`, `scp`."""

from __future__ import annotations

from jit.hooks.shell.findings import paths, tidy
from jit.hooks.shell.readers import names
from jit.hooks.shell.scope import Field, literal, with_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.shell.calls import Call, Program
    from jit.hooks.shell.options import Options

_BACKUPS = ("b", "backup", "S", "suffix")


def copy(call: Call) -> None:
    options = call.options("St", "suffix", "target-directory")
    below = options.has("r", "R", "a", "recursive", "archive")
    _place(call, options, below=below)
    if options.has("parents"):
        call.write(_target(options)[1], below=True)


def move(call: Call) -> None:
    options = call.options("St", "suffix", "target-directory")
    _place(call, options, below=True)
    for source in _target(options)[0]:
        call.write(source, below=True)


def install(call: Call) -> None:
    options = call.options("gmoSt", "group", "mode", "owner", "suffix", "target-directory", "strip-program")
    if options.has("d", "directory"):
        for field in options.operands:
            call.walk.found.make(field, call.scope)
    else:
        _place(call, options, below=False)


def link(call: Call) -> None:
    options = call.options("St", "suffix", "target-directory")
    before = call.walk.found.targets().writes
    if len(options.operands) == 1 and not options.has("t", "target-directory"):
        call.write(_last(options.operands[0]))
    else:
        _place(call, options, below=False)
    made = [write.path for write in call.walk.found.targets().writes if write not in before]
    _lead(call, options, made)


def _lead(call: Call, options: Options, made: list[str]) -> None:
    """Where the new links lead, for what the same command writes through them."""
    sources = options.operands[:1] if len(options.operands) == 1 else _target(options)[0]
    for source in sources:
        if source.unknown or source.glob:
            call.unknown(f"a link to {source.unknown or source.text}")
    for path in made:
        for source in sources:
            if len(sources) == 1 or path.endswith("/" + _last(source).text):
                symbolic = options.has("s", "symbolic") and not source.text.startswith("/")
                places = (tidy(f"{path.rpartition('/')[0]}/{source.text}"),) if symbolic else paths(source, call.scope)
                call.walk.found.link(path, places[0] if places else path)


def _target(options: Options) -> tuple[tuple[Field, ...], Field]:
    folder = options.last("t", "target-directory")
    if folder:
        return options.operands, folder
    return options.operands[:-1], options.operands[-1] if options.operands else literal("")


def _place(call: Call, options: Options, *, below: bool) -> None:
    """Into the target if it is a directory, else as the target."""
    sources, target = _target(options)
    kind = _kind(call, options, sources, target)
    if kind != "directory":
        call.write(target, below=below)
    if kind in ("directory", "unsure") and not target.unknown:
        for source in sources:
            _into(call, source, target, below=below)
    if target.unknown and kind == "directory":
        call.write(target)
    if call.walk.found.links and below:
        call.unknown(f"{call.name} after links were made")
    if options.has(*_BACKUPS):
        call.unknown(f"{call.name} makes backups")


def _kind(call: Call, options: Options, sources: tuple[Field, ...], target: Field) -> str:
    if options.has("T", "no-target-directory"):
        return "file"
    folder = options.has("t", "target-directory") or target.text.endswith("/")
    if folder or len(sources) > 1 or target.text.rpartition("/")[2] in (".", ".."):
        return "directory"
    kind = call.kind(target)
    return "unsure" if kind != "directory" and any(source.glob for source in sources) else kind


def _into(call: Call, source: Field, target: Field, *, below: bool) -> None:
    if source.unknown:
        call.unknown(f"{call.name} {source.unknown}")
        return
    name = _last(source)
    if name.text in (".", ".."):
        call.write(target, below=True)
        return
    inner = f"{target.text.rstrip('/') or '/'}/{name.text}"
    glob, certain = target.glob or source.glob, target.certain and source.certain and call.kind(target) != "unsure"
    call.write(Field(inner, glob, certain), below=below)


def _last(field: Field) -> Field:
    return with_text(field, field.text.rstrip("/").rpartition("/")[2])


_RSYNC = names("""
    backup-dir bwlimit chmod chown compare-dest copy-dest exclude exclude-from files-from filter include include-from
    link-dest log-file max-size min-size out-format partial-dir port rsh rsync-path suffix temp-dir timeout
""")


def synchronise(call: Call) -> None:
    """`rsync` and `scp`: everything may change below a local target."""
    short, long = ("efBMT", _RSYNC) if call.name == "rsync" else ("cDFiJloPSX", frozenset[str]())
    options = call.options(short, *long)
    if options.has("n", "dry-run") or len(options.operands) < 2:
        return
    *sources, target = options.operands
    if not _is_remote(target):
        call.write(target, below=True)
    if options.has("remove-source-files"):
        for source in sources:
            call.write(source, below=True)
    for name in ("log-file", "backup-dir"):
        for field in options.all(name):
            call.write(field, below=True)


def _is_remote(field: Field) -> bool:
    return ":" in field.text.partition("/")[0]


PROGRAMS: dict[str, Program] = {
    "cp": copy,
    "mv": move,
    "install": install,
    "ln": link,
    "link": link,
    "rsync": synchronise,
    "scp": synchronise,
}
