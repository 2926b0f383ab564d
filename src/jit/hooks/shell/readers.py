"""Programs that only read, and commands that are recognised as harmless without a parser.

A command is harmless at a glance if it is one simple command without anything that the shell acts on (redirection,
substitution, a second command), whose program only reads. Whoever is unsure here says no: then the parser looks.
"""

from __future__ import annotations


def names(text: str) -> frozenset[str]:
    """Many names, written as one text to be read easily."""
    return frozenset(text.split())


ALWAYS = names("""
    : [ ack ag arch basename cal cat cksum clear cmp column comm cut date df diff dig dirname du echo egrep expand expr
    factor false fgrep fold free getconf getent grep groups head hexdump host hostname id jobs join jq kill last ls
    locale lsb_release lscpu lsof man md5 md5sum more nl nproc nslookup od paste pgrep ping pkill pr printenv ps pwd
    readlink realpath rev seq sha1sum sha224sum sha256sum sha384sum sha512sum shasum sleep ss stat strings sum tac tail
    test tr true tsort tty type uname unexpand uptime w wait wc which who whoami yes
""")

# Letters and long names of the options with which an otherwise reading program writes or runs something.
UNLESS: dict[str, tuple[str, tuple[str, ...]]] = {
    "bat": ("", ("--pager", "--diff", "cache")),
    "fd": ("xX", ("--exec", "--exec-batch")),
    "fdfind": ("xX", ("--exec", "--exec-batch")),
    "file": ("C", ("--compile",)),
    "find": ("", ("-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fprintf", "-fls")),
    "fmt": ("", ()),
    "printf": ("v", ()),
    "rg": ("", ("--pre", "--hostname-bin")),
    "sort": ("o", ("--output", "--compress-program")),
    "tree": ("oR", ("--output",)),
}

GIT = names("""
    blame cat-file check-attr check-ignore count-objects describe diff diff-files diff-index diff-tree for-each-ref grep
    log ls-files ls-tree merge-base name-rev rev-list rev-parse shortlog show show-branch show-ref status var version
    whatchanged
""")
_GIT_UNLESS = ("O", ("--output", "--ext-diff", "--open-files-in-pager"))

_SHELL = frozenset("\n\r;&|<>$`\\(){}")
_IN_DOUBLE_QUOTES = frozenset("$`\\\n\r")
_GLOB = frozenset("*?[")
BARE_PATTERN = "\0"


def only_reads(command: str) -> bool:
    """Whether this is certainly a single command of a program that only reads."""
    words = split(command.strip(" \t\n"))
    if not words:
        return words is not None
    # A bare pattern may match a file that is named like an option.
    return words[0] in ALWAYS or (not any(word == BARE_PATTERN for word in words) and reads(words))


def reads(words: list[str]) -> bool:
    """Whether a program with these arguments only reads; the first word is its name."""
    name, arguments = words[0], words[1:]
    if name in ALWAYS:
        return True
    if name in UNLESS:
        return not any(_forbidden(word, *UNLESS[name]) for word in arguments)
    if name != "git" or not arguments:
        return False
    return arguments[0] in GIT and not any(_forbidden(word, *_GIT_UNLESS) for word in arguments[1:])


def _forbidden(word: str, letters: str, longs: tuple[str, ...]) -> bool:
    """Whether an argument is, contains or abbreviates a forbidden option."""
    if word in longs:
        return True
    if word.startswith("--"):
        given = word.partition("=")[0]
        return len(given) > 2 and any(name.startswith(given) for name in longs)
    return word.startswith("-") and any(letter in word for letter in letters)


def split(command: str) -> list[str] | None:
    """The words of a simple command without anything that the shell would act on, or None if there is such a thing."""
    words: list[str] = []
    at = 0
    while at < len(command):
        if command[at] in " \t":
            at += 1
            continue
        word, at = _word(command, at)
        if word is None:
            return None
        words.append(word)
    return words


def _word(command: str, at: int) -> tuple[str | None, int]:
    """One word and where it ends; a word with a bare pattern is not told, only that it is one."""
    word, pattern = "", False
    while at < len(command) and command[at] not in " \t":
        char, end = command[at], at
        if char in _SHELL:
            return None, at
        if char in "'\"":
            end = command.find(char, at + 1)
            if end < 0 or (char == '"' and _IN_DOUBLE_QUOTES.intersection(command[at:end])):
                return None, at
            char = command[at + 1 : end]
        else:
            pattern = pattern or char in _GLOB
        word, at = word + char, end + 1
    return BARE_PATTERN if pattern else word, at
