"""Planner of paper 001: delivery trees under bandwidth limits, measured by drop and delay of every filter."""

from distributary.delivery.planner import ALGORITHMS, plan
from distributary.delivery.problem import DeliveryProblem

__all__ = ["ALGORITHMS", "DeliveryProblem", "plan"]
