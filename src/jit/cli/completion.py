"""Completion of what stands before the cursor, for bash, zsh and fish.

The scripts are static and know nothing: they call `jit _complete -- WORDS…` with the words after `jit`, the last one
being the one under the cursor (perhaps empty), and show what comes back, one `value<TAB>meaning` per line. Two values
are requests to the shell itself: `:files` for file names and `:commands` for programs.

`candidates` computes the answer from the command records; ids come from `live`, functions that the caller provides.
"""

from __future__ import annotations

from jit.cli.parse import skip_global
from jit.cli.spec import (
    GLOBAL_NAMES,
    GLOBAL_OPTIONS,
    by_spelling,
    load_group,
    option_of,
    own_command,
    verbs,
)
from jit.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from jit.cli.spec import Argument, Command, Group, Index, Option

    Candidate = tuple[str, str]
    Live = Mapping[str, Callable[[], Iterable[Candidate]]]

FILES: tuple[str, str] = (":files", "")
COMMANDS: tuple[str, str] = (":commands", "")


def candidates(words: Sequence[str], index: Index, live: Live) -> list[Candidate]:
    """What the last of the words may become, with a meaning for each."""
    *before, current = words or [""]
    return [c for c in _offers(before, current, index, live) if c[0][:1] == ":" or _begins(c[0], current)]


def script(shell: str) -> str:
    """The completion script for a shell."""
    if shell not in SCRIPTS:
        known = ", ".join(SCRIPTS)
        raise UsageError(f"no completion for {shell!r}; there is one for {known}", hint="jit completion bash")
    return SCRIPTS[shell]


def _offers(before: Sequence[str], current: str, index: Index, live: Live) -> list[Candidate]:
    skipped, rest = skip_global(before)
    waiting = _awaits_value(GLOBAL_NAMES, skipped, current)
    if waiting:
        return _values(waiting, current, live)
    if not rest:
        nouns = [(noun, summary) for noun, (summary, _, section) in index.items() if section]
        return _options(GLOBAL_OPTIONS, ()) if current.startswith("-") else nouns
    return _after_noun(load_group(index, rest[0]), rest[1:], current, live) if rest[0] in index else []


def _after_noun(group: Group, rest: Sequence[str], current: str, live: Live) -> list[Candidate]:
    named, own = verbs(group), own_command(group)
    skipped, left = skip_global(rest)
    if left and left[0] in named:
        return _after_verb(named[left[0]], [*skipped, *left[1:]], current, live)
    offers = _after_verb(own, rest, current, live) if own else []
    waiting = _awaits_value(GLOBAL_NAMES, skipped, current)
    if own and (left or waiting or current.startswith("-")):
        return offers
    if waiting:
        return _values(waiting, current, live)
    if current.startswith("-"):
        return _options(GLOBAL_OPTIONS, rest)
    return [] if left else [(verb, c.summary) for verb, c in named.items() if not c.hidden] + offers


def _after_verb(command: Command, rest: Sequence[str], current: str, live: Live) -> list[Candidate]:
    if "--" in rest:
        return _trailing(command, rest, live)
    names = by_spelling(command.options) | GLOBAL_NAMES
    waiting = _awaits_value(names, rest, current)
    if waiting:
        return _values(waiting, current, live)
    if current.startswith("-"):
        return _options([*command.options, *GLOBAL_OPTIONS], rest)
    return _argument_values(command, _loose(names, rest), live)


def _trailing(command: Command, rest: Sequence[str], live: Live) -> list[Candidate]:
    after = rest[rest.index("--") + 1 :]
    if command.trailing:
        return [FILES] if after else [COMMANDS]
    return _argument_values(command, len(after), live)


def _awaits_value(names: Mapping[str, Option], rest: Sequence[str], current: str) -> Option | None:
    """The option whose value is under the cursor: `--ttl=…`, or the word after `--ttl`."""
    if current.startswith("--") and "=" in current:
        option = option_of(names, current)
        return option if option and option.kind != "flag" else None
    last = rest[-1] if rest else ""
    option = names.get(last)
    return option if option and option.kind != "flag" else None


