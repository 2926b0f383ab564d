from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.install.ground import Person, make_recorder
from tests.world.ground import make_repository

if TYPE_CHECKING:
    from pathlib import Path

    from jit.install.command import Program


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody whose home and whose folder have spaces and letters beyond ASCII in their names."""
    home, folder = tmp_path / "Zoë's home", tmp_path / "no repository"
    home.mkdir()
    folder.mkdir()
    return Person(home, folder)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "mein répo")


@pytest.fixture
def recorder(tmp_path: Path) -> Program:
    return make_recorder(tmp_path / "it's here")
