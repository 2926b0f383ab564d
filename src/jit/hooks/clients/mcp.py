"""File tools of MCP servers, which a client calls without knowing what they do.

Only the name of such a tool tells what it does, and only its arguments tell where. So a call is a change of files if a
word of its name is one of those below and none is a word for reading, and if it names a path and nothing that is not on
this machine. An edit is applied by the server to the file as it then is. Whatever else a server does, neither it nor
the client asks what the model has read.
"""

from __future__ import annotations

from jit.kernel.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jit.hooks.clients.payload import Table
    from jit.hooks.intent import Hook, Intent, Manner

_MANNERS: tuple[tuple[Manner, tuple[str, ...]], ...] = (
    ("whole", ("write", "create", "save", "overwrite")),
    ("delete", ("delete", "remove")),
    ("move", ("move", "rename", "copy")),
    ("edit", ("edit", "replace", "insert", "append", "patch", "update", "modify", "apply")),
)
_READING = frozenset({"read", "get", "list", "search", "find", "view", "show", "tree", "info", "stat"})
_FILES = frozenset({"file", "files"})
_FOLDERS = frozenset({"directory", "directories", "dir", "dirs", "folder", "folders"})
# Who names one of these speaks of something elsewhere, in which a path may stand as well.
_ELSEWHERE = ("owner", "repo", "repository", "url", "branch", "sha", "bucket", "host", "project_id")
_PATHS = (
    "path", "file_path", "filePath", "filepath", "relative_path", "relativePath", "absolute_path", "absolutePath",
    "old_path", "oldPath", "notebook_path", "target_file", "pathInProject",
)  # fmt: skip
_SOURCES = ("source", "src")
_TARGETS = ("destination", "dst", "new_path", "newPath", "target")


def also(hooks: tuple[Hook, ...], start: str, end: str = "") -> tuple[Hook, ...]:
    """These hooks, and those around a tool call once more for the tools of servers."""
    return (*hooks, *(replace(hook, matcher=matcher(start, end)) for hook in hooks if hook.matcher))


def matcher(start: str, end: str = "") -> str:
    """A pattern for the names of tools that may change files; `start` is for what stands before a tool's own name.

    A word may begin with a capital, as in createFile; not every client could be told to ignore cases.
    """
    words = (word for _, words in _MANNERS for word in words)
    return f"{start}.*({'|'.join(f'[{word[0].upper()}{word[0]}]{word[1:]}' for word in words)}){end}"


def read(intent: Intent, name: str, arguments: object) -> Intent:
    """The intent with what its tool would change; `name` is the tool's own, as far as it can be told apart."""
    manner, found = change(name, arguments)
    return replace(intent, manner=manner, paths=found, served=manner != "none")


def change(name: str, arguments: object) -> tuple[Manner, tuple[str, ...]]:
    """How a tool with this name changes files, and which; "none" if it changes none on this machine."""
    table: Table = arguments if isinstance(arguments, dict) else {}
    words = list(_words(name))
    manner = _manner(words, table)
    if manner == "none" or any(table.get(key) for key in _ELSEWHERE):
        return "none", ()
    found = tuple(dict.fromkeys(_paths(table, manner, is_copy="copy" in words)))
    return (manner, found) if found else ("none", ())


def _words(name: str) -> Iterator[str]:
    """The words of a name such as write_file, write-file, writeFile and writefile, in small letters."""
    spaced = ""
    for before, letter in zip(f"_{name}", name, strict=False):
        begins = letter.isupper() and not before.isupper()
        spaced += f" {letter}" if begins else letter if letter.isalnum() else " "
    for word in spaced.lower().split():
        yield word.removesuffix("file") or word


def _manner(words: list[str], table: Table) -> Manner:
    """What brings its own content counts before an edit. To search and replace is no reading."""
    reading = _READING - {"search", "find"} if "replace" in words else _READING
    if not reading.isdisjoint(words) or (not _FOLDERS.isdisjoint(words) and _FILES.isdisjoint(words)):
        return "none"
    if table.get("dryRun") is True or table.get("dry_run") is True:
        return "none"
    found: Manner = next((manner for manner, known in _MANNERS if not set(known).isdisjoint(words)), "none")
    return "edit" if found == "whole" and table.get("mode") == "append" else found


def _paths(table: Table, manner: Manner, *, is_copy: bool) -> Iterator[str]:
    """A copy only reads its source. What is not moved has no source: there the word means code."""
    targets = list(_local(table.get(key) for key in _TARGETS))
    if is_copy and targets:
        yield from targets
        return
    yield from _local(table.get(key) for key in _PATHS)
    for name in ("files", "edits"):
        parts = table.get(name)
        for part in parts if isinstance(parts, list) else ():
            yield from _local(part.get(key) for key in _PATHS if isinstance(part, dict))
    listed = table.get("paths")
    yield from _local(listed if isinstance(listed, list) else ())
    if manner == "move":
        yield from _local(table.get(key) for key in _SOURCES)
    yield from (path for path in targets if manner == "move" or "/" in path or "." in path)


def _local(values: Iterable[object]) -> Iterator[str]:
    """Those of the values that may be the path of a file."""
    for value in values:
        path = value.removeprefix("file://") if isinstance(value, str) else ""
        if path and "://" not in path and "\n" not in path and "\0" not in path:
            yield path
