from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.surface.jitcli import Jit, make_site

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def jit(tmp_path: Path) -> Jit:
    """A repository that is set up, and an agent in it."""
    return make_site(tmp_path / "repo")
