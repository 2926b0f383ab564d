"""What was observed on real clients and would be got wrong by reading their documentation alone."""

from __future__ import annotations

import json

import pytest

from jit.hooks.clients import NAMES, client
from jit.hooks.intent import Intent
from tests.hooks.clients.recorded import sample, samples


def owner_and_target(intent: Intent) -> tuple[object, ...]:
    return intent.session, intent.subagent, intent.cwd, intent.paths, intent.manner, intent.event, intent.call_id


def test_copilot_firing_its_own_and_claudes_hook_gives_the_same_owner_call_and_file_twice() -> None:
    camel = sample("copilot", "a new file").payload
    pascal = sample("copilot", "the form of an event in Pascal case").payload
    own = client("copilot").read(camel, "preToolUse")
    claudes = client("claude").read(pascal, "PreToolUse")
    assert owner_and_target(own) == owner_and_target(claudes)
    assert owner_and_target(own) == owner_and_target(client("copilot").read(pascal, ""))


def test_copilots_subagent_is_the_same_owner_in_its_calls_and_in_its_end_in_both_forms() -> None:
    call = sample("copilot", "a call of a subagent carries its own session and its parent").payload
    end = sample("copilot", "the end of a subagent carries its parent's session").payload
    pascal: dict[str, object] = {
        "hook_event_name": "PreToolUse",
        "session_id": call["sessionId"],
        "agent_id": call["agentId"],
        "parent_agent_id": call["parentAgentId"],
        "tool_name": "Write",
        "tool_input": call["toolArgs"],
    }
    copilot = client("copilot")
    heard = [
        copilot.read(call, "preToolUse"),
        copilot.read(end, "subagentStop"),
        copilot.read(pascal, ""),
        client("claude").read(pascal, ""),
    ]
    assert {(intent.session, intent.subagent) for intent in heard} == {(end["sessionId"], call["agentId"])}


def test_the_same_claude_call_heard_twice_is_the_same_intent() -> None:
    payload = sample("claude", "a Write replaces the whole file").payload
    claude = client("claude")
    assert claude.read(payload, "") == claude.read(json.loads(json.dumps(payload)), "PreToolUse")


def test_main_agent_and_subagents_of_one_session_are_different_owners() -> None:
    heard = [client("claude").read(one.payload, one.hint) for one in samples("claude")]
    owners = {(intent.session, intent.subagent) for intent in heard}
    assert len({session for session, _ in owners}) == 1
    assert {subagent for _, subagent in owners} == {"", "a1", "ad3263c0245e45ebc", "ab9c3656df4353f39"}


def test_clines_main_agent_has_an_id_but_is_no_subagent() -> None:
    payload = sample("cline", "an editor that is given a whole text").payload
    assert payload["agent_id"]
    assert client("cline").read(payload, "").subagent == ""


@pytest.mark.parametrize("name", NAMES)
def test_a_denial_without_a_reason_still_denies_with_words(name: str) -> None:
    module = client(name)
    intent = module.read({}, "pre")
    assert module.deny(intent, " \n") == module.deny(intent, "")
    assert "jit denies this call" in module.deny(intent, "").stdout


@pytest.mark.parametrize("name", NAMES)
def test_no_answer_uses_an_exit_code_because_each_client_gives_it_another_meaning(name: str) -> None:
    module = client(name)
    for event in ("pre", "post", "failed", "stop", "end"):
        intent = module.read({}, event)
        codes = [
            reply.exit_code for reply in (module.deny(intent, "R"), module.allow(intent), module.remark(intent, "T"))
        ]
        assert codes == [0, 0, 0]


@pytest.mark.parametrize("name", ["claude", "codex", "qwen"])
def test_the_deny_object_stands_alone_because_more_would_make_codex_discard_it(name: str) -> None:
    module = client(name)
    reply = module.deny(module.read({}, "pre"), "held")
    said = json.loads(reply.stdout)
    assert list(said) == ["hookSpecificOutput"]
    assert set(said["hookSpecificOutput"]) == {"hookEventName", "permissionDecision", "permissionDecisionReason"}
    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert reply.stderr == ""


@pytest.mark.parametrize("event", ["pre", "stop", "subagent-stop", "end"])
def test_codex_hears_no_context_where_that_would_void_the_answer_or_continue_the_turn(event: str) -> None:
    codex = client("codex")
    reply = codex.remark(codex.read({}, event), "T")
    assert (reply.stdout, reply.stderr) == ("", "T\n")


def test_copilot_reads_the_reason_from_json_only() -> None:
    copilot = client("copilot")
    reply = copilot.deny(copilot.read({}, "preToolUse"), "held by agent:b")
    assert json.loads(reply.stdout)["permissionDecisionReason"] == "held by agent:b"
    assert reply.stderr == ""


@pytest.mark.parametrize("event", ["pre", "post", "failed", "stop", "subagent-stop", "start", "end", "prompt", "other"])
def test_cursor_always_hears_json(event: str) -> None:
    cursor = client("cursor")
    intent = cursor.read({}, event)
    for reply in (cursor.allow(intent), cursor.remark(intent, "T"), cursor.deny(intent, "R")):
        assert isinstance(json.loads(reply.stdout), dict)


@pytest.mark.parametrize("name", sorted({*NAMES} - {"cursor"}))
def test_an_allowed_call_hears_nothing(name: str) -> None:
    module = client(name)
    reply = module.allow(module.read({}, "pre"))
    assert (reply.stdout, reply.stderr, reply.exit_code) == ("", "", 0)


@pytest.mark.parametrize("name", NAMES)
def test_a_reason_with_quotes_lines_and_letters_of_any_script_arrives_whole(name: str) -> None:
    module = client(name)
    reason = 'held by "agent:b"\nsince 12:00, näher: \\ \u2028 日本'
    assert reason in leaves(json.loads(module.deny(module.read({}, "pre"), reason).stdout))


def leaves(value: object) -> list[object]:
    return [leaf for inner in value.values() for leaf in leaves(inner)] if isinstance(value, dict) else [value]


def test_a_background_command_is_marked_by_every_client_that_has_them() -> None:
    marked = {one.client for one in samples() if client(one.client).read(one.payload, one.hint).background}
    assert marked == {"claude", "copilot", "gemini", "qwen"}


@pytest.mark.parametrize("name", sorted({*NAMES} - {"cursor", "cline"}))
def test_a_tool_that_nobody_knows_is_never_gated(name: str) -> None:
    payload: dict[str, object] = {"tool_name": "teleport", "toolName": "teleport", "tool": "teleport", "tool_input": 3}
    intent = client(name).read(payload, "pre")
    assert (intent.tool, intent.manner, intent.paths) == ("teleport", "none", ())
