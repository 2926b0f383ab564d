"""The ways in which agents write files, and what each client tells its hook about them.

The tools and fields are those that the clients send. Where a client has no tool for a way, its agents take another
one: a shell command in place of a patch or a deletion, the plain write tool for a notebook. That is what is asked
then. In the texts below `@file` and `@name` are the path and the name of the file in question, `@command` is a
command.
"""

from __future__ import annotations

from jit.kernel.jsontext import dumps, loads
from jit.kernel.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Table = dict[str, object]

WRITE, EDIT, DELETE, PATCH, NOTEBOOK = "write tool", "edit tool", "delete or move", "multi-file patch", "notebook"
SHELL, SCRIPT, BACKGROUND = "shell redirection", "shell script", "background shell"
SUBAGENT, COMMIT = "subagent", "git commit"
SERVER = "MCP file tool"
WAYS = (WRITE, EDIT, DELETE, PATCH, NOTEBOOK, SERVER, SHELL, SCRIPT, BACKGROUND, SUBAGENT)
COMMANDS: Mapping[str, str] = {
    DELETE: "mv @name moved.txt",
    PATCH: "sed -i s/old/new/ free.txt @name",
    SHELL: "echo new >> @name",
    SCRIPT: "sh ./script.sh",
    BACKGROUND: "(echo new >> @name) &",
}
_CHANGE = "@@\n-old\n+new\n"
_ENVELOPE = "*** Begin Patch\n{}*** End Patch\n"
ADDED = _ENVELOPE.format("*** Add File: @name\n+new\n")
UPDATED = _ENVELOPE.format(f"*** Update File: @name\n{_CHANGE}")
DELETED = _ENVELOPE.format("*** Delete File: @name\n")
SEVERAL = _ENVELOPE.format(
    f"*** Update File: free.txt\n{_CHANGE}*** Update File: @name\n*** Move to: moved.txt\n{_CHANGE}"
)


class Actor(Record):
    """Who would write, and where; `subagent` is empty for the main agent of the session."""

    session: str
    cwd: str
    subagent: str = ""


class Action(Record):
    tool: str
    arguments: object


def _patches(tool: str, wrap: Callable[[str], object]) -> dict[str, Action]:
    texts = {DELETE: DELETED, PATCH: SEVERAL}
    return {way: Action(tool, wrap(text)) for way, text in texts.items()}


_CONTENT = {"path": "@file", "content": "new\n"}  # as the reference server for files wants it
_REPLACE = {"file_path": "@file", "old_string": "old", "new_string": "new"}
ACTIONS: Mapping[str, Mapping[str, Action]] = {
    "claude": {
        WRITE: Action("Write", {"file_path": "@file", "content": "new\n"}),
        EDIT: Action("Edit", {**_REPLACE, "replace_all": False}),
        NOTEBOOK: Action("NotebookEdit", {"notebook_path": "@file", "cell_id": "a", "new_source": "2"}),
        SERVER: Action("mcp__files__write_file", _CONTENT),
        SHELL: Action("Bash", {"command": "@command", "description": "probe"}),
        BACKGROUND: Action("Bash", {"command": COMMANDS[SHELL], "run_in_background": True}),
    },
    "codex": {
        WRITE: Action("apply_patch", {"command": ADDED}),
        EDIT: Action("apply_patch", {"command": UPDATED}),
        SERVER: Action("mcp__files__write_file", _CONTENT),
        SHELL: Action("Bash", {"command": "@command"}),
        **_patches("apply_patch", lambda text: {"command": text}),
    },
    "gemini": {
        WRITE: Action("write_file", {"file_path": "@file", "content": "new\n"}),
        EDIT: Action("replace", {**_REPLACE, "instruction": "probe"}),
        SERVER: Action("mcp_files_write_file", _CONTENT),
        SHELL: Action("run_shell_command", {"command": "@command", "description": "probe"}),
        BACKGROUND: Action("run_shell_command", {"command": COMMANDS[SHELL], "is_background": True}),
    },
    "opencode": {
        WRITE: Action("write", {"filePath": "@file", "content": "new\n"}),
        EDIT: Action("edit", {"filePath": "@file", "oldString": "old", "newString": "new"}),
        SERVER: Action("files_write_file", _CONTENT),
        SHELL: Action("bash", {"command": "@command", "description": "probe"}),
        **_patches("apply_patch", lambda text: {"patchText": text}),
    },
    "copilot": {
        WRITE: Action("create", {"path": "@file", "file_text": "new\n"}),
        EDIT: Action("edit", {"path": "@file", "old_str": "old", "new_str": "new"}),
        SERVER: Action("files-write_file", _CONTENT),
        SHELL: Action("bash", {"command": "@command", "description": "probe"}),
        BACKGROUND: Action("bash", {"command": COMMANDS[SHELL], "description": "probe", "mode": "async"}),
        **_patches("apply_patch", lambda text: text),
    },
    "qwen": {
        WRITE: Action("write_file", {"file_path": "@file", "content": "new\n"}),
        EDIT: Action("edit", _REPLACE),
        NOTEBOOK: Action("notebook_edit", {"notebook_path": "@file", "cell_id": "a", "new_source": "2"}),
        SERVER: Action("mcp__files__write_file", _CONTENT),
        SHELL: Action("run_shell_command", {"command": "@command"}),
        BACKGROUND: Action("run_shell_command", {"command": COMMANDS[SHELL], "is_background": True}),
    },
    "cursor": {
        WRITE: Action("Write", {"file_path": "@file", "content": "new\n"}),
        EDIT: Action("Write", {"file_path": "@file", "content": "old\nnew\n"}),
        DELETE: Action("Delete", {"file_path": "@file"}),
        SERVER: Action("MCP:write_file", _CONTENT),
        SHELL: Action("Shell", {"command": "@command"}),
        BACKGROUND: Action("Shell", {"command": COMMANDS[SHELL], "is_background": True}),
    },
    "cline": {
        WRITE: Action("editor", {"path": "@file", "new_text": "new\n"}),
        EDIT: Action("editor", {"path": "@file", "old_text": "old", "new_text": "new"}),
        SERVER: Action("files__write_file", _CONTENT),
        SHELL: Action("run_commands", {"commands": ["@command"]}),
        **_patches("apply_patch", lambda text: {"input": text}),
    },
}


def action_of(client: str, way: str, file: str) -> Action:
    """The call by which a client's agent would write a file in this way."""
    own = ACTIONS[client]
    found = own.get(way) or own[SHELL if way in COMMANDS else WRITE]
    command = COMMANDS.get(way, COMMANDS[SHELL])
    text = dumps(found.arguments).replace("@command", _inside(command))
    text = text.replace("@file", _inside(file)).replace("@name", _inside(file.rpartition("/")[2]))
    return Action(found.tool, loads(text))


def _inside(text: str) -> str:
    """As it stands within a JSON string."""
    return dumps(text)[1:-1]
