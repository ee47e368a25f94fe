"""Planner of paper 003: where in a dissemination tree formats are converted."""

from distributary.adaptation.planner import ALGORITHMS, plan
from distributary.adaptation.problem import AdaptationProblem

__all__ = ["ALGORITHMS", "AdaptationProblem", "plan"]
