"""Answers, byte for byte, in the form in which each client hands the words to its model."""

from __future__ import annotations

import pytest

from jit.hooks.clients import client
from jit.hooks.intent import Reply

CLAUDE_DENY = (
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse",'
    '"permissionDecision":"deny","permissionDecisionReason":"a.txt is held"}}\n'
)


@pytest.mark.parametrize(
    ("name", "stdout"),
    [
        ("claude", CLAUDE_DENY),
        ("codex", CLAUDE_DENY),
        ("qwen", CLAUDE_DENY),
        ("gemini", '{"decision":"deny","reason":"a.txt is held"}\n'),
        ("copilot", '{"permissionDecision":"deny","permissionDecisionReason":"a.txt is held"}\n'),
        ("cursor", '{"permission":"deny","user_message":"a.txt is held","agent_message":"a.txt is held"}\n'),
        ("opencode", '{"deny":"a.txt is held"}\n'),
        ("cline", '{"cancel":true,"errorMessage":"a.txt is held"}\n'),
    ],
)
def test_a_denial(name: str, stdout: str) -> None:
    module = client(name)
    assert module.deny(module.read({}, "pre"), "a.txt is held") == Reply(stdout, "", 0)


@pytest.mark.parametrize(
    ("name", "event", "stdout"),
    [
        ("cursor", "pre", '{"permission":"allow"}\n'),
        ("cursor", "post", "{}\n"),
        ("claude", "pre", ""),
        ("codex", "pre", ""),
        ("copilot", "pre", ""),
        ("gemini", "pre", ""),
        ("qwen", "pre", ""),
        ("opencode", "pre", ""),
        ("cline", "pre", ""),
    ],
)
def test_a_permission(name: str, event: str, stdout: str) -> None:
    module = client(name)
    assert module.allow(module.read({}, event)) == Reply(stdout, "", 0)


def context(event: str) -> str:
    return f'{{"hookSpecificOutput":{{"hookEventName":"{event}","additionalContext":"y.txt changed"}}}}\n'


@pytest.mark.parametrize(
    ("name", "event", "stdout"),
    [
        ("claude", "post", context("PostToolUse")),
        ("claude", "failed", context("PostToolUseFailure")),
        ("claude", "pre", context("PreToolUse")),
        ("claude", "start", context("SessionStart")),
        ("claude", "prompt", context("UserPromptSubmit")),
        ("codex", "post", context("PostToolUse")),
        ("codex", "start", context("SessionStart")),
        ("qwen", "post", context("PostToolUse")),
        ("gemini", "post", context("AfterTool")),
        ("gemini", "failed", context("AfterTool")),
        ("gemini", "start", context("SessionStart")),
        ("copilot", "post", '{"additionalContext":"y.txt changed"}\n'),
        ("cursor", "post", '{"additional_context":"y.txt changed"}\n'),
        ("cursor", "pre", '{"permission":"allow","additional_context":"y.txt changed"}\n'),
        ("opencode", "post", '{"remark":"y.txt changed"}\n'),
        ("cline", "post", '{"cancel":false,"contextModification":"y.txt changed"}\n'),
    ],
)
def test_a_remark_for_the_model(name: str, event: str, stdout: str) -> None:
    module = client(name)
    assert module.remark(module.read({}, event), "y.txt changed") == Reply(stdout, "", 0)


@pytest.mark.parametrize("name", ["claude", "codex", "copilot", "gemini", "qwen"])
@pytest.mark.parametrize("event", ["stop", "subagent-stop", "end"])
def test_a_remark_that_would_make_the_turn_go_on_is_for_people(name: str, event: str) -> None:
    module = client(name)
    assert module.remark(module.read({}, event), "y.txt changed") == Reply("", "y.txt changed\n", 0)
