"""The query generator of paper 000, section 7.1: range queries on a square database, some of them in clusters.

Its gaps are filled as the functions below say. It knows nothing of streams and clients: all queries are on one stream.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from distributary.algebra.box import Box
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.core.results import Costs
from distributary.experiments.compiled.drawing import draw_queries
from distributary.merging import Member
from distributary.merging.compiled.boxes import Floats
from distributary.merging.compiled.chance import fork_states

__all__ = ["BASE_COSTS", "Workload", "boxes_of", "corners_of", "members_of"]

#: Figure 8. The defaults of `Costs` are these too, but a study must not change when a default does.
BASE_COSTS = Costs(K_M=0.00365, K_T=0.0000325, K_U=0.0000016)

#: "For a small number of queries we used a smaller database": up to this many.
_FEW = 12
#: Centres in a corner refuse most draws; parameters that refuse this many in a row allow no query.
_DRAWS_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Workload:
    """What queries are drawn; the defaults are figure 8's base values."""

    #: |Q|.
    queries: int = 100
    #: cf: the share of the queries that lie in clusters.
    clustered: float = 0.80
    #: sf: the size of a cluster as a share of the clustered queries.
    cluster_share: float = 0.30
    #: df: the deviation of the distance of a clustered query from its centre.
    spread: float = 100.0
    #: The length of a side of the database; `None`: 100 for up to 12 queries, else 400.
    region: float | None = None
    #: The least and the greatest length of a side of a query.
    sides: tuple[float, float] = (20.0, 40.0)

    @property
    def side(self) -> float:
        """The length of a side of the database."""
        if self.region is not None:
            return self.region
        return 100.0 if self.queries <= _FEW else 400.0

    @property
    def centres(self) -> int:
        """The number of clusters."""
        return max(1, round(1.0 / self.cluster_share))


def members_of(workload: Workload, generator: Generator) -> tuple[Member, ...]:
    """Return the queries as members `q000`, `q001`, …; their order is that of their numbers."""
    width = max(3, len(str(workload.queries - 1)))
    return tuple(
        Member(f"q{number:0{width}d}", None, None, box) for number, box in enumerate(boxes_of(workload, generator))
    )


def boxes_of(workload: Workload, generator: Generator) -> tuple[Box, ...]:
    """Return the queries as boxes on `x` and `y`."""
    low, high = corners_of(workload, generator)
    return tuple(
        Box.of({"x": (left, right), "y": (bottom, top)})
        for (left, bottom), (right, top) in zip(low.tolist(), high.tolist(), strict=True)
    )


def corners_of(workload: Workload, generator: Generator) -> tuple[Floats, Floats]:
    """Return the lower and the upper corners of the queries, the clustered ones first and dealt round robin.

    Each query has its own share of chance, so that no redrawn one moves another. `InputError` when the parameters
    allow no query.
    """
    chance = generator.fork("centres")
    centres = [(chance.uniform(0, workload.side), chance.uniform(0, workload.side)) for _ in range(workload.centres)]
    low, high, inside = draw_queries(
        fork_states(generator, "query", range(workload.queries)),
        np.array(centres),
        int(workload.clustered * workload.queries),
        float(workload.spread),
        float(workload.side),
        float(workload.sides[0]),
        float(workload.sides[1]),
        _DRAWS_MAX,
    )
    if not inside:
        raise InputError(f"no query of {_DRAWS_MAX} drawn lies inside the database", field="workload")
    return low, high
