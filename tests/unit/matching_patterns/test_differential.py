"""The short form of `scripts/differential_matching.py`."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from distributary.algebra.treepattern import TreePattern
from distributary.matching.patterns import PatternMatcher

SCRIPT = Path(__file__).parents[3] / "scripts" / "differential_matching.py"


@pytest.fixture
def script() -> ModuleType:
    specification = importlib.util.spec_from_file_location("differential_matching", SCRIPT)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    # Its dataclasses look themselves up.
    import sys

    sys.modules["differential_matching"] = module
    specification.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_random_changes_and_matches_agree_with_the_reference_and_lxml(script: ModuleType) -> None:
    assert script.run(7, 3.0) > 0


@pytest.mark.slow
def test_a_matcher_that_forgets_a_pattern_is_found_out(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    add = PatternMatcher.add

    def forgetful(self: PatternMatcher[int], key: int, pattern: TreePattern) -> None:
        add(self, key, pattern if key % 40 else TreePattern(pattern.nodes[:1]))

    monkeypatch.setattr(PatternMatcher, "add", forgetful)
    with pytest.raises(script.Difference, match="seed 7, round"):
        script.run(7, 3.0)
