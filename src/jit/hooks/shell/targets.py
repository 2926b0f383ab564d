"""What a shell command will write, read from its text before it runs.

The answer has four parts. `writes` are files whose names the text gives. `tree` are git operations that change whatever
differs, not what is named. `index` are those that change git's index and no file. `unknown` are reasons why the text
does not tell: a script, a variable from elsewhere, code in another language. Nothing is guessed: a command that is not
understood is named in `unknown`. So if `unknown` and `tree` are empty, then `writes` is all that the command can
change, provided that its programs do what their names say.

Most commands of an agent only look at things. These are recognised without a parser; only the others pay for one.
"""

from __future__ import annotations

from jit.hooks.shell.readers import names, only_reads
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Probe = Callable[[str], str]


class Write(Record):
    """A file that is written, created, replaced or removed.

    `path` is absolute, but symbolic links and `..` are left as they were written. `certain` is False if it is one of
    several possibilities or a pattern as `fnmatch` knows it; as in the shell, a pattern that matches no file stands for
    itself. With `below`, everything under the path is meant as well.
    """

    path: str
    verb: str
    certain: bool = True
    below: bool = False


# Verbs that change a file as it then is; all others bring content of their own, or take the file away.
ADAPTING = {"tee -a", "sed -i", "perl -i", "awk -i", "yq -i", "git apply"} | names("""
    append apply_patch black chgrp chmod chown clang-format gofmt goimports isort patch prettier rustfmt shfmt touch
""")


class Targets(Record):
    """An entry of `tree` is the operation; if it is limited to folders or patterns, they follow after ` -- `. `folders`
    are those in which such operations run.
    """

    writes: tuple[Write, ...] = ()
    unknown: tuple[str, ...] = ()
    tree: tuple[str, ...] = ()
    index: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


NOTHING = Targets()


def kind_of(path: str) -> str:
    """`directory`, `file` (or anything else that is there), or nothing."""
    import posix

    try:
        mode = posix.stat(path).st_mode
    except (OSError, ValueError):
        return ""
    return "directory" if mode & 0o170000 == 0o040000 else "file"


def find(command: str, cwd: str, environ_home: str = "", *, probe: Probe = kind_of) -> Targets:
    """What `command` will write when it is started in `cwd`; `probe` answers what is at a path now."""
    if only_reads(command):
        return NOTHING
    from jit.hooks.shell.findings import Findings
    from jit.hooks.shell.scope import Scope
    from jit.hooks.shell.walk import Walk

    found = Findings(probe)
    Walk(found, environ_home).script(command, Scope(cwd))
    return found.targets()
