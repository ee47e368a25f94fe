"""The linear program of branch and price: the cheapest cover of the queries by the blocks that are known, by HiGHS."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from distributary.merging.compiled.boxes import Floats
from distributary.merging.cost import Block

__all__ = ["Master", "Relaxed"]

_TOLERANCE = 1e-9
_NODES_MAX = 200


@dataclass(frozen=True, slots=True)
class Relaxed:
    """The optimum of the linear program: its cost, what each query's covering is worth, and the blocks in use."""

    cost: float
    duals: Floats
    used: tuple[tuple[Block, float], ...]

    @property
    def whole(self) -> bool:
        """Tell whether every block is used whole or not at all."""
        return all(abs(share - round(share)) < 1e-6 for _, share in self.used)


class Master:
    """Covering rows, one for each query (at least once: dropping a query never costs), and a column for each block."""

    def __init__(self, queries: int) -> None:
        self._program = _quiet()
        for _ in range(queries):
            self._program.addRow(1.0, float("inf"), 0, np.empty(0, dtype=np.int32), np.empty(0))
        self._queries = queries
        self._columns: dict[Block, int] = {}
        self._costs: list[float] = []

    def add(self, block: Block, cost: float) -> bool:
        """Make a block known; tell whether it was not."""
        if block in self._columns:
            return False
        self._columns[block] = len(self._columns)
        self._costs.append(cost)
        rows = np.array(block, dtype=np.int32)
        self._program.addCol(cost, 0.0, float("inf"), len(rows), rows, np.ones(len(rows)))
        return True

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks that are known."""
        yield from self._columns

    def allow(self, blocks: Iterable[tuple[Block, bool]]) -> None:
        """Say which blocks may be used from now on; those that are not named stay as they are."""
        for block, allowed in blocks:
            self._program.changeColBounds(self._columns[block], 0.0, float("inf") if allowed else 0.0)

    def relaxed(self) -> Relaxed | None:
        """Return the optimum with shares of blocks; `None` when the allowed blocks cover not every query."""
        import highspy

        self._program.run()
        if self._program.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        solution = self._program.getSolution()
        shares = solution.col_value
        used = tuple((block, shares[column]) for block, column in self._columns.items() if shares[column] > 1e-7)
        cost = float(self._program.getInfo().objective_function_value)
        return Relaxed(cost, np.maximum(0.0, np.array(solution.row_dual)), used)

    def integral(self, seconds: float | None) -> list[Block] | None:
        """Return a cheap cover by whole blocks among those that are known, if one is found in time and few steps."""
        import highspy

        program = _quiet()
        for _ in range(self._queries):
            program.addRow(1.0, float("inf"), 0, np.empty(0, dtype=np.int32), np.empty(0))
        for block, column in self._columns.items():
            rows = np.array(block, dtype=np.int32)
            program.addCol(self._costs[column], 0.0, 1.0, len(rows), rows, np.ones(len(rows)))
            program.changeColIntegrality(column, highspy.HighsVarType.kInteger)
        program.setOptionValue("mip_max_nodes", _NODES_MAX)
        if seconds is not None:
            program.setOptionValue("time_limit", seconds)
        program.run()
        values: Sequence[float] = program.getSolution().col_value
        if len(values) < len(self._columns):
            return None
        chosen = [block for block, column in self._columns.items() if values[column] > 0.5]
        return chosen if len({query for block in chosen for query in block}) == self._queries else None


def _quiet() -> Any:
    import highspy

    program: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    program.setOptionValue("output_flag", False)
    program.setOptionValue("threads", 1)
    program.setOptionValue("primal_feasibility_tolerance", _TOLERANCE)
    program.setOptionValue("dual_feasibility_tolerance", _TOLERANCE)
    return program
