"""What can be asked of expressions: the normal form (cells: a disjunction of conjunctions), a quick test of records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from distributary.algebra.atoms import accepted
from distributary.algebra.cells import Cell, cell_covers, cell_of, meet
from distributary.algebra.expression import And, Atom, Expression, Or
from distributary.algebra.valuesets import ValueSet
from distributary.core.values import Record

__all__ = ["CELLS_MAX", "cells_of_expression", "test_of_expression"]

#: A normal form that would have more cells is given up.
CELLS_MAX = 256

_Test: TypeAlias = Callable[[Record], bool]


def cells_of_expression(expression: Expression, limit: int = CELLS_MAX) -> tuple[Cell, ...] | None:
    """Return the cells for whose records the expression is true, or `None` when they would be more than `limit`.

    No cell is empty and none lies in another one; they may overlap. Without cells the expression is never true.
    """
    if isinstance(expression, Atom):
        cell = cell_of([(expression.column, accepted(expression))])
        return () if cell is None else (cell,)
    parts: list[Sequence[Cell]] = []
    for part in expression.parts:
        cells = cells_of_expression(part, limit)
        if cells is None:
            return None
        parts.append(cells)
    if isinstance(expression, Or):
        return _irredundant([cell for cells in parts for cell in cells], limit)
    product: tuple[Cell, ...] = ((),)
    for factor in sorted(parts, key=len):
        pairs = (meet(first, second) for first in product for second in factor)
        kept = _irredundant([cell for cell in pairs if cell is not None], limit)
        if kept is None:
            return None
        product = kept
    return product


def _irredundant(cells: list[Cell], limit: int) -> tuple[Cell, ...] | None:
    kept: list[Cell] = []
    for cell in cells:
        if any(cell_covers(other, cell) for other in kept):
            continue
        kept = [other for other in kept if not cell_covers(cell, other)]
        kept.append(cell)
        if len(kept) > limit:
            return None
    return tuple(kept)


def test_of_expression(expression: Expression) -> _Test:
    """Return the function that tells whether the expression is true for a record; exact for every expression."""
    if isinstance(expression, Or):
        return _any_test(_tests(expression, _union_by_column))
    if isinstance(expression, And):
        return _all_test(_tests(expression, _intersection_by_column))
    return _column_test(expression.column, accepted(expression))


def _tests(expression: And | Or, gather: Callable[[list[Atom]], list[_Test]]) -> list[_Test]:
    atoms = [part for part in expression.parts if isinstance(part, Atom)]
    rest = [part for part in expression.parts if not isinstance(part, Atom)]
    return gather(atoms) + [test_of_expression(part) for part in rest]


def _intersection_by_column(atoms: list[Atom]) -> list[_Test]:
    """Return one test a column: `mag >= 4 and mag < 6` takes one look at the record."""
    sets: dict[str, ValueSet] = {}
    for atom in atoms:
        values = accepted(atom)
        known = sets.get(atom.column)
        sets[atom.column] = values if known is None else known.intersection(values)
    return [_column_test(column, values) for column, values in sets.items()]


def _union_by_column(atoms: list[Atom]) -> list[_Test]:
    return [_column_test(atom.column, accepted(atom)) for atom in atoms]


def _column_test(column: str, values: ValueSet) -> _Test:
    test = values.tester()
    return lambda record: test(record.get(column))


def _all_test(tests: list[_Test]) -> _Test:
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        first, second = tests
        return lambda record: first(record) and second(record)

    def holds(record: Record) -> bool:
        for test in tests:  # noqa: SIM110 - all() costs a generator for each record
            if not test(record):
                return False
        return True

    return holds


def _any_test(tests: list[_Test]) -> _Test:
    def holds(record: Record) -> bool:
        for test in tests:  # noqa: SIM110
            if test(record):
                return True
        return False

    return holds
