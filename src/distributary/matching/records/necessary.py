"""What a predicate needs, as cells, where its normal form is too large: every record that it matches is in one of them.

The cells hold more than the predicate does, so whoever uses them tests the predicate itself on what they let through.
"""

from __future__ import annotations

from distributary.algebra.cells import Cell, meet
from distributary.algebra.expression import And, Atom, Expression
from distributary.algebra.normalform import cells_of_expression

__all__ = ["necessary_cells"]


def necessary_cells(expression: Expression, limit: int) -> tuple[Cell, ...] | None:
    """Return at most `limit` cells, or `None` when so few would not tell anything."""
    whole = cells_of_expression(expression, limit)
    if whole is not None or isinstance(expression, Atom):
        return whole
    parts = [necessary_cells(part, limit) for part in expression.parts]
    if isinstance(expression, And):
        return _common(parts, limit)
    found: list[Cell] = []
    for cells in parts:
        if cells is None or len(found) + len(cells) > limit:
            return None
        found.extend(cells)
    return tuple(found)


def _common(parts: list[tuple[Cell, ...] | None], limit: int) -> tuple[Cell, ...] | None:
    """Return cells that hold what is in all parts, leaving out parts where the product would be too large."""
    product: tuple[Cell, ...] | None = None
    for cells in sorted((cells for cells in parts if cells is not None), key=len):
        if product is None:
            product = cells
        elif len(product) * len(cells) <= limit:
            pairs = (meet(first, second) for first in product for second in cells)
            product = tuple(cell for cell in pairs if cell is not None)
    return product