def _values(option: Option, current: str, live: Live) -> list[Candidate]:
    values = _known(option, live)
    if not (current.startswith("--") and "=" in current):
        return values
    return [(f"{option.name}={value}", meaning) for value, meaning in values if value[:1] != ":"]


def _argument_values(command: Command, position: int, live: Live) -> list[Candidate]:
    arguments = command.arguments
    if position < len(arguments):
        return _known(arguments[position], live)
    return _known(arguments[-1], live) if arguments and arguments[-1].many else []


def _known(thing: Option | Argument, live: Live) -> list[Candidate]:
    if thing.choices:
        return [(choice, "") for choice in thing.choices]
    if thing.completes == "path":
        return [FILES]
    return list(live[thing.completes]()) if thing.completes in live else []


def _loose(names: Mapping[str, Option], rest: Sequence[str]) -> int:
    """How many of the words are arguments, not options or their values."""
    count = 0
    waiting = iter(rest)
    for word in waiting:
        option = option_of(names, word) if word.startswith("-") else None
        if option and option.kind != "flag" and word in (option.name, option.short):
            next(waiting, None)
        elif not word.startswith("-") or word == "-":
            count += 1
    return count


def _options(options: Iterable[Option], used: Sequence[str]) -> list[Candidate]:
    """Options that may still be given."""
    taken = {word.partition("=")[0] for word in used}
    return [(o.name, o.help) for o in options if o.kind == "list" or not taken & {o.name, o.short}]


def _begins(value: str, current: str) -> bool:
    return value.casefold().startswith(current.casefold())


BASH = r"""# jit completion for bash: eval "$(jit completion bash)"
_jit() {
    local rest=${COMP_LINE:0:COMP_POINT} words=() last=-1 cut=0 part value i
    # bash cuts words at : and =, which ids and options contain; what no space separates is joined again
    for ((i = 0; i <= COMP_CWORD; i++)); do
        part=${COMP_WORDS[i]}
        if ((i > 0)) && [[ $rest != [[:space:]]* ]]; then
            part=${part:0:${#rest}} cut=${#words[last]}
            [[ $part != *[!:=]* ]] && ((cut += ${#part}))
            words[last]+=$part
        else
            rest=${rest#"${rest%%[![:space:]]*}"}
            part=${part:0:${#rest}} cut=0
            words[++last]=$part
        fi
        rest=${rest:${#part}}
    done
    COMPREPLY=()
    while IFS=$'\t' read -r value _; do
        case $value in
            :files) compopt -o filenames 2>/dev/null; _jit_add < <(compgen -f -- "${words[last]}") ;;
            :commands) _jit_add < <(compgen -c -- "${words[last]}") ;;
            *) COMPREPLY+=("${value:cut}") ;;
        esac
    done < <("${words[0]}" _complete -- "${words[@]:1}" 2>/dev/null)
}
_jit_add() {
    local value
    while IFS= read -r value; do COMPREPLY+=("${value:cut}"); done
}
complete -F _jit jit
"""

ZSH = r"""#compdef jit
# jit completion for zsh: eval "$(jit completion zsh)", or save it as _jit in a directory of fpath
_jit() {
    local line value
    local -a found
    for line in "${(@f)$("${words[1]}" _complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        value=${line%%$'\t'*}
        case $value in
            '') ;;
            :files) _files ;;
            :commands) _command_names -e ;;
            *) found+=("${value//:/\\:}:${line#*$'\t'}") ;;
        esac
    done
    (( $#found )) && _describe -t jit jit found
}
if [[ $funcstack[1] == _jit ]]; then _jit "$@"; else compdef _jit jit; fi
"""

FISH = r"""# jit completion for fish: jit completion fish | source
function __jit_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] _complete -- $words[2..-1] 2>/dev/null)
        switch $line
            case ':files*'
                __fish_complete_path (commandline -ct)
            case ':commands*'
                __fish_complete_command
            case '*'
                echo $line
        end
    end
end
complete -c jit -f -a '(__jit_complete)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}
