"""What holds for every test: a clean environment, a tier, and Hypothesis without a stopwatch."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parent
TIERS = frozenset(
    {"unit", "exhaustive", "model", "contract", "simulation", "crash", "git", "surface", "tidy", "clients"}
)
# Variables by which jit, git and agent clients would let the developer's own work leak into a test.
FOREIGN = ("JIT_", "GIT_", "CLAUDE", "CODEX", "GEMINI", "QWEN", "OPENCODE", "COPILOT", "CURSOR", "XDG_", "NO_COLOR")

settings.register_profile("jit", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("jit")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test without a tier gets the one its folder names, or else `unit`."""
    for item in items:
        if not any(mark.name in TIERS for mark in item.iter_markers()):
            item.add_marker(_tier(item.path))


def _tier(path: Path) -> str:
    folder = path.relative_to(TESTS).parts[0] if path.is_relative_to(TESTS) else ""
    return folder if folder in TIERS else "unit"


@pytest.fixture(scope="session", autouse=True)
def clean_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home of its own, git with a name and no other configuration, and this interpreter first on PATH."""
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Test\n\temail = test@example.invalid\n"
        "[init]\n\tdefaultBranch = main\n"
        "[commit]\n\tgpgSign = false\n"
        "[advice]\n\tdetachedHead = false\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(FOREIGN)]:
            patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("LC_ALL", "C.UTF-8")
        patch.setenv("TZ", "UTC")
        patch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
        yield home
