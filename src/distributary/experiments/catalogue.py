"""The studies by their names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from distributary.core.errors import InputError
from distributary.experiments.delivery import bandwidth as delivery_bandwidth
from distributary.experiments.delivery import drop_limits as delivery_drop_limits
from distributary.experiments.delivery import filter_types as delivery_filter_types
from distributary.experiments.delivery import link_delays as delivery_link_delays
from distributary.experiments.delivery import nodes as delivery_nodes
from distributary.experiments.merging import (
    clustering_factor,
    directed,
    distance,
    operations,
    optimality,
    sensitivity,
    suboptimal_distance,
    total_cost,
)
from distributary.experiments.piggyback import annotations as piggyback_annotations
from distributary.experiments.piggyback import chain as piggyback_chain
from distributary.experiments.study import Study

__all__ = ["STUDIES", "of_the_same_rows", "study_of"]

#: In the order of the papers and their figures.
STUDIES: Mapping[str, Study] = MappingProxyType(
    {
        module.STUDY.name: module.STUDY
        for module in (
            sensitivity,
            directed,
            optimality,
            distance,
            suboptimal_distance,
            total_cost,
            operations,
            clustering_factor,
            delivery_bandwidth,
            delivery_nodes,
            delivery_link_delays,
            delivery_filter_types,
            delivery_drop_limits,
            piggyback_chain,
            piggyback_annotations,
        )
    }
)


def study_of(name: str) -> Study:
    """Return a study by its name; `InputError` when there is none."""
    if name not in STUDIES:
        raise InputError(f"{name!r} is none of {', '.join(STUDIES)}", field="NAME")
    return STUDIES[name]


def of_the_same_rows(study: Study) -> list[Study]:
    """Return the other studies whose samples are the same and measure the same."""

    def drawn(each: Study) -> tuple[object, ...]:
        return each.draws, each.points, each.measures, each.sample

    return [other for other in STUDIES.values() if other is not study and drawn(other) == drawn(study)]
