"""Programs that unpack, pack or download: `tar`, `unzip`, `gzip`, `curl`, `wget`."""

from __future__ import annotations

from jit.hooks.shell.readers import names
from jit.hooks.shell.scope import Field, cannot_be_known, literal, with_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.shell.calls import Call, Program
    from jit.hooks.shell.options import Options

_TAR_VALUES = "fCbTXIKNVgHFL"
_TAR_LONG = names("""
    checkpoint-action directory exclude exclude-from file files-from format group mode owner strip-components to-command
    transform use-compress-program
""")


def tape_archive(call: Call) -> None:
    call.args = _with_dashes(call.args)
    options = call.options(_TAR_VALUES, *_TAR_LONG)
    if options.has("I", "to-command", "use-compress-program", "checkpoint-action"):
        call.unknown(f"runs {call.line()}")
    archive = options.last("f", "file")
    if options.has("x", "extract", "get") and not options.has("O", "to-stdout"):
        _unpack(call, options.last("C", "directory"), "tar x")
    elif options.has("c", "create", "r", "append", "u", "update", "A", "delete") and archive and archive.text != "-":
        call.write(archive, "tar c")
    if options.has("remove-files"):
        call.unknown("tar --remove-files")


def _with_dashes(args: tuple[Field, ...]) -> tuple[Field, ...]:
    """`tar xfC a.tar dir`: in the old style the values of a first word follow it in order."""
    if not args or args[0].unknown or args[0].text.startswith("-"):
        return args
    rest = list(args[1:])
    modern: list[Field] = []
    for letter in args[0].text:
        modern.append(literal(f"-{letter}"))
        if letter in _TAR_VALUES and rest:
            modern.append(rest.pop(0))
    return (*modern, *rest)


def _unpack(call: Call, folder: Field | None, verb: str) -> None:
    """Anything below a folder may be written; what, the archive knows."""
    target = folder or literal(".")
    call.write(Field(target.text, target.glob, certain=False, unknown=target.unknown), verb, below=True)


def unzip(call: Call) -> None:
    options = call.options("dxP")
    if not options.has("l", "t", "p", "c", "v", "Z", "z"):
        _unpack(call, options.last("d"), "unzip")


def make_zip(call: Call) -> None:
    options = call.options("xibnt")
    for archive in options.operands[:1]:
        call.write(archive if "." in archive.text or archive.unknown else with_text(archive, archive.text + ".zip"))
    if options.has("m"):
        call.unknown("zip -m")


_SUFFIXES = {"gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "zstd": ".zst", "lz4": ".lz4", "compress": ".Z"}
_UNPACKERS = {"gunzip": ".gz", "bunzip2": ".bz2", "unxz": ".xz", "unzstd": ".zst"}


def compress(call: Call) -> None:
    """A file is replaced by its packed form, or the other way round."""
    options = call.options("SbToM", "suffix", "output-dir-flat", "threads")
    if options.has("c", "stdout", "to-stdout", "t", "test", "l", "list"):
        return
    suffix = _UNPACKERS.get(call.name) or _SUFFIXES[call.name]
    back = call.name in _UNPACKERS or options.has("d", "decompress", "uncompress")
    for field in options.operands:
        call.write(field, below=options.has("r", "recursive"))
        if not field.unknown:
            call.write(with_text(field, field.text.removesuffix(suffix) if back else field.text + suffix))
    for field in options.all("o"):
        call.write(field)


_CURL = "oDcbHXdAeuUxTFKmCrwyYEtPQzh"
_CURL_FILES = names("dump-header D cookie-jar c trace trace-ascii stderr etag-save hsts alt-svc libcurl")
_CURL_LONG = _CURL_FILES | names("""
    output output-dir cookie header request data data-raw data-binary data-urlencode json user-agent referer user proxy
    upload-file form config max-time connect-timeout range write-out cert key cacert retry url etag-compare resolve
    interface limit-rate max-redirs
""")


def transfer(call: Call) -> None:
    options = call.options(_CURL, *_CURL_LONG)
    folder = options.last("output-dir")
    for field in options.all("o", "output"):
        if field.text != "-":
            call.write(_in(folder, field), "curl -o")
    for field in options.all(*_CURL_FILES):
        if field.text not in ("-", "%"):
            call.write(field, "curl")
    if options.has("K", "config", "J", "remote-header-name"):
        call.unknown(f"runs {call.line()}")
    if options.has("O", "remote-name", "remote-name-all"):
        for field in (*options.operands, *options.all("url")):
            call.write(_in(folder, _remote_name(field)), "curl -O")


def _remote_name(url: Field) -> Field:
    path = url.text.partition("?")[0].partition("#")[0]
    name = path.rpartition("/")[2]
    return with_text(url, name) if name and not url.unknown else cannot_be_known(url.unknown or url.text)


def _in(folder: Field | None, field: Field) -> Field:
    if folder is None or field.unknown or field.text.startswith("/"):
        return field
    return Field(f"{folder.text}/{field.text}", field.glob, certain=field.certain, unknown=folder.unknown)


_WGET = "OPoaiUTtQeABDIXlw"


def fetch(call: Call) -> None:
    options = call.options(_WGET, "output-document", "directory-prefix", "output-file", "append-output", "input-file")
    for field in options.all("o", "a", "output-file", "append-output"):
        call.write(field, "wget")
    document = options.last("O", "output-document")
    if options.has("r", "m", "p", "recursive", "mirror", "page-requisites", "i", "input-file"):
        call.unknown(f"runs {call.line()}")
    elif document:
        call.write(literal("") if document.text == "-" else document, "wget -O")
    elif not options.has("spider"):
        _download(call, options)


def _download(call: Call, options: Options) -> None:
    """Under its own name, or with a number behind it if that is taken."""
    folder = options.last("P", "directory-prefix")
    for url in options.operands:
        field = _in(folder, _remote_name(url))
        call.write(field, "wget")
        if not field.unknown:
            call.write(Field(field.text + ".*", glob=True), "wget")


PROGRAMS: dict[str, Program] = {
    "tar": tape_archive,
    "gtar": tape_archive,
    "bsdtar": tape_archive,
    "unzip": unzip,
    "zip": make_zip,
    "curl": transfer,
    "wget": fetch,
    **dict.fromkeys((*_SUFFIXES, *_UNPACKERS), compress),
}
