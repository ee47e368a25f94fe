"""Planner of paper 003: where in a dissemination tree formats are converted."""

from distributary.adaptation.concurrent import ConcurrentResult, plan_together
from distributary.adaptation.planner import ALGORITHMS, plan
from distributary.adaptation.problem import AdaptationProblem
from distributary.adaptation.settings import AdaptationSettings

__all__ = ["ALGORITHMS", "AdaptationProblem", "AdaptationSettings", "ConcurrentResult", "plan", "plan_together"]
