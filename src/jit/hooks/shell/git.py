"""What git's commands change: named files, whatever differs in the tree, the index, or only git's own data."""

from __future__ import annotations

from jit.hooks.shell.patches import diff_paths
from jit.hooks.shell.readers import GIT, names
from jit.hooks.shell.scope import Field, literal, with_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.hooks.shell.calls import Call, Program
    from jit.hooks.shell.options import Options

# Only refs, objects and configuration of git itself.
OWN = GIT | names("""
    archive branch bugreport cherry commit-graph commit-tree config diagnose fetch for-each-repo fsck gc
    get-tar-commit-id hash-object help init interpret-trailers ls-remote maintenance merge-tree mktag mktree
    multi-pack-index notes pack-objects pack-refs patch-id prune push range-diff reflog remote repack replace rerere
    send-pack stripspace symbolic-ref tag update-ref verify-commit verify-pack verify-tag write-tree
""")
INDEX = names("add stage commit update-index")
WHOLE = names("bisect checkout-index filter-branch read-tree sparse-checkout submodule")
_RUNS = ("upload-pack", "receive-pack", "exec", "ext-diff", "open-files-in-pager")
_SAFE_SETTINGS = tuple(
    names("""
    user. color. core.quotepath core.autocrlf advice. commit.gpgsign tag.gpgsign safe.directory init.defaultbranch
    protocol. http. pull. rebase. diff.algorithm
    """)
)
_GLOBAL_VALUES = ("git-dir", "work-tree", "namespace", "exec-path", "config-env", "super-prefix")
_CONTINUE = ("abort", "continue", "skip", "quit")


def run_git(call: Call) -> None:
    options = call.options("Cc", *_GLOBAL_VALUES, permute=False)
    if not options.operands:
        return
    for setting in options.all("c", "config-env"):
        if not setting.text.lower().startswith(_SAFE_SETTINGS):
            call.unknown(f"git -c {setting.unknown or setting.text}")
    verb, *args = options.operands
    call.name, call.args, call.scope = f"git {verb.unknown or verb.text}", tuple(args), call.scope.copy()
    for folder in options.all("C"):
        call.walk.run((literal("cd"), folder), call.scope)
        call.scope.fallback = None
    if options.has("work-tree", "git-dir"):
        call.unknown("git with another work tree")
    _run_verb(call, verb)


def _run_verb(call: Call, verb: Field) -> None:
    _common_outputs(call)
    if verb.text in VERBS:
        VERBS[verb.text](call)
    elif verb.text in INDEX:
        call.walk.found.index(call.line())
    elif verb.text in WHOLE:
        call.tree(call.line())
    elif verb.text not in OWN:
        call.unknown(f"runs {call.line(1)}")


def _common_outputs(call: Call) -> None:
    """`--output=FILE` of the diff family, and options that run a program."""
    options = call.options("", "output", *_RUNS)
    for field in options.all("output"):
        call.write(field)
    if options.has(*_RUNS):
        call.unknown(f"runs {call.line()}")


def _limited(call: Call, paths: tuple[Field, ...], operation: str) -> None:
    """An operation on named files; or on whatever differs in folders, in what a pattern matches, in the whole tree."""
    known = tuple(field for field in paths if not field.unknown and not field.text.startswith(":"))
    for field in known:
        call.write(field, below=True)
    if paths != known or not paths or any(field.glob or call.is_folder(field) for field in known):
        named = " ".join(field.unknown or field.text for field in paths)
        call.tree(f"{operation} -- {named}" if named else operation)


def _after_dashes(call: Call) -> tuple[Field, ...] | None:
    words = [field.text for field in call.args]
    return call.args[words.index("--") + 1 :] if "--" in words else None


def checkout(call: Call) -> None:
    """A branch changes the whole tree, paths only themselves; a new branch from here changes nothing."""
    options = call.options("bB", "orphan", "conflict", "pathspec-from-file")
    paths, operands = _after_dashes(call), options.operands
    if options.has("pathspec-from-file"):
        call.tree("git checkout")
    elif paths is not None:
        _limited(call, paths, "git checkout")
    elif options.has("b", "B", "orphan") and not operands:
        return
    elif len(operands) > 1:
        _limited(call, operands if call.kind(operands[0]) == "file" else operands[1:], "git checkout")
    elif operands and (operands[0].text == "." or operands[0].glob or call.kind(operands[0]) in ("file", "directory")):
        _limited(call, operands, "git checkout")
    elif operands or options.has("f", "force", "m", "merge", "p", "patch"):
        call.tree(f"git checkout {operands[0].unknown or operands[0].text}" if operands else "git checkout")


def switch(call: Call) -> None:
    options = call.options("cC", "create", "force-create", "orphan", "conflict")
    made = options.has("c", "C", "create", "force-create")
    if options.operands or not made:
        call.tree(call.line())


