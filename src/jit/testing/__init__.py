"""Tools for testing what is built on jit: a world to command, a store that fails, a spec, an oracle and a simulator."""

from __future__ import annotations

from jit.testing.fakes import DAY_MS, START_MS, FakeClock, FakeWorld, FaultyStore
from jit.testing.oracle import Oracle
from jit.testing.simulator import Simulator
from jit.testing.spec import Spec

__all__ = ["DAY_MS", "START_MS", "FakeClock", "FakeWorld", "FaultyStore", "Oracle", "Simulator", "Spec"]
