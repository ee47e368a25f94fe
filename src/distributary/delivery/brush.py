"""BRUSH of paper 001, section 5.2: every node is served by the source itself; least bandwidth, least fair."""

from __future__ import annotations

from distributary.core.errors import InputError
from distributary.delivery.problem import DeliveryProblem

__all__ = ["brush"]


def brush(problem: DeliveryProblem) -> dict[str, dict[str, str]]:
    """Return trees of depth one; a node that has no link from a source it wants is an `InputError`."""
    trees: dict[str, dict[str, str]] = {stream.id: {} for stream in problem.streams}
    for number, wanted in enumerate(problem.filters):
        source = problem.stream_of[wanted.stream].source
        if problem.delay(source, wanted.node) is None:
            raise InputError(
                f"there is no link from {source!r}, the source of {wanted.stream!r}, to {wanted.node!r}",
                record=f"filters[{number}]",
            )
        trees[wanted.stream][wanted.node] = source
    return trees
