"""Follows a script statement by statement, as the shell would, without running it.

What may happen is taken to happen: both branches of a condition, the body of a loop, the right side of `||`. So the
findings hold more than one run would do, never less. A subshell, a pipeline's member and a command in the background
change the directory and variables of nobody else. A loop is followed until another round would change nothing.
"""

from __future__ import annotations

from jit.hooks.shell.builtins import BUILTINS
from jit.hooks.shell.calls import Call
from jit.hooks.shell.programs import run_program
from jit.hooks.shell.redirects import content, passed_on, verb_of, written
from jit.hooks.shell.scope import POSSIBILITIES, Scope, cannot_be_known
from jit.hooks.shell.syntax import Unparsable, child, children, inside, named, parse, text
from jit.hooks.shell.words import Words, source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.shell.findings import Findings
    from jit.hooks.shell.scope import Values
    from jit.hooks.shell.syntax import Node

LEAVING = frozenset({"break", "continue", "return", "exit"})
DEPTH = 12
ROUNDS = 4
STEPS = 5_000


class Walk:
    """One command being followed: what was found, and how far we went."""

    __slots__ = ("_depth", "_steps", "found", "words")

    def __init__(self, found: Findings, home: str) -> None:
        self.found = found
        self.words = Words(home)
        self._depth = self._steps = 0

    def script(self, command: str, scope: Scope) -> None:
        """Follow a whole script: the command itself, or the text that it gives to another shell."""
        outer, depth = scope.source, self._depth
        self._depth += 1
        try:
            scope.source = command.encode()
            if depth > DEPTH:
                self.found.unknown("scripts inside scripts, too deep to follow")
                return
            self.statements(children(parse(scope.source), "Stmts"), scope)
        except Unparsable as fault:
            self.found.unknown(f"cannot be parsed: {fault}")
        except UnicodeEncodeError:
            self.found.unknown("cannot be parsed: it is not valid Unicode")
        except RecursionError:
            self.found.unknown("nested too deeply to follow")
        finally:
            scope.source, self._depth = outer, depth

    def statements(self, nodes: list[Node], scope: Scope) -> None:
        for node in nodes:
            self.statement(node, scope)
            scope.settle()

    def statement(self, node: Node, scope: Scope, stdin: str | None = None) -> None:
        self._steps += 1
        if self._steps > STEPS:
            self.found.unknown("too long to follow")
            return
        scope = scope.copy() if node.get("Background") else scope
        for redirect in children(node, "Redirs"):
            for part in (child(redirect, "Word"), child(redirect, "Hdoc")):
                self.substitutions(part, scope)
            for field in written(redirect, scope, self.words):
                self.found.write(field, verb_of(redirect), scope)
            stdin = content(redirect, scope, self.words, stdin)
        command = child(node, "Cmd")
        if command:
            self._command(command, scope, stdin)

    def substitutions(self, node: Node | None, scope: Scope) -> None:
        """Commands inside of words, and what words change: `${name:=value}`, `$((name++))`."""
        if node is None:
            return
        for one in inside(node, "CmdSubst", "ProcSubst"):
            self.statements(children(one, "Stmts"), scope.copy())
        for one in inside(node, "ParamExp"):
            if text(child(one, "Exp") or {}, "Op") in (":=", "="):
                scope.forget(named(one, "Param"))
        for one in inside(node, "ArithmExp", "ArithmCmd", "LetClause", "CStyleLoop"):
            self.arithmetic(one, scope)

    def arithmetic(self, node: Node, scope: Scope) -> None:
        for one in inside(node, "Lit"):
            if text(one, "Value") in scope.variables:
                scope.forget(text(one, "Value"))

    def _command(self, node: Node, scope: Scope, stdin: str | None) -> None:
        match text(node, "Type"):
            case "CallExpr":
                self._call(node, scope, stdin)
            case "DeclClause":
                for name in _declared(node):
                    scope.forget(name)
                self._assign(children(node, "Args"), scope)
            case "BinaryCmd":
                self._binary(node, scope, stdin)
            case "Block":
                self._block(children(node, "Stmts"), scope, stdin)
            case "Subshell":
                self._block(children(node, "Stmts"), scope.copy(), stdin)
            case "IfClause":
                self._if(node, scope)
            case "WhileClause":
                self._loop(children(node, "Cond") + children(node, "Do"), scope)
            case "ForClause":
                self._for(node, scope)
            case "CaseClause":
                self._case(node, scope)
            case "FuncDecl":
                scope.functions[named(node, "Name")] = (child(node, "Body") or {}, scope.source)
            case "TimeClause":
                self.statement(child(node, "Stmt") or {}, scope, stdin)
            case "CoprocClause":
                self.statement(child(node, "Stmt") or {}, scope.copy(), stdin)
            case "TestClause" | "ArithmCmd" | "LetClause":
                self.substitutions(node, scope)
            case other:
                self.found.unknown(f"a {other} that is not understood")

    def _block(self, nodes: list[Node], scope: Scope, stdin: str | None) -> None:
        for node in nodes:
            self.statement(node, scope, stdin)
            scope.settle()

    def _binary(self, node: Node, scope: Scope, stdin: str | None) -> None:
        left, right = child(node, "X") or {}, child(node, "Y") or {}
        if text(node, "Op") in ("|", "|&"):
            self.statement(left, scope.copy(), stdin)
            self.statement(right, scope.copy(), passed_on(left, scope, self.words))
            return
        self.statement(left, scope, stdin)
        if text(node, "Op") == "||":
            self._otherwise(right, scope, stdin)
            return
        skipped = scope.copy()
        self.statement(right, scope, stdin)
        if not scope.same(skipped):
            scope.may_fail(skipped)

    def _otherwise(self, node: Node, scope: Scope, stdin: str | None) -> None:
        """The right side of `||`. If it gives up, what follows knows that the left side succeeded."""
        failed = scope.copy()
        failed.settle()
        self.statement(node, failed, stdin)
        if _gives_up(node):
            scope.fallback = None
            return
        scope.merge(failed)

    def _if(self, node: Node, scope: Scope) -> None:
        """An `else` is a node without a condition."""
        self.statements(children(node, "Cond"), scope)
        if "Cond" not in node:
            self.statements(children(node, "Then"), scope)
            return
        other = scope.copy()
        self.statements(children(node, "Then"), scope)
        if (rest := child(node, "Else")) is not None:
            self._if(rest, other)
        scope.merge(other)

    def _case(self, node: Node, scope: Scope) -> None:
        self.substitutions(child(node, "Word"), scope)
        before = scope.copy()
        for item in children(node, "Items"):
            branch = before.copy()
            branch.merge(scope)
            self.statements(children(item, "Stmts"), branch)
            scope.merge(branch)

    def _for(self, node: Node, scope: Scope) -> None:
        loop, body = child(node, "Loop") or {}, children(node, "Do")
        self.substitutions(loop, scope)
        name = named(loop, "Name")
        if not name:
            self._loop(body, scope)
            return
        words = children(loop, "Items")
        values = tuple(field for word in words for field in self.words.fields(word, scope))
        values = values if words else scope.arrays.get("@") or (cannot_be_known("$@"),)
        if len(values) > POSSIBILITIES or any(value.glob or value.unknown for value in values):
            self._loop(body, scope, name, values)
        else:
            self._each(body, scope, name, values)

    def _each(self, body: list[Node], scope: Scope, name: str, values: Values) -> None:
        """A loop over a few known words: one round for each; a round may be left early."""
        for value in values:
            before = scope.copy()
            scope.variables[name] = (value,)
            self.statements(body, scope)
            if LEAVING.intersection(named({"Lit": one}, "Lit") for part in body for one in inside(part, "Lit")):
                scope.merge(before)

    def _loop(self, body: list[Node], scope: Scope, name: str = "", values: Values = ()) -> None:
        for _ in range(ROUNDS):
            before = scope.copy()
            if name:
                scope.variables[name] = values
            self.statements(body, scope)
            scope.merge(before)
            if scope.same(before):
                return
        scope.forget_all()
        self.statements(body, scope)

    def _assign(self, nodes: list[Node], scope: Scope) -> None:
        for node in nodes:
            self.substitutions(node, scope)
            name, array = named(node, "Name"), child(node, "Array")
            if not name or node.get("Naked"):
                continue
            scope.forget(name)
            if node.get("Append") or child(node, "Index"):
                continue
            if array is not None:
                elements = [child(one, "Value") or {} for one in children(array, "Elems")]
                scope.arrays[name] = tuple(field for one in elements for field in self.words.fields(one, scope))
            else:
                scope.variables[name] = self.words.value(child(node, "Value"), scope)

    def _call(self, node: Node, scope: Scope, stdin: str | None) -> None:
        words, assigns = children(node, "Args"), children(node, "Assigns")
        self._assign(assigns, scope if not words else scope.copy())
        calls: list[Values] = [()]
        for word in words:
            self.substitutions(word, scope)
            ways = self.words.ways(word, scope)
            calls = [call + way for call in calls for way in ways]
            if len(calls) > POSSIBILITIES:
                self.found.unknown(f"runs {source_of(node, scope)}")
                return
        before = scope.copy()
        for number, fields in enumerate(fields for fields in calls if fields):
            branch = scope if not number else before.copy()
            self.run(fields, branch, stdin)
            if number:
                scope.merge(branch)

    def run(self, fields: Values, scope: Scope, stdin: str | None = None) -> None:
        """A program, function or builtin with its arguments."""
        name = fields[0].text
        if fields[0].unknown or fields[0].glob:
            self.found.unknown(f"runs {fields[0].unknown or name}")
            return
        call = Call(self, name, fields[1:], scope, stdin)
        if name in scope.functions:
            self._function(call)
        elif name in BUILTINS:
            BUILTINS[name](call)
        else:
            run_program(call)

    def _function(self, call: Call) -> None:
        body, source = call.scope.functions[call.name]
        if self._depth > DEPTH:
            self.found.unknown(f"{call.name} calls itself, too deep to follow")
            return
        scope, before = call.scope, call.scope.copy()
        self._depth += 1
        scope.source, scope.arrays["@"] = source, call.args
        self.statement(body, scope, call.stdin)
        scope.source, self._depth = before.source, self._depth - 1
        scope.restore(before, "@", *(name for node in inside(body, "DeclClause") for name in _declared(node)))


def _declared(node: Node) -> list[str]:
    """Variables that a declaration hides until the function ends."""
    if named(node, "Variant") not in ("local", "declare", "typeset"):
        return []
    return [name for one in children(node, "Args") if (name := named(one, "Name"))]


def _gives_up(node: Node) -> bool:
    command = child(node, "Cmd") or {}
    if text(command, "Type") == "Block":
        statements = children(command, "Stmts")
        return bool(statements) and _gives_up(statements[-1])
    words = [named({"Lit": part}, "Lit") for word in children(command, "Args")[:1] for part in children(word, "Parts")]
    return words in (["exit"], ["return"])
