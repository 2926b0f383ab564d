"""Payloads as clients send them, each with the intent that it means; paths are shortened."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jit.hooks.clients import NAMES
from jit.hooks.intent import Intent

PAYLOADS = Path(__file__).parents[1] / "payloads"


@dataclass(frozen=True, slots=True)
class Sample:
    client: str
    title: str
    hint: str
    payload: dict[str, object]
    intent: Intent

    def __str__(self) -> str:
        return f"{self.client}: {self.title}"


def samples(*names: str) -> list[Sample]:
    return [
        _sample(name, entry)
        for name in names or NAMES
        for entry in json.loads((PAYLOADS / f"{name}.json").read_text("utf-8"))
    ]


def sample(client: str, title: str) -> Sample:
    return next(one for one in samples(client) if one.title == title)


def _sample(name: str, entry: dict[str, Any]) -> Sample:
    expected = entry["intent"]
    lists = {key: tuple(expected.get(key, ())) for key in ("paths", "replaced")}
    intent = Intent(**(expected | lists))
    return Sample(name, entry["title"], entry["hint"], entry["payload"], intent)
