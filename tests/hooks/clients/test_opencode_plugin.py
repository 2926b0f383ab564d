"""The plugin inside opencode asks jit's hook and throws its denial; without a usable answer it lets the call pass.

A scripted host plays opencode under node; the hook is a real process that writes down what it was asked.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import pytest

from jit.hooks.clients import client
from jit.hooks.intent import Intent

NODE = shutil.which("node")
SOURCE = files("jit.hooks").joinpath("plugins/opencode.js").read_text("utf-8")
COMMAND = re.compile(r"^const COMMAND = .*$", re.MULTILINE)

HOST = """
import { JitFileGate } from "./plugin.mjs"
const logged = [], thrown = []
const client = {
  app: { log: async ({ body }) => logged.push(body.message) },
  session: { get: async ({ path }) => ({ data: { id: path.id, parentID: { ses_old_child: "ses_old" }[path.id] } }) },
}
const hooks = await JitFileGate({ client, directory: process.cwd() })
const output = { output: "Wrote file successfully." }
async function before(tool, args, callID = "c1", sessionID = "ses_a") {
  try { await hooks["tool.execute.before"]({ tool, sessionID, callID }, { args }) } catch (e) { thrown.push(e.message) }
}
async function after(tool, args, callID = "c1", sessionID = "ses_a") {
  await hooks["tool.execute.after"]({ tool, sessionID, callID, args }, output)
}
const event = (type, properties) => hooks.event({ event: { type, properties } })
%s
console.log(JSON.stringify({ logged, thrown, output: output.output }))
"""

HOOK = """
import json, pathlib, sys
asked = sys.stdin.read()
with open("asked.jsonl", "a") as log: log.write(asked + "\\n")
rules = json.loads(pathlib.Path("rules.json").read_text())
sys.stdout.write(rules.get(json.loads(asked)["event"], ""))
sys.exit(rules.get("exit", 0))
"""


@dataclass(frozen=True, slots=True)
class Told:
    logged: list[str]
    thrown: list[str]
    output: str
    asked: list[dict[str, object]]

    def intents(self) -> list[Intent]:
        return [client("opencode").read(payload, "") for payload in self.asked]


@dataclass(frozen=True, slots=True)
class Host:
    folder: Path

    def play(self, script: str, *, command: list[str] | None = None, rules: dict[str, object] | None = None) -> Told:
        """Run a script of the host; `rules` says what the hook answers to which event."""
        (self.folder / "hook.py").write_text(HOOK)
        (self.folder / "rules.json").write_text(json.dumps(rules or {}))
        line = f"const COMMAND = {json.dumps(command or [sys.executable, 'hook.py'])}"
        (self.folder / "plugin.mjs").write_text(COMMAND.sub(lambda _: line, SOURCE), "utf-8")
        (self.folder / "host.mjs").write_text(HOST % script)
        run = [NODE or "node", "host.mjs"]
        done = subprocess.run(run, cwd=self.folder, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        log = self.folder / "asked.jsonl"
        asked = [json.loads(entry) for entry in log.read_text("utf-8").splitlines()] if log.exists() else []
        return Told(**json.loads(done.stdout), asked=asked)


@pytest.fixture
def host(tmp_path: Path) -> Host:
    if NODE is None:
        pytest.skip("node is not installed")
    return Host(tmp_path)


def test_a_denied_write_throws_exactly_the_reason(host: Host) -> None:
    told = host.play(
        'await before("write", { filePath: "x.txt" })', rules={"tool.execute.before": '{"deny":"x.txt is held"}\n'}
    )
    assert told.thrown == ["x.txt is held"]
    assert told.logged == []


def test_what_the_hook_hears_is_the_intent_of_the_call(host: Host) -> None:
    told = host.play('await before("write", { filePath: "x.txt" }); await after("write", { filePath: "x.txt" })')
    told_of = [
        (intent.event, intent.session, intent.subagent, intent.paths, intent.call_id) for intent in told.intents()
    ]
    assert told_of == [("pre", "ses_a", "", ("x.txt",), "c1"), ("post", "ses_a", "", ("x.txt",), "c1")]
    assert {intent.cwd for intent in told.intents()} == {str(host.folder)}
    assert told.thrown == []
    assert told.output == "Wrote file successfully."


def test_reads_are_not_asked_about(host: Host) -> None:
    assert host.play('await before("read", { filePath: "x.txt" }); await after("grep", {})').asked == []


def test_a_remark_is_appended_to_what_the_model_reads(host: Host) -> None:
    told = host.play(
        'await before("bash", { command: "make" }); await after("bash", { command: "make" })',
        rules={"tool.execute.after": '{"remark":"y.txt changed too"}\n'},
    )
    assert told.output == "Wrote file successfully.\n\ny.txt changed too"


def test_tools_of_mcp_servers_are_asked_about_if_they_may_write(host: Host) -> None:
    script = """
    await before("files_write_file", { path: "x.txt" })
    await before("files_read_file", { path: "x.txt" })
    await before("todowrite", { todos: [] })
    await after("files_write_file", { path: "x.txt" })
    """
    intents = host.play(script).intents()
    assert [(intent.event, intent.tool, intent.manner, intent.paths) for intent in intents] == [
        ("pre", "files_write_file", "whole", ("x.txt",)),
        ("post", "files_write_file", "whole", ("x.txt",)),
    ]


def test_a_denied_write_of_an_mcp_server_throws_exactly_the_reason(host: Host) -> None:
    script = 'await before("files_edit_file", { path: "x.txt" })'
    assert host.play(script, rules={"tool.execute.before": '{"deny":"x.txt is held"}'}).thrown == ["x.txt is held"]


def test_a_remark_becomes_a_part_of_what_an_mcp_server_said(host: Host) -> None:
    script = """
    output.content = [{ type: "text", text: "wrote x.txt" }]
    await before("files_write_file", { path: "x.txt" }); await after("files_write_file", { path: "x.txt" })
    output.output = JSON.stringify(output.content)
    """
    told = host.play(script, rules={"tool.execute.after": '{"remark":"y.txt changed too"}'})
    assert [part["text"] for part in json.loads(told.output)] == ["wrote x.txt", "y.txt changed too"]


def test_a_subagent_acts_under_the_session_it_descends_from(host: Host) -> None:
    script = """
    await event("session.created", { sessionID: "ses_a", info: { id: "ses_a" } })
    await event("session.created", { sessionID: "ses_b", info: { id: "ses_b", parentID: "ses_a" } })
    await event("session.created", { sessionID: "ses_c", info: { id: "ses_c", parentID: "ses_b" } })
    await before("write", { filePath: "x.txt" }, "c1", "ses_c")
    await event("session.idle", { sessionID: "ses_c" })
    await event("session.idle", { sessionID: "ses_a" })
    """
    heard = [(intent.event, intent.session, intent.subagent) for intent in host.play(script).intents()]
    assert heard == [
        ("start", "ses_a", ""),
        ("other", "ses_a", "ses_b"),
        ("other", "ses_a", "ses_c"),
        ("pre", "ses_a", "ses_c"),
        ("subagent-stop", "ses_a", "ses_c"),
        ("stop", "ses_a", ""),
    ]


def test_a_session_older_than_the_plugin_is_looked_up(host: Host) -> None:
    intents = host.play('await before("edit", { filePath: "x" }, "c1", "ses_old_child")').intents()
    assert [(intent.session, intent.subagent) for intent in intents] == [("ses_old", "ses_old_child")]


def test_a_tool_that_fails_is_told_once_and_a_denied_one_never(host: Host) -> None:
    script = """
    const part = (callID) => ({ part: { type: "tool", callID, state: { status: "error" } } })
    await before("edit", { filePath: "x" }, "c1")
    await event("message.part.updated", part("c1"))
    await event("message.part.updated", part("c1"))
    await event("message.part.updated", part("c2"))
    """
    intents = host.play(script).intents()
    assert [(intent.event, intent.call_id, intent.paths) for intent in intents] == [
        ("pre", "c1", ("x",)),
        ("failed", "c1", ("x",)),
    ]


def test_a_clean_exit_ends_every_session_that_acted(host: Host) -> None:
    script = """
    await before("edit", { filePath: "x" }, "c1", "ses_a")
    await before("edit", { filePath: "y" }, "c2", "ses_b")
    await hooks.dispose()
    """
    intents = host.play(script).intents()
    assert {intent.session for intent in intents if intent.event == "end"} == {"ses_a", "ses_b"}


def test_without_jit_every_call_passes_and_one_line_says_so(host: Host) -> None:
    script = 'await before("write", { filePath: "x" }); await before("write", { filePath: "y" }, "c2")'
    told = host.play(script, command=["no-such-program-anywhere"])
    assert told.thrown == []
    assert len(told.logged) == 1
    assert "no-such-program-anywhere" in told.logged[0]


@pytest.mark.parametrize(("rule", "answer"), [("tool.execute.before", "not json"), ("exit", 1)])
def test_an_answer_that_cannot_be_understood_lets_the_call_pass(host: Host, rule: str, answer: object) -> None:
    told = host.play('await before("write", { filePath: "x" })', rules={rule: answer})
    assert told.thrown == []
    assert len(told.logged) == 1


def test_parallel_calls_are_asked_about_at_the_same_time_and_answered_each(host: Host) -> None:
    script = 'await Promise.all([1, 2, 3, 4].map((n) => before("write", { filePath: `f${n}` }, `c${n}`)))'
    told = host.play(script, rules={"tool.execute.before": '{"deny":"no"}'})
    assert told.thrown == ["no"] * 4
    assert {intent.paths for intent in told.intents()} == {("f1",), ("f2",), ("f3",), ("f4",)}


def test_the_plugin_gates_the_tools_that_the_reader_knows() -> None:
    listed = re.search(r"^const TOOLS = new Set\((\[.*\])\)$", SOURCE, re.MULTILINE)
    assert listed is not None
    assert json.loads(listed[1]) == client("opencode").MATCHER.split("|")
    pattern = re.search(r"^const MCP = /(.*)/$", SOURCE, re.MULTILINE)
    assert pattern is not None
    assert {hook.matcher for hook in client("opencode").events()} == {"", client("opencode").MATCHER, pattern[1]}


def test_setup_finds_one_line_for_the_command_and_opencode_one_export() -> None:
    assert len(COMMAND.findall(SOURCE)) == 1
    assert len(re.findall(r"^export ", SOURCE, re.MULTILINE)) == 1
