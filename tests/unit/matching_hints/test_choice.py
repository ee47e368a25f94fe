from __future__ import annotations

from distributary.matching.hints.choice import Annotation, Estimator, Feedback

ALL = sum(1 << each for each in Annotation)


def taught(*gains: tuple[int, int, int, int]) -> Estimator:
    estimator = Estimator()
    estimator.annotated()
    for each in gains:
        estimator.learn(Feedback(1, ALL, each))
    return estimator


def test_everything_is_tried_at_first() -> None:
    assert set(Estimator().next()) == set(Annotation)
    assert set(taught().next()) == set(Annotation)


def test_what_is_worth_most_comes_first_and_what_is_not_worth_its_cost_not_at_all() -> None:
    estimator = taught((100, 300, 90, 90), (100, 300, 90, 90))
    assert estimator.next() == (Annotation.ABSENT, Annotation.SUBSCRIPTIONS, Annotation.ENDS)


def test_everything_is_tried_again_now_and_then() -> None:
    estimator = taught((100, 0, 0, 0))
    trials = []
    for number in range(1, 200):
        if len(estimator.next()) == len(Annotation):
            trials.append(number)
        estimator.annotated()
    assert trials == [64, 128, 192]


def test_what_was_not_in_the_header_learns_nothing() -> None:
    estimator = taught((100, 100, 100, 100))
    for _ in range(100):
        estimator.learn(Feedback(1, 1 << Annotation.SUBSCRIPTIONS, (0, 0, 0, 0)))
    assert Annotation.ABSENT in estimator.next()
    assert Annotation.SUBSCRIPTIONS not in estimator.next()


def test_old_gains_fade() -> None:
    estimator = taught(*[(1000, 0, 0, 0)] * 500)
    for _ in range(20_000):
        estimator.learn(Feedback(1, ALL, (0, 0, 0, 0)))
    assert Annotation.SUBSCRIPTIONS not in estimator.next()


def test_binding_that_decides_nothing_is_given_up() -> None:
    estimator = Estimator()
    for _ in range(8):
        assert estimator.binds(3)
        estimator.learn(Feedback(1, ALL, (0, 0, 0, 0), ((3, 0), (4, 2))))
    assert not estimator.binds(3)
    assert estimator.binds(4)


def test_ends_are_those_that_were_asked_for_most() -> None:
    estimator = Estimator()
    for ends in [(1, 2), (2, 5), (2,), (5,)]:
        estimator.learn(Feedback(1, 0, (0, 0, 0, 0), (), ends))
    assert estimator.ends(2) == [2, 5]
    for _ in range(3000):
        estimator.learn(Feedback(1, 0, (0, 0, 0, 0), (), (7,)))
    assert estimator.ends(9) == [7]
