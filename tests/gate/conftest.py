from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.gate.agent import Agent
from tests.surface.jitcli import make_site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A repository that is set up."""
    return make_site(tmp_path / "repo").cwd


@pytest.fixture
def agent(site: Path) -> Iterator[Callable[..., Agent]]:
    """Starts agents, in the repository unless told otherwise, that answer a contended write at once."""
    started: list[Agent] = []

    def start(session: str, cwd: Path = site, *, before: str = "", **env: str) -> Agent:
        settings = {"JIT_FILES_ON_CONTENTION": "deny", **env}
        started.append(Agent(cwd, session, env=settings, before=before))
        return started[-1]

    yield start
    for one in started:
        one.kill()