def restore(call: Call) -> None:
    options = call.options("s", "source", "conflict", "pathspec-from-file")
    if options.has("S", "staged") and not options.has("W", "worktree"):
        call.walk.found.index(call.line())
    elif options.has("pathspec-from-file"):
        call.tree("git restore")
    else:
        _limited(call, options.operands, "git restore")


def reset(call: Call) -> None:
    options = call.options()
    if options.has("hard", "merge", "keep"):
        call.tree(call.line())
    else:
        call.walk.found.index(call.line())


def stash(call: Call) -> None:
    options = call.options("m", "message", "pathspec-from-file")
    verb = options.operands[0].text if options.operands else "push"
    if verb in ("list", "show", "drop", "clear", "create", "store"):
        return
    paths = _after_dashes(call) or (options.operands[1:] if verb == "push" else ())
    if verb == "push" and paths and not options.has("pathspec-from-file"):
        _limited(call, paths, "git stash push")
    else:
        call.tree(call.line())


def clean(call: Call) -> None:
    options = call.options("e", "exclude")
    if not options.has("n", "dry-run"):
        _limited(call, options.operands, "git clean")


def apply(call: Call) -> None:
    options = call.options("pC", "directory", "exclude", "include", "whitespace", "build-fake-ancestor")
    looks = options.has("check", "stat", "numstat", "summary") and not options.has("apply")
    if looks:
        return
    if options.has("cached"):
        call.walk.found.index(call.line())
        return
    if call.stdin is None or any(field.text != "-" for field in options.operands):
        call.tree(call.line())
        return
    strip = options.last("p")
    for name in diff_paths(call.stdin, int(strip.text) if strip and strip.text.isdecimal() else 1):
        call.write(literal(name))


def remove(call: Call) -> None:
    options = call.options("", "pathspec-from-file")
    if options.has("n", "dry-run"):
        return
    if options.has("cached"):
        call.walk.found.index(call.line())
    elif options.has("pathspec-from-file"):
        call.tree("git rm")
    else:
        for field in options.operands:
            call.write(field, below=True)


def rename(call: Call) -> None:
    from jit.hooks.shell.copies import move

    if not call.options().has("n", "dry-run"):
        move(call)


def clone(call: Call) -> None:
    options = call.options("bocjuw", "branch", "origin", "config", "jobs", "depth", "reference", "template", "filter",
                           "separate-git-dir", "shallow-since", "server-option", "revision")  # fmt: skip
    if not options.operands:
        return
    url = options.operands[0]
    name = url.text.rstrip("/").removesuffix(".git").rstrip("/").rpartition("/")[2].rpartition(":")[2]
    call.write(options.operands[1] if len(options.operands) > 1 else with_text(url, name), below=True)


def worktree(call: Call) -> None:
    options = call.options("bB", "orphan", "reason", "expire")
    verb = options.operands[0].text if options.operands else ""
    if verb in ("add", "remove"):
        for field in options.operands[1:2]:
            call.write(field, below=True)
    elif verb == "move":
        for field in options.operands[1:3]:
            call.write(field, below=True)


def _options_with_file(call: Call) -> Options:
    return call.options("of", "output", "file", "output-directory")


def archive(call: Call) -> None:
    for field in _options_with_file(call).all("o", "output"):
        call.write(field)


def configure(call: Call) -> None:
    for field in _options_with_file(call).all("f", "file"):
        call.write(field)


def format_patches(call: Call) -> None:
    options = _options_with_file(call)
    if options.has("stdout"):
        return
    folder = options.last("o", "output-directory") or literal(".")
    call.write(
        with_text(folder, f"{folder.text}/*.patch") if folder.unknown else Field(f"{folder.text}/*.patch", glob=True)
    )


def bundle(call: Call) -> None:
    operands = call.options().operands
    if operands and operands[0].text == "create":
        for field in operands[1:2]:
            call.write(field)


def sequence(call: Call) -> None:
    """`merge`, `rebase` and their kin: the whole tree, whichever way they go on."""
    options = call.options()
    call.tree(call.line(1) if options.has(*_CONTINUE) else call.line())


VERBS: dict[str, Program] = {
    "checkout": checkout,
    "switch": switch,
    "restore": restore,
    "reset": reset,
    "stash": stash,
    "clean": clean,
    "apply": apply,
    "rm": remove,
    "mv": rename,
    "clone": clone,
    "worktree": worktree,
    "archive": archive,
    "config": configure,
    "format-patch": format_patches,
    "bundle": bundle,
    **dict.fromkeys(("merge", "rebase", "cherry-pick", "revert", "pull", "am"), sequence),
}
PROGRAMS: dict[str, Program] = {"git": run_git}
