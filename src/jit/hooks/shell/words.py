"""Words of the syntax tree as the fields that a program gets.

A word is first turned into runs of text that differ in how the shell goes on with them: quoted text is taken as it is,
bare text may hold braces, a tilde or a pattern, text from an unquoted variable is split at blanks. Then braces, tilde,
splitting and patterns follow, in the shell's order. Where a variable may have several values, each is followed.
"""

from __future__ import annotations

from jit.hooks.shell.braces import Run, expand_braces
from jit.hooks.shell.quoting import decode, is_pattern, match_itself, remove_backslashes
from jit.hooks.shell.scope import POSSIBILITIES, Field, Scope, cannot_be_known, literal
from jit.hooks.shell.syntax import child, children, named, offset, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.shell.scope import Values
    from jit.hooks.shell.syntax import Node

    Runs = tuple[Run, ...]

BLANKS = " \t\n"


class Words:
    """Expands words; knows the home directory."""

    __slots__ = ("_home",)

    def __init__(self, home: str) -> None:
        self._home = home

    def fields(self, word: Node, scope: Scope) -> list[Field]:
        """Every field that a word may become, whichever way it turns out."""
        return list(dict.fromkeys(field for way in self.ways(word, scope) for field in way))

    def ways(self, word: Node, scope: Scope) -> list[Values]:
        """The fields of a word, for each way in which it may turn out; unquoted, it may become several or none."""
        several = _list(word, scope)
        if several is not None:
            return [several]
        source = source_of(word, scope)
        return [
            tuple(field for braced in expand_braces(runs) for field in _assemble(self._tilde(braced), source))
            for runs in self._runs(children(word, "Parts"), scope, bare=True)
        ]

    def value(self, word: Node | None, scope: Scope) -> Values:
        """The possible values of a word where the shell neither splits nor looks for files: an assignment."""
        if word is None:
            return (literal(""),)
        source = source_of(word, scope)
        found = [_join(self._tilde(runs), source) for runs in self._runs(children(word, "Parts"), scope, bare=False)]
        return tuple(dict.fromkeys(found))

    def content(self, word: Node | None, scope: Scope) -> str | None:
        """The text of a here-document, if it is known."""
        parts = children(word, "Parts") if word else []
        found = self._runs([{"Type": "DblQuoted", "Parts": parts}], scope, bare=False)
        whole = [_join(runs, "?") for runs in found]
        return whole[0].text if len(whole) == 1 and not whole[0].unknown and not whole[0].glob else None

    def home(self) -> Field:
        return literal(self._home) if self._home else cannot_be_known("~")

    def _runs(self, parts: list[Node], scope: Scope, *, bare: bool) -> list[Runs]:
        """Every way in which the parts may turn out."""
        ways: list[Runs] = [()]
        for part in parts:
            next_runs = self._part(part, scope, bare=bare)
            ways = [way + runs for way in ways for runs in next_runs]
            if len(ways) > POSSIBILITIES * 4:
                return [(Run("", "unknown"),)]
        return ways

    def _part(self, part: Node, scope: Scope, *, bare: bool) -> list[Runs]:
        match text(part, "Type"):
            case "Lit":
                return [remove_backslashes(text(part, "Value"))]
            case "SglQuoted":
                return [(decode(text(part, "Value")) if part.get("Dollar") else Run(text(part, "Value"), "quoted"),)]
            case "DblQuoted":
                return self._quoted(part, scope)
            case "ParamExp":
                # With other separators than blanks it is not followed how an unquoted variable is split.
                split = bare and "IFS" in scope.variables
                return [
                    (Run("", "unknown") if split else _run(value, split=bare),)
                    for value in self._parameter(part, scope)
                ]
            case "ExtGlob":
                return [(Run("*", "pattern"),)]
            case _:
                return [(Run("", "unknown"),)]

    def _quoted(self, part: Node, scope: Scope) -> list[Runs]:
        inner: list[Node] = []
        for one in children(part, "Parts"):
            if text(one, "Type") == "Lit":
                value = remove_backslashes(text(one, "Value"), only='$`"\\')
                inner.append({"Type": "SglQuoted", "Value": "".join(run.text for run in value)})
            else:
                inner.append(one)
        return self._runs(inner, scope, bare=False) if inner else [(Run("", "quoted"),)]

    def _parameter(self, part: Node, scope: Scope) -> Values:
        name = named(part, "Param")
        values = _lookup(name, scope, self._home)
        expansion = child(part, "Exp")
        plain = not any(part.get(key) for key in ("Excl", "Length", "Width", "Index", "Slice", "Repl", "Names"))
        if not plain or not values:
            return (cannot_be_known(f"${name}"),)
        if expansion is None:
            return values
        return tuple(
            _trim(value, text(expansion, "Op"), self.value(child(expansion, "Word"), scope)) for value in values
        )

    def _tilde(self, runs: Runs) -> Runs:
        if not runs or runs[0].kind != "bare" or not runs[0].text.startswith("~"):
            return runs
        user, slash, rest = runs[0].text.partition("/")
        if user != "~" or not self._home or (not slash and len(runs) > 1):
            return (Run("", "unknown"), *runs)
        return (Run(self._home, "quoted"), Run(slash + rest, "bare"), *runs[1:])


