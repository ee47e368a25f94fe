"""Cells: conjunctions of value sets, one per column; the common ground on which filters of records are compared.

A filter's normal form is a union of cells. Containment of unions is decided exactly by taking pieces away, within a
budget; past the budget, and where value sets only know a sound answer, the answer is the safe one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

from distributary.algebra.valuesets import ValueSet

__all__ = ["Cell", "Cellular", "cell_covers", "cell_of", "cells_cover", "cells_meet", "cells_of", "meet"]

#: (column, values), ascending by column; a column that is not named holds anything, and no set is empty.
Cell: TypeAlias = tuple[tuple[str, ValueSet], ...]

#: How many pieces `cells_cover` looks at before it gives up.
_PIECES_MAX = 4096


@runtime_checkable
class Cellular(Protocol):
    """A filter of records that may have a normal form."""

    def cells(self) -> tuple[Cell, ...] | None:
        """Return the cells whose union the filter is, or `None` when it has no normal form of bounded size."""
        ...


def cells_of(filter: object) -> tuple[Cell, ...] | None:  # noqa: A002 - the paper's noun
    """Return the cells of a filter of records, `None` for any other filter and where there is no normal form."""
    return filter.cells() if isinstance(filter, Cellular) else None


def cell_of(columns: Iterable[tuple[str, ValueSet]]) -> Cell | None:
    """Return the conjunction of value sets, of which a column may have several; `None` when nothing satisfies it."""
    found: dict[str, ValueSet] = {}
    for column, values in columns:
        known = found.get(column)
        found[column] = values if known is None else known.intersection(values)
        if found[column].is_empty:
            return None
    return tuple((column, values) for column, values in sorted(found.items(), key=_column) if not values.is_all)


def meet(first: Cell, second: Cell) -> Cell | None:
    """Return the cell of the records that are in both, or `None` when there are none."""
    return cell_of((*first, *second))


def cell_covers(wide: Cell, narrow: Cell) -> bool:
    """Tell whether one cell holds every record of another; sound."""
    if len(wide) > len(narrow):
        return False
    sets = dict(narrow)
    # No set in a cell is everything, so a column that the narrow cell leaves free cannot be covered.
    return all(column in sets for column, _ in wide) and all(values.covers(sets[column]) for column, values in wide)


def cells_meet(first: Sequence[Cell], second: Sequence[Cell]) -> bool:
    """Tell whether some record may be in a cell of each."""
    return any(meet(one, other) is not None for one in first for other in second)


def cells_cover(wide: Sequence[Cell], narrow: Sequence[Cell]) -> bool:
    """Tell whether the union of `wide` holds every record of `narrow`.

    Complete when the value sets are (see `stringsets`), numbers taken as the real line, and the budget suffices.
    """
    budget = _PIECES_MAX
    for cell in narrow:
        # A stack of pieces still to be covered, each with the first cell of `wide` that was not yet taken from it.
        pending = [] if any(cell_covers(other, cell) for other in wide) else [(cell, 0)]
        while pending:
            piece, index = pending.pop()
            budget -= 1
            while index < len(wide) and meet(piece, wide[index]) is None:
                index += 1
            if index == len(wide) or budget < 0:
                return False
            pending.extend((rest, index + 1) for rest in _difference(piece, wide[index]))
    return True


def _difference(cell: Cell, taken: Cell) -> list[Cell]:
    """Return disjoint cells that together hold the records of `cell` that are not in `taken`."""
    rest = []
    kept = cell
    for column, values in taken:
        for outside in values.complement():
            piece = meet(kept, ((column, outside),))
            if piece is not None:
                rest.append(piece)
        inside = meet(kept, ((column, values),))
        if inside is None:
            break
        kept = inside
    return rest


def _column(entry: tuple[str, ValueSet]) -> str:
    return entry[0]
