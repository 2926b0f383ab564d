from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.git.ground import Agent, claude, copy_template, install_hooks, make_template

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_template(tmp_path_factory.mktemp("template") / "repo")


@pytest.fixture
def unhooked(template: Path, tmp_path: Path) -> Path:
    """A repository with jit, and without hooks."""
    return copy_template(template, tmp_path / "repo")


@pytest.fixture
def repo(unhooked: Path) -> Path:
    """A repository with jit and its hooks."""
    install_hooks(unhooked)
    return unhooked


@pytest.fixture
def ann(repo: Path) -> Agent:
    return claude(repo, "ann")


@pytest.fixture
def bob(repo: Path) -> Agent:
    return claude(repo, "bob")


@pytest.fixture
def zoe(repo: Path) -> Agent:
    """A person without any session."""
    return Agent(repo)