def source_of(node: Node, scope: Scope) -> str:
    return scope.source[offset(node, "Pos") : offset(node, "End")].decode(errors="replace")


def _list(word: Node, scope: Scope) -> Values | None:
    """`"$@"` and `"${name[@]}"` become one field for each of their elements."""
    parts = children(word, "Parts")
    if len(parts) == 1 and text(parts[0], "Type") == "DblQuoted":
        parts = children(parts[0], "Parts")
    if len(parts) != 1 or text(parts[0], "Type") != "ParamExp" or any(parts[0].get(key) for key in ("Exp", "Slice")):
        return None
    part = parts[0]
    name, index = named(part, "Param"), child(part, "Index")
    if index is not None:
        whole = [named({"Lit": one}, "Lit") for one in children(index, "Parts")] == ["@"]
        return scope.arrays.get(name) if whole and not part.get("Length") and not part.get("Excl") else None
    return scope.arrays.get("@") if name in ("@", "*") and not part.get("Length") else None


def _lookup(name: str, scope: Scope, home: str) -> Values:
    if name in scope.variables:
        return scope.variables[name]
    if name.isdigit() and name != "0":
        given = scope.arrays.get("@", ())
        return given[int(name) - 1 : int(name)]
    if name == "HOME" and home:
        return (literal(home),)
    if name == "PWD":
        return tuple(Field(cwd, certain=len(scope.cwds) == 1) for cwd in scope.cwds)
    return ()


def _trim(value: Field, operator: str, words: Values) -> Field:
    """`${name%.txt}` and its kin, where the pattern is plain text or a usual one; defaults, where there is a value."""
    if value.unknown or len(words) != 1 or words[0].unknown:
        return cannot_be_known(value.unknown or "${…}")
    if operator in (":-", "-", ":=", "=", ":?", "?") and value.text:
        return value
    trimmed = _without(value.text, operator, words[0].text)
    if trimmed is None or (value.glob and trimmed == value.text):
        return cannot_be_known("${…}")
    return Field(trimmed, value.glob, value.certain)


def _without(whole: str, operator: str, pattern: str) -> str | None:
    if operator == "##" and pattern == "*/":
        return whole.rpartition("/")[2]
    if operator == "%" and pattern in ("/*", ".*"):
        head, separator, tail = whole.rpartition(pattern[0])
        return None if is_pattern(tail) else head if separator else whole
    if is_pattern(pattern):
        return None
    if operator in ("%", "%%"):
        return whole.removesuffix(pattern)
    return whole.removeprefix(pattern) if operator in ("#", "##") else None


def _run(value: Field, *, split: bool) -> Run:
    if value.unknown:
        return Run("", "unknown")
    kind = "pattern" if value.glob else "split" if split else "quoted"
    return Run(value.text, kind, value.certain)


def _assemble(runs: Runs, source: str) -> list[Field]:
    """Split at the blanks of unquoted variables, and join what stays together."""
    fields: list[list[Run]] = [[]]
    for run in runs:
        if run.kind != "split":
            fields[-1].append(run)
            continue
        if not run.text:
            continue
        pieces = run.text.split()
        if run.text[:1] in BLANKS and fields[-1]:
            fields.append([])
        for number, piece in enumerate(pieces):
            if number:
                fields.append([])
            fields[-1].append(Run(piece, "bare", run.certain))
        if pieces and run.text[-1] in BLANKS:
            fields.append([])
    return [_join(tuple(field), source) for field in fields if field]


def _join(runs: Runs, source: str) -> Field:
    if any(run.kind == "unknown" for run in runs):
        return cannot_be_known(source)
    certain = all(run.certain for run in runs)
    bare = "".join(run.text for run in runs if run.kind == "bare")
    if not is_pattern(bare) and not any(run.kind == "pattern" for run in runs):
        return Field("".join(run.text for run in runs), certain=certain)
    whole = "".join(match_itself(run.text) if run.kind == "quoted" else run.text for run in runs)
    return Field(whole, glob=True, certain=certain)
