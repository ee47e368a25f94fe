"""The query generator of paper 000, section 7.1: range queries on a square database, some of them in clusters.

Its gaps are filled as the functions below say. It knows nothing of streams and clients: all queries are on one stream.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from distributary.algebra.box import Box
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.core.results import Costs
from distributary.merging import Member

__all__ = ["BASE_COSTS", "Workload", "boxes_of", "members_of"]

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
    """Return the queries as boxes on `x` and `y`, the clustered ones first and dealt round robin to the centres.

    Each query has its own share of chance, so that no redrawn one moves another. `InputError` when the parameters
    allow no query.
    """
    chance = generator.fork("centres")
    centres = [(chance.uniform(0, workload.side), chance.uniform(0, workload.side)) for _ in range(workload.centres)]
    clustered = int(workload.clustered * workload.queries)
    return tuple(
        _query(
            workload,
            centres[number % len(centres)] if number < clustered else None,
            generator.fork("query", number),
        )
        for number in range(workload.queries)
    )


def _query(workload: Workload, centre: tuple[float, float] | None, generator: Generator) -> Box:
    """Draw a query until it lies inside: its size too, else large ones would be pushed away from the edges alone."""
    for _ in range(_DRAWS_MAX):
        if centre is None:
            x, y = generator.uniform(0, workload.side), generator.uniform(0, workload.side)
        else:
            distance, direction = generator.normal(0, workload.spread), generator.uniform(0, 2 * math.pi)
            x, y = centre[0] + distance * math.cos(direction), centre[1] + distance * math.sin(direction)
        right, top = x + generator.uniform(*workload.sides), y + generator.uniform(*workload.sides)
        if x >= 0 and y >= 0 and right <= workload.side and top <= workload.side:
            return Box.of({"x": (x, right), "y": (y, top)})
    raise InputError(f"no query of {_DRAWS_MAX} drawn lies inside the database", field="workload")
