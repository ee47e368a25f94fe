"""The compiled generator draws what `core.generator.Generator` draws."""

from __future__ import annotations

import numpy as np
import pytest

from distributary.core.generator import Generator
from distributary.merging.compiled.chance import below, fork_states, normal, random, uniform
from distributary.merging.compiled.descent import random_starts
from distributary.merging.directed import starts_of


def test_draws_are_those_of_the_generator() -> None:
    plain = Generator("chance", 1)
    state = np.array([plain.state], dtype=np.int64)
    for limit in (1, 2, 7, 10**6):
        assert random(state) == plain.random()
        assert below(state, limit) == plain.below(limit)
        assert uniform(state, -2.0, 3.5) == plain.uniform(-2.0, 3.5)
        assert normal(state, 1.0, 100.0) == pytest.approx(plain.normal(1.0, 100.0), rel=1e-12)
    assert state[0] == plain.state


@pytest.mark.parametrize("numbers", [range(2, 13), range(0, 1), range(95, 1102), range(7, 7)])
def test_forked_states_are_those_of_forks(numbers: range) -> None:
    parent = Generator(5, "part", -17).fork("more")
    assert fork_states(parent, "start", numbers).tolist() == [parent.fork("start", each).state for each in numbers]


def test_starts_are_apart_together_and_random_whatever_the_order_of_the_queries() -> None:
    ranks, generator = np.array([2, 0, 3, 1]), Generator(4)
    starts = starts_of(ranks, 5, generator)
    assert starts[:2].tolist() == [[0, 1, 2, 3], [0, 0, 0, 0]]
    for number in range(2, 5):
        draws = generator.fork("start", number)
        blocks = 1 + draws.below(4)
        drawn = [draws.below(blocks) for _ in range(4)]
        assert starts[number].tolist() == [drawn[rank] for rank in ranks]
    assert starts_of(ranks, 1, generator).tolist() == [[0, 1, 2, 3]]
    assert random_starts(ranks, np.empty(0, dtype=np.int64)).shape == (0, 4)
