"""The two settings of git that discovery needs, `core.bare` and `core.worktree`, read without running git.

This reads git's configuration syntax, not its whole meaning: files that are included are not followed, because git
itself does not look for these two there when it decides what a repository is.
"""

from __future__ import annotations

from jit.disk import fsdecode, join, read_file
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}


class Core(Record):
    bare: bool
    worktree: str


def read_core(git_dir: str, common_dir: str) -> Core:
    """What `config`, and `config.worktree` where it is in use, say about the repository."""
    values = dict(parse(_read(join(common_dir, "config"))))
    if is_true(values.get("extensions.worktreeconfig", "false")):
        values.update(parse(_read(join(git_dir, "config.worktree"))))
    return Core(is_true(values.get("core.bare", "false")), values.get("core.worktree", ""))


def parse(text: str) -> Iterator[tuple[str, str]]:
    """Every `section.key` and its value, in order, names in lower case."""
    section = ""
    for line in text.replace("\r\n", "\n").replace("\\\n", "").split("\n"):
        rest = line.strip()
        if rest.startswith("["):
            header, _, rest = rest[1:].partition("]")
            section = header.strip().lower()
            rest = rest.strip()
        if not rest or rest[0] in "#;":
            continue
        key, equals, value = rest.partition("=")
        yield f"{section}.{key.strip().lower()}", unquote(value.strip()) if equals else "true"


def is_true(value: str) -> bool:
    return value.lower() in ("true", "yes", "on", "1")


def unquote(text: str) -> str:
    """A value without its quotes, escapes and trailing comment."""
    out: list[str] = []
    kept = 0
    quoted = escaped = False
    for char in text:
        if escaped:
            out.append(_ESCAPES.get(char, char))
            escaped = False
        elif char == "\\":
            escaped = True
            continue
        elif char == '"':
            quoted = not quoted
        elif char in "#;" and not quoted:
            break
        else:
            out.append(char)
        if quoted or not char.isspace():
            kept = len(out)
    return "".join(out[:kept])


def _read(path: str) -> str:
    try:
        return fsdecode(read_file(path))
    except OSError:
        return ""
