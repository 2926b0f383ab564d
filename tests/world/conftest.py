from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jit.world.config_layers import ConfigPaths, locate
from tests.world.ground import make_repository

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo")


@pytest.fixture
def paths(tmp_path: Path) -> ConfigPaths:
    """Places for settings of every strength, all below one temporary directory."""
    for name in ("work/.jit", "home/.config/jit", "etc", "control"):
        (tmp_path / name).mkdir(parents=True)
    return locate(
        str(tmp_path / "work"),
        str(tmp_path / "control"),
        {},
        home=str(tmp_path / "home"),
        system=str(tmp_path / "etc/config.toml"),
    )
