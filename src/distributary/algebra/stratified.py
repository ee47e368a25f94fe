"""A sample of a stream's records with a histogram of the whole stream: sizes with the errors that they may have.

Each leaf of the histogram is a stratum: a size is the sum over leaves of the leaf's exact count times the share of
its sampled rows that match. A leaf that lies wholly in a filter so counts exactly, and one outside it not at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt

import numpy as np

from distributary.algebra.filter import Filter
from distributary.algebra.histogram import Counts, Histogram, Mask, Numbers
from distributary.algebra.sample import Sample
from distributary.core.errors import InputError

__all__ = ["Estimate", "StratifiedSample"]

# 95 of 100 normal deviates are closer to zero.
_DEVIATIONS = 1.96


@dataclass(frozen=True, slots=True)
class Estimate:
    """A size, in rows, and how far off it may be: by `error` in 95 of 100 cases, never outside `low` and `high`."""

    size: float
    #: 1.96 standard deviations of stratified sampling; nowhere more than to the farther of `low` and `high`.
    error: float
    #: What is known for certain: full leaves and matching sampled rows; all but empty leaves and other sampled rows.
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class StratifiedSample:
    """Statistics of records, in rows of the stream; filters of anything else are refused (`Sample`).

    `leaves` names the leaf of each sampled row; every leaf that holds rows has at least one of them.
    """

    sample: Sample
    histogram: Histogram
    leaves: Counts
    _sampled: Counts = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        count = len(self.histogram.rows)
        if len(self.leaves) != len(self.sample.records) or np.any((self.leaves < 0) | (self.leaves >= count)):
            raise InputError("does not give each sampled row a leaf", field="leaves")
        sampled = np.bincount(self.leaves, minlength=count)
        if np.any((sampled == 0) & (self.histogram.rows > 0)):
            raise InputError("leaves a leaf of the histogram without a sampled row", field="leaves")
        object.__setattr__(self, "_sampled", np.maximum(sampled, 1))

    def size(self, filter: Filter) -> float:  # noqa: A002 - the paper's noun
        """Return the estimated number of rows that the filter matches; a wider filter is never smaller."""
        return self._scaled(self.sample.mask(filter))

    def overlap(self, first: Filter, second: Filter) -> float:
        """Return the estimated number of rows that both filters match."""
        return self._scaled(self.sample.mask(first) & self.sample.mask(second))

    def estimate(self, filter: Filter) -> Estimate:  # noqa: A002 - the paper's noun
        """Return the size with its error.

        The rows of a leaf are sampled without replacement. Where few are, a share of none or all would show no
        deviation, so the share has one match and one miss added for it (Laplace), which is on the safe side.
        """
        mask = self.sample.mask(filter)
        matched, rows, sampled = self._matched(mask), self.histogram.rows, self._sampled
        whole, part = self.histogram.reach(filter)
        cut = part & ~whole
        share = (matched + 1) / (sampled + 2)
        missed = np.maximum(rows - sampled, 0) / np.maximum(rows, 1)
        variance = rows.astype(np.float64) ** 2 * share * (1 - share) / sampled * missed
        size = self._scaled(mask)
        low = float(np.where(cut, matched, np.where(whole, rows, 0)).sum())
        high = float(np.where(cut, np.maximum(rows - sampled, 0) + matched, np.where(whole, rows, 0)).sum())
        error = _DEVIATIONS * sqrt(float(variance[cut].sum()))
        return Estimate(size, min(error, max(size - low, high - size)), low, high)

    def weights(self) -> Numbers:
        """Return the size that each record of the sample stands for."""
        found: Numbers = (self.histogram.rows / self._sampled)[self.leaves]
        return found

    def _matched(self, mask: Mask) -> Counts:
        return np.bincount(self.leaves[mask], minlength=len(self.histogram.rows))

    def _scaled(self, mask: Mask) -> float:
        # Multiplied first: where all rows of a leaf match, its count comes out exactly.
        return float((self._matched(mask) * self.histogram.rows / self._sampled).sum())
