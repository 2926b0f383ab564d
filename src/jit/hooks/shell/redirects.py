"""Redirections: which file one writes, and which text a command will read."""

from __future__ import annotations

from jit.hooks.shell.syntax import child, children, text
from jit.hooks.shell.words import source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.shell.scope import Field, Scope
    from jit.hooks.shell.syntax import Node
    from jit.hooks.shell.words import Words

WRITING = frozenset({">", ">>", ">|", "&>", "&>>", "<>", ">&"})


def written(node: Node, scope: Scope, words: Words) -> list[Field]:
    """The files that a redirection writes; another descriptor or a process is none."""
    operator, word = text(node, "Op"), child(node, "Word")
    if operator not in WRITING or word is None:
        return []
    parts = children(word, "Parts")
    if len(parts) == 1 and text(parts[0], "Type") == "ProcSubst":
        return []
    fields = words.fields(word, scope)
    return [field for field in fields if not _is_descriptor(field.text)] if operator == ">&" else fields


def verb_of(node: Node) -> str:
    """Whether a redirection adds to its file or begins it anew."""
    return "append" if text(node, "Op") in (">>", "&>>") else "redirect"


def _is_descriptor(word: str) -> bool:
    return word == "-" or word.removesuffix("-").isdigit()


def content(node: Node, scope: Scope, words: Words, before: str | None) -> str | None:
    """What the command will read after this redirection, if that is known."""
    match text(node, "Op"):
        case "<<":
            return words.content(child(node, "Hdoc"), scope)
        case "<<-":
            lines = words.content(child(node, "Hdoc"), scope)
            return None if lines is None else "\n".join(line.lstrip("\t") for line in lines.split("\n"))
        case "<<<":
            return words.content(child(node, "Word"), scope)
        case "<":
            return None
    return before


def passed_on(node: Node, scope: Scope, words: Words) -> str | None:
    """What `cat <<EOF` gives to the next member of its pipeline."""
    arguments = children(child(node, "Cmd") or {}, "Args")
    redirects = children(node, "Redirs")
    if len(arguments) != 1 or source_of(arguments[0], scope) != "cat" or len(redirects) != 1:
        return None
    return content(redirects[0], scope, words, None)
