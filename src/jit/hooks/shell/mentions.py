"""Which folders a command names, at a glance: enough to tell whether it may reach into a guarded repository.

Nothing is parsed here. Every word of the text counts, wherever it stands, because a word too many costs a look at the
disk and a word too few a lease. Variables other than `HOME` are not followed.
"""

from __future__ import annotations

from jit.disk import dirname, isdir, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_WORDS = 500
SIGNS = str.maketrans(dict.fromkeys("'\"`;|&<>(){}[]=,:\n\t", " "))
_BLANK = "\0"  # stands for one that belongs to a name


def folders(command: str, cwd: str, home: str) -> Iterator[str]:
    """The folders that exist and are named, or hold what is named; each once, and never `cwd` itself."""
    met = {cwd}
    for word in _words(command.replace("${HOME}", home).replace("$HOME", home)):
        name = f"{home}{word[1:]}" if word == "~" or word.startswith("~/") else word
        folder = join(cwd, name)
        while not isdir(folder) and folder not in met:
            folder = dirname(folder)
        if folder not in met:
            met.add(folder)
            yield folder


def _words(command: str) -> list[str]:
    """The words, and what stands between quotes as a whole."""
    quoted = [part for sign in "'\"" for part in command.split(sign)[1::2] if " " in part]
    plain = command.replace("\\ ", _BLANK).translate(SIGNS).split()
    return list(dict.fromkeys([*[word.replace(_BLANK, " ") for word in plain], *quoted]))[:MOST_WORDS]
