from __future__ import annotations

from typing import Any

import msgspec
import pytest

from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.core.subscriptions import Quality
from distributary.delivery.planner import plan
from distributary.delivery.problem import DeliveryProblem, check_problem
from distributary.delivery.qualities import QualityPiece, quality_at, template

STEPS = (QualityPiece(0.1, 1.0, 0.9), QualityPiece(0.5, None, 0.4), QualityPiece(quality=0.1))


def problem(**wanted: Any) -> DeliveryProblem:
    """One node that gets half of what it wants, after 0.2 s."""
    body = {
        "blocks": 2,
        "default_delay": 0.2,
        "nodes": [{"id": "a", "upload": 5}, {"id": "b"}],
        "streams": [{"id": "s", "source": "a", "rate": 10}],
        "filters": [{"node": "b", "stream": "s", "blocks": [0, 1]} | wanted],
    }
    return msgspec.convert(body, DeliveryProblem)


@pytest.mark.parametrize(
    ("drop", "delay", "quality"),
    [(0.2, 1, 1.0), (0.2 + 1e-12, 1, 1.0), (0.2, 1.01, 0.5), (0.21, 0, 0.1 / 0.21), (1.0, 9, 0.1)],
)
def test_the_template_is_the_papers_function(drop: float, delay: float, quality: float) -> None:
    assert quality_at(template(Quality(0.2, 1.0)), drop, delay) == pytest.approx(quality)


@pytest.mark.parametrize(("drop", "quality"), [(0.0, 1.0), (1e-12, 1.0), (0.001, 0.0), (1.0, 0.0)])
def test_a_drop_limit_of_zero_tolerates_none(drop: float, quality: float) -> None:
    assert quality_at(template(Quality(0.0, 1.0)), drop, 0.5) == quality


@pytest.mark.parametrize(
    ("drop", "delay", "quality"), [(0.1, 1, 0.9), (0.1, 2, 0.4), (0.5, 9, 0.4), (0.6, 0, 0.1), (1, 1, 0.1)]
)
def test_of_the_pieces_the_first_that_fits_counts(drop: float, delay: float, quality: float) -> None:
    assert quality_at(STEPS, drop, delay) == quality


def test_where_no_piece_fits_quality_is_zero() -> None:
    assert quality_at((QualityPiece(0.1, None, 1.0),), 0.2, 0.0) == 0.0


def test_a_function_given_as_data_takes_the_place_of_the_template() -> None:
    given = [{"drop": 0.4, "quality": 1}, {"delay": 1, "quality": 0.7}, {"quality": 0.3}]
    made = plan(problem(function=given), "brush", Generator(0))
    assert made.filters[0].drop == pytest.approx(0.5)
    assert made.quality == pytest.approx(0.7)


def test_a_filter_that_tolerates_nothing_and_gets_half_makes_the_quality_zero() -> None:
    assert plan(problem(), "brush", Generator(0)).quality == 0.0
    assert plan(problem(quality={"drop": 0.5}), "brush", Generator(0)).quality == 1.0


@pytest.mark.parametrize(
    ("piece", "complaint"),
    [
        ({"drop": 2}, "filters[0]: function[0]: drop must lie between 0 and 1, not 2.0"),
        ({"delay": -1}, "filters[0]: function[0]: delay must be a number, zero or more, not -1.0"),
        ({"quality": 1.5}, "filters[0]: function[0]: quality and over_drop must lie between 0 and 1"),
        ({"over_drop": -0.5}, "filters[0]: function[0]: quality and over_drop must lie between 0 and 1"),
    ],
)
def test_pieces_that_are_no_quality_are_refused(piece: dict[str, float], complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        check_problem(problem(function=[piece]))
    assert str(caught.value) == complaint
