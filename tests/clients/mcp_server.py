"""A tiny MCP server with file tools, for real clients: JSON-RPC on standard input and output, a message on each line.

It writes whatever it is asked to, relative to where it was started, and knows nothing of jit.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

Table = dict[str, Any]
TEXT = {"type": "string"}


def _tool(name: str, **properties: Table) -> Table:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "description": f"{name} of a file on this machine", "inputSchema": schema}


_EDIT = {"type": "object", "properties": {"oldText": TEXT, "newText": TEXT}, "required": ["oldText", "newText"]}
TOOLS = [
    _tool("write_file", path=TEXT, content=TEXT),
    _tool("edit_file", path=TEXT, edits={"type": "array", "items": _EDIT}),
    _tool("read_file", path=TEXT),
]


def call(name: str, given: Table) -> str:
    """Do what a tool is asked for; its words."""
    path = Path(given["path"])
    if name == "write_file":
        path.write_text(given["content"])
        return f"wrote {path}"
    if name == "read_file":
        return path.read_text()
    text = path.read_text()
    for edit in given["edits"]:
        if edit["oldText"] not in text:
            raise ValueError(f"not in {path}: {edit['oldText']}")
        text = text.replace(edit["oldText"], edit["newText"], 1)
    path.write_text(text)
    return f"edited {path}"


def answer(method: str, given: Table) -> Table | None:
    """The result of a request; nothing if it is not known here."""
    if method == "initialize":
        about = {"name": "files", "version": "1"}
        return {"protocolVersion": given["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method != "tools/call":
        return {} if method == "ping" else None
    try:
        words, failed = call(given["name"], given.get("arguments") or {}), False
    except (OSError, KeyError, ValueError) as fault:
        words, failed = str(fault), True
    return {"content": [{"type": "text", "text": words}], "isError": failed}


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked or "method" not in asked:
            continue  # a notification
        result = answer(asked["method"], asked.get("params") or {})
        said = {"result": result} if result is not None else {"error": {"code": -32601, "message": "no such method"}}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **said}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
