from __future__ import annotations

import math
import os
import subprocess
import sys

import pytest

from distributary.core.generator import Generator, draw, seed_state, step

# The numbers that every run, machine and Python must give: a change of them changes every simulation and study.
BITS_OF_SEED_7 = [3874950962, 1350131734, 484471278, 1248755035]
STATE_AFTER_FOUR = 3816514873195046542
STATES = {
    (): 6328020288208866485,
    (0,): 3899091057198440151,
    ("0",): 7158321449843891289,
    (1, 2): 1324885450370163601,
    (12,): 2486212210533256718,
    ("é",): 4048956239859745441,
}
MULTIPLIER = 1791398085
STATE_MAX = MULTIPLIER * 2**32 - 2


def is_prime(number: int) -> bool:
    """Miller and Rabin's test; with these bases it is exact below 3.3e24."""
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41):
        power = pow(base, odd, number)
        squares = [power := power * power % number for _ in range(twos - 1)]
        if pow(base, odd, number) != 1 and number - 1 not in [pow(base, odd, number), *squares]:
            return False
    return True


def test_bits_of_a_seed_are_the_pinned_ones() -> None:
    generator = Generator(7)
    assert [generator.bits() for _ in range(4)] == BITS_OF_SEED_7
    assert generator.state == STATE_AFTER_FOUR


@pytest.mark.parametrize(("seed", "state"), list(STATES.items()))
def test_seed_state_is_the_pinned_one(seed: tuple[int | str, ...], state: int) -> None:
    assert seed_state(*seed) == state


def test_seed_state_of_any_part_is_neither_zero_nor_a_fixed_point() -> None:
    for seed in range(2000):
        state = seed_state(seed)
        assert 1 <= state <= STATE_MAX
        assert step(state) != state


def test_multiplier_makes_the_longest_period() -> None:
    assert is_prime(MULTIPLIER * 2**32 - 1)
    assert is_prime(MULTIPLIER * 2**31 - 1)


@pytest.mark.parametrize("state", [1, 2**32 - 1, 2**32, STATE_MAX, 2**63 - 1])
def test_step_of_a_state_stays_a_signed_64_bit_integer(state: int) -> None:
    assert 0 < step(state) < 2**63
    assert 0 <= draw(state) < 2**32


def test_fork_does_not_depend_on_earlier_draws() -> None:
    fresh, used = Generator(7), Generator(7)
    used.integers(100, 10)
    assert fresh.fork("network", 3).state == used.fork("network", 3).state


def test_forks_by_different_labels_are_independent() -> None:
    root = Generator(7)
    first, second = root.fork("a"), root.fork("b")
    pairs = [(first.random() - 0.5, second.random() - 0.5) for _ in range(20_000)]
    correlation = 12 * sum(x * y for x, y in pairs) / len(pairs)
    assert abs(correlation) < 5 / math.sqrt(len(pairs))
    assert len({root.fork(label).state for label in range(1000)} | {first.state, second.state}) == 1002


def test_labels_that_print_alike_give_other_states() -> None:
    labels: list[tuple[int | str, ...]] = [(1, 23), (12, 3), (123,), ("123",), ("1", 23), ("1;23",)]
    assert len({seed_state(*parts) for parts in labels}) == 6


def test_random_of_many_draws_is_uniform() -> None:
    generator, count = Generator("uniform"), 40_000
    tenths = [0] * 10
    for _ in range(count):
        number = generator.random()
        assert 0.0 <= number < 1.0
        tenths[int(number * 10)] += 1
    # Chi square with 9 degrees of freedom: 33.7 has a chance of one in 10,000.
    assert sum((seen - count / 10) ** 2 / (count / 10) for seen in tenths) < 33.7


def test_bits_of_many_draws_are_set_half_of_the_time() -> None:
    generator, count = Generator("bits"), 10_000
    set_bits = [0] * 32
    for _ in range(count):
        bits = generator.bits()
        for place in range(32):
            set_bits[place] += bits >> place & 1
    assert all(abs(seen - count / 2) < 5 * math.sqrt(count / 4) for seen in set_bits)


def test_normal_of_many_draws_has_its_moments() -> None:
    generator, count = Generator("normal"), 20_000
    draws = [generator.normal(10.0, 2.0) for _ in range(count)]
    mean = sum(draws) / count
    variance = sum((number - mean) ** 2 for number in draws) / count
    assert abs(mean - 10.0) < 5 * 2.0 / math.sqrt(count)
    assert abs(variance - 4.0) < 5 * 4.0 * math.sqrt(2 / count)


def test_below_covers_its_range_and_no_more() -> None:
    assert set(Generator(1).integers(500, 7)) == set(range(7))
    assert Generator(1).integers(3, 1) == [0, 0, 0]
    assert all(0 <= number < 2**62 + 1 for number in Generator(1).integers(500, 2**62 + 1))


@pytest.mark.parametrize("limit", [0, -1])
def test_below_an_empty_range_is_refused(limit: int) -> None:
    with pytest.raises(ValueError, match=f"no integer below {limit}"):
        Generator(1).below(limit)


def test_uniform_stays_in_its_range() -> None:
    generator = Generator(3)
    assert all(-2.0 <= generator.uniform(-2.0, 5.0) < 5.0 for _ in range(500))


def test_shuffle_gives_every_order_equally_often() -> None:
    generator, seen = Generator("orders"), dict.fromkeys(["abc", "acb", "bac", "bca", "cab", "cba"], 0)
    for _ in range(6000):
        letters = list("abc")
        generator.shuffle(letters)
        seen["".join(letters)] += 1
    # Chi square with 5 degrees of freedom: 25.7 has a chance of one in 10,000.
    assert sum((count - 1000) ** 2 / 1000 for count in seen.values()) < 25.7


def test_sample_takes_different_items_and_leaves_its_input() -> None:
    items = list(range(20))
    sample = Generator(5).sample(items, 12)
    assert len(set(sample)) == 12
    assert set(sample) <= set(items)
    assert items == list(range(20))
    assert sorted(Generator(5).sample(items, 20)) == items
    assert Generator(5).choice(["only"]) == "only"


def test_sample_of_more_than_there_are_is_refused() -> None:
    with pytest.raises(ValueError, match="3 of 2 items"):
        Generator(5).sample([1, 2], 3)


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_draws_do_not_depend_on_the_hash_seed_of_the_process(hash_seed: str) -> None:
    # The package's folder stands in for an installation: importing nothing else keeps the process quick.
    program = (
        "from distributary.core.generator import Generator;"
        "g = Generator('storm', 7).fork('a'); print(g.bits(), g.sample(['x', 'y', 'z'], 3), g.normal())"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )
    generator = Generator("storm", 7).fork("a")
    assert run.stdout == f"{generator.bits()} {generator.sample(['x', 'y', 'z'], 3)} {generator.normal()}\n"


@pytest.mark.slow
def test_step_and_draw_compiled_by_numba_equal_those_in_python() -> None:
    numba = pytest.importorskip("numba")
    compiled_step, compiled_draw = numba.njit(step), numba.njit(draw)
    for seed in range(50):
        state = seed_state("numba", seed)
        for _ in range(20):
            assert compiled_draw(state) == draw(state)
            assert compiled_step(state) == step(state)
            state = step(state)
    assert compiled_step(STATE_MAX) == step(STATE_MAX)
