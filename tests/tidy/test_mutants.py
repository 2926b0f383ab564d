"""The deliberate bugs of tests/mutants can still be applied; whether the tests notice them is `make mutants`."""

from __future__ import annotations

import pytest

from tests.mutants.run import Mutant, load
from tests.tidy.measure import ROOT

pytestmark = pytest.mark.tidy


@pytest.mark.parametrize("mutant", load(), ids=lambda mutant: mutant.name)
def test_a_mutant_stands_in_the_source_and_names_tests_that_exist(mutant: Mutant) -> None:
    assert (ROOT / mutant.file).read_text("utf-8").count(mutant.old) >= 1
    assert mutant.new != mutant.old
    assert [path for path in mutant.tests if not (ROOT / path.partition("::")[0]).exists()] == []
