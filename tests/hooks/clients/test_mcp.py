"""Tools of MCP servers: by their names and arguments, what they would change; and what is none of jit's business."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jit.hooks.clients import client, mcp

Arguments = dict[str, Any]
ARGUMENTS: Arguments = {"path": "a.txt", "content": "x"}
# The tools of servers that people use: the reference server for files, Serena, Desktop Commander, JetBrains and others.
CHANGES: list[tuple[str, Arguments, str, tuple[str, ...]]] = [
    ("write_file", {"path": "/repo/a.txt", "content": "x"}, "whole", ("/repo/a.txt",)),
    ("edit_file", {"path": "/repo/a.txt", "edits": [{"oldText": "a", "newText": "b"}]}, "edit", ("/repo/a.txt",)),
    ("edit_file", {"path": "a.txt", "edits": [], "dryRun": False}, "edit", ("a.txt",)),
    ("move_file", {"source": "a.txt", "destination": "b.txt"}, "move", ("a.txt", "b.txt")),
    ("move_file", {"source": "Makefile", "destination": "old"}, "move", ("Makefile", "old")),
    ("create_text_file", {"relative_path": "src/a.py", "content": "x"}, "whole", ("src/a.py",)),
    ("replace_content", {"relative_path": "a.py", "needle": "a", "repl": "b", "mode": "regex"}, "edit", ("a.py",)),
    ("replace_symbol_body", {"name_path": "A/b", "relative_path": "a.py", "body": "x"}, "edit", ("a.py",)),
    ("insert_after_symbol", {"name_path": "A", "relative_path": "a.py", "body": "x"}, "edit", ("a.py",)),
    ("write_file", {"path": "a.txt", "content": "x", "mode": "rewrite"}, "whole", ("a.txt",)),
    ("write_file", {"path": "a.txt", "content": "x", "mode": "append"}, "edit", ("a.txt",)),
    ("edit_block", {"file_path": "/repo/a.txt", "old_string": "a", "new_string": "b"}, "edit", ("/repo/a.txt",)),
    ("create_new_file", {"pathInProject": "src/A.kt", "text": "x"}, "whole", ("src/A.kt",)),
    ("createTextFile", {"filePath": "a.txt"}, "whole", ("a.txt",)),
    ("replace-in-file", {"filepath": "a.txt"}, "edit", ("a.txt",)),
    ("WriteFile", {"absolute_path": "/repo/a.txt"}, "whole", ("/repo/a.txt",)),
    ("writefile", {"path": "a.txt"}, "whole", ("a.txt",)),
    ("save", {"path": "file:///repo/a.txt"}, "whole", ("/repo/a.txt",)),
    ("create_or_update_file", {"path": "a.txt", "branch": None}, "whole", ("a.txt",)),
    ("update_or_create", {"path": "a.txt"}, "whole", ("a.txt",)),
    ("apply_diff", {"path": "a.txt", "diff": "x"}, "edit", ("a.txt",)),
    ("search_and_replace", {"path": "a.txt", "search": "a", "replace": "b"}, "edit", ("a.txt",)),
    ("modify", {"target": "src/a.py"}, "edit", ("src/a.py",)),
    ("delete_files", {"paths": ["a.txt", "b.txt", "a.txt", 7]}, "delete", ("a.txt", "b.txt")),
    ("remove_file", {"path": "a.txt"}, "delete", ("a.txt",)),
    ("rename_file", {"old_path": "a.txt", "new_path": "b.txt"}, "move", ("a.txt", "b.txt")),
    ("move_file_to_folder", {"path": "a.txt", "destination": "old"}, "move", ("a.txt", "old")),
    ("copy_file", {"src": "a.txt", "dst": "b.txt"}, "move", ("b.txt",)),
    ("copy_file", {"path": "a.txt", "destination": "b.txt"}, "move", ("b.txt",)),
    ("write_files", {"files": [{"path": "a.txt"}, {"path": "b.txt"}, "c.txt"]}, "whole", ("a.txt", "b.txt")),
    ("apply_edits", {"edits": [{"file_path": "a.txt"}, {"file_path": "b.txt"}, 7]}, "edit", ("a.txt", "b.txt")),
    ("insert_cell", {"notebook_path": "n.ipynb", "source": "open('a/b.txt')"}, "edit", ("n.ipynb",)),
]
OTHERS: list[tuple[str, object]] = [
    ("read_text_file", {"path": "a.txt"}),
    ("get_file_edits", {"path": "a.txt"}),
    ("list_created", {"path": "a.txt"}),
    ("find_and_write", {"path": "a.txt"}),
    ("edit_file", {"path": "a.txt", "edits": [], "dryRun": True}),
    ("edit_file", {"path": "a.txt", "edits": [], "dry_run": True}),
    ("create_directory", {"path": "src/new"}),
    ("deleteFolder", {"path": "src"}),
    ("create_or_update_file", {"owner": "o", "repo": "r", "path": "a.txt", "content": "x", "branch": "main"}),
    ("delete_file", {"owner": "o", "repo": "r", "path": "a.txt", "sha": "0"}),
    ("create_or_update_file", {"project_id": "7", "file_path": "a.txt", "branch": "main"}),
    ("copy_object", {"bucket": "b", "path": "a.txt"}),
    ("save_page", {"url": "https://example.org", "path": "a.html"}),
    ("write_file", {"host": "db1", "path": "/etc/hosts"}),
    ("create_entities", {"entities": [{"name": "a", "entityType": "b"}]}),
    ("create_issue", {"title": "a", "body": "b"}),
    ("create_branch", {"repo_path": "/repo", "branch_name": "b"}),
    ("write_memory", {"memory_file_name": "a", "content": "b"}),
    ("update_service", {"target": "production", "source": "a.txt"}),
    ("dispatch", {"path": "a.txt"}),
    ("write_file", {"path": "s3://bucket/a.txt"}),
    ("write_file", {"path": "two\nlines"}),
    ("write_file", {"path": ""}),
    ("write_file", {"path": ["a.txt"]}),
    ("write_file", {}),
    ("write_file", "a.txt"),
    ("write_file", None),
    ("", {"path": "a.txt"}),
]
# A server's tool as each client names it, and the same tool of a server with a longer name.
NAMED: dict[str, tuple[str, str]] = {
    "claude": ("mcp__files__{}", "mcp__my_files__{}"),
    "codex": ("mcp__files__{}", "mcp__my_files__{}"),
    "qwen": ("mcp__files__{}", "mcp__my_files__{}"),
    "gemini": ("mcp_files_{}", "mcp_my_files_{}"),
    "copilot": ("files-{}", "my-files-{}"),
    "opencode": ("files_{}", "my_files_{}"),
    "cursor": ("MCP:{}", "MCP:{}"),
    "cline": ("files__{}", "my-files__{}"),
}


@pytest.mark.parametrize(("name", "arguments", "manner", "paths"), CHANGES)
def test_a_tool_that_changes_files(name: str, arguments: Arguments, manner: str, paths: tuple[str, ...]) -> None:
    assert mcp.change(name, arguments) == (manner, paths)


@pytest.mark.parametrize(("name", "arguments"), OTHERS)
def test_a_tool_that_changes_no_file_here(name: str, arguments: object) -> None:
    assert mcp.change(name, arguments) == ("none", ())


@given(st.text(), st.dictionaries(st.sampled_from(["path", "paths", "files", "edits", "source", "mode"]), st.none()))
def test_whatever_a_tool_is_called_has_an_answer(name: str, arguments: Arguments) -> None:
    assert mcp.change(name, arguments) == ("none", ())


@given(st.text(st.sampled_from("aBc_-1 ."), max_size=12))
def test_a_word_counts_wherever_it_stands_between_others(text: str) -> None:
    assert mcp.change(f"{text}_write", ARGUMENTS) == mcp.change(f"write-{text}", ARGUMENTS) == ("whole", ("a.txt",))


def payload_of(tool: str, arguments: object) -> dict[str, object]:
    """What all clients together send before a call; each takes its own keys from it."""
    call = {"name": tool, "input": arguments}
    told = {"tool_name": tool, "toolName": tool, "tool": tool, "tool_call": call}
    return {**told, "tool_input": arguments, "toolArgs": arguments, "args": arguments}


@pytest.mark.parametrize("name", NAMED)
def test_each_client_knows_the_tools_of_servers_by_their_names(name: str) -> None:
    for form in NAMED[name]:
        for tool, manner in (("write_file", "whole"), ("editFile", "edit"), ("delete_file", "delete")):
            intent = client(name).read(payload_of(form.format(tool), ARGUMENTS), "pre")
            assert (intent.tool, intent.manner, intent.paths) == (form.format(tool), manner, ("a.txt",))


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_file", ARGUMENTS),
        ("create_directory", {"path": "src"}),
        ("create_or_update_file", {"owner": "o", "repo": "r", **ARGUMENTS}),
        ("create_entities", {"entities": []}),
        ("write_file", 7),
    ],
)
def test_each_client_leaves_other_tools_of_servers_alone(name: str, tool: str, arguments: object) -> None:
    called = NAMED[name][0].format(tool)
    intent = client(name).read(payload_of(called, arguments), "pre")
    assert (intent.tool, intent.manner, intent.paths) == (called, "none", ())


def test_gemini_is_told_where_the_name_of_the_server_ends() -> None:
    payload = payload_of("mcp_code_search_write_file", ARGUMENTS)
    gemini = client("gemini")
    assert gemini.read(payload, "BeforeTool").manner == "none"
    assert gemini.read({**payload, "mcp_context": {"tool_name": "write_file"}}, "BeforeTool").manner == "whole"


@pytest.mark.parametrize("name", sorted({*NAMED} - {"cline"}))
def test_the_pattern_of_each_client_fits_tools_that_may_write_and_no_others(name: str) -> None:
    matchers = {hook.matcher for hook in client(name).events() if hook.matcher}
    (pattern,) = matchers - {client(name).MATCHER}
    fits = re.fullmatch if name == "copilot" else re.search
    for form in NAMED[name]:
        assert [tool for tool, *_ in CHANGES if not fits(pattern, form.format(tool))] == []
        reads = ("read_file", "list_directory", "directory_tree", "search_files", "start_process")
        assert [tool for tool in reads if fits(pattern, form.format(tool))] == []
    own = {*client(name).MATCHER.split("|")} - {"apply_patch"}  # in opencode it could be the patch of a server "apply"
    assert [tool for tool in own if fits(pattern, tool)] == []


@pytest.mark.parametrize("name", sorted({*NAMED} - {"cline"}))
def test_every_hook_around_a_call_is_there_for_servers_too_with_the_same_limit(name: str) -> None:
    module = client(name)
    own = [(hook.event, hook.timeout) for hook in module.events() if hook.matcher == module.MATCHER]
    servers = [(hook.event, hook.timeout) for hook in module.events() if hook.matcher not in ("", module.MATCHER)]
    assert own == servers
