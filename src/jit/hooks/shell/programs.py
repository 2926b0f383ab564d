"""Which program writes what.

A program that is in no table may do anything, so it is named as unknown. Programs on the usual paths are known by their
last name; a program of another folder is somebody's script. The names are here and what they mean is in one module for
each family, so that a command loads only what it needs.
"""

from __future__ import annotations

from jit.hooks.shell.readers import names, reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.shell.calls import Call, Program

ARCHIVES = names("""
    bsdtar bunzip2 bzip2 compress curl gtar gunzip gzip lz4 tar unxz unzip unzstd wget xz zip zstd
""")
COPIES = names("cp install link ln mv rsync scp")
EDITORS = names("apply_patch applypatch awk gawk gsed mawk patch perl sed yq")
OPERANDS = names("""
    black chgrp chmod chown clang-format dd gofmt goimports iconv isort mkdir mkfifo mknod mktemp prettier rm
    rmdir rustfmt shfmt shred sort split sponge tee touch truncate uniq unlink xxd
""")
STARTERS = names("""
    Rscript bash builtin bun busybox caffeinate chronic chrt command dash deno doas env exec faketime find flock
    ionice jit ksh lua nice node noglob nohup osascript php python python2 python3 ruby setsid sh stdbuf sudo
    taskset time timeout ts-node tsx unbuffer xargs xvfb-run zsh
""")

FOLDERS = names("/bin /sbin /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin /opt/homebrew/bin")
INSTALLERS = names("apt apt-get brew bundle cargo conda dnf docker gem go gradle mvn npm pip pip3 pnpm uv yarn")
ASKED = INSTALLERS | names("make cmake gcc clang rustc java tsc ruff mypy")
VERSION = ("--version", "-V", "-v", "version")


def run_program(call: Call) -> None:
    folder, slash, name = call.name.rpartition("/")
    if slash and folder not in FOLDERS:
        call.unknown(f"runs {call.name}")
        return
    call.name = name
    program = table(name).get(name)
    if program:
        program(call)
        return
    words = call.words()
    if not reads(words) and not (name in ASKED and len(words) == 2 and words[1] in VERSION):
        call.unknown(f"runs {call.line(1) if name in INSTALLERS else name}")


def table(name: str) -> dict[str, Program]:
    """The programs of a name's family."""
    if name == "git":
        from jit.hooks.shell.git import PROGRAMS
    elif name in ARCHIVES:
        from jit.hooks.shell.archives import PROGRAMS
    elif name in COPIES:
        from jit.hooks.shell.copies import PROGRAMS
    elif name in EDITORS:
        from jit.hooks.shell.editors import PROGRAMS
    elif name in OPERANDS:
        from jit.hooks.shell.operands import PROGRAMS
    elif name in STARTERS:
        from jit.hooks.shell.starters import PROGRAMS
    else:
        return {}
    return PROGRAMS
