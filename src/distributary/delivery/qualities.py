"""Quality functions C(r, d) of paper 001, section 4.1, as data: of the pieces, the first that fits gives the value."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from distributary.core.errors import InputError
from distributary.core.subscriptions import Quality

__all__ = ["DROP_TOLERANCE", "QualityPiece", "check_pieces", "quality_at", "template"]

#: Drops up to this are none, and over a limit by no more than this are within it.
DROP_TOLERANCE = 1e-9


class QualityPiece(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where r <= `drop` and d <= `delay`, the quality is `quality` + `over_drop` / r, at most 1."""

    drop: float = 1.0
    #: None: any delay.
    delay: float | None = None
    quality: float = 0.0
    over_drop: float = 0.0


def template(limits: Quality) -> tuple[QualityPiece, ...]:
    """Return the paper's function with a filter's limits: 1, late 0.5, and beyond the drop limit 0.5·drop/r.

    >>> pieces = template(Quality(drop=0.2, delay=1.0))
    >>> [quality_at(pieces, drop, delay) for drop, delay in ((0.2, 1), (0.2, 2), (0.4, 1))]
    [1.0, 0.5, 0.25]
    """
    return (
        QualityPiece(limits.drop, limits.delay, 1.0),
        QualityPiece(limits.drop, None, 0.5),
        QualityPiece(over_drop=0.5 * limits.drop),
    )


def quality_at(pieces: Sequence[QualityPiece], drop: float, delay: float) -> float:
    """Return the quality of a drop and a delay; 0 where no piece fits."""
    for piece in pieces:
        if drop <= piece.drop + DROP_TOLERANCE and (piece.delay is None or delay <= piece.delay):
            return min(1.0, piece.quality + (piece.over_drop / max(drop, piece.over_drop) if piece.over_drop else 0.0))
    return 0.0


def check_pieces(pieces: Sequence[QualityPiece], record: str) -> None:
    """Raise `InputError` for a piece that gives no quality between 0 and 1."""
    for number, piece in enumerate(pieces):
        field = f"function[{number}]"
        if not 0 <= piece.drop <= 1:
            raise InputError(f"drop must lie between 0 and 1, not {piece.drop}", record=record, field=field)
        if piece.delay is not None and not (math.isfinite(piece.delay) and piece.delay >= 0):
            raise InputError(f"delay must be a number, zero or more, not {piece.delay}", record=record, field=field)
        if not (0 <= piece.quality <= 1 and 0 <= piece.over_drop <= 1):
            raise InputError("quality and over_drop must lie between 0 and 1", record=record, field=field)
