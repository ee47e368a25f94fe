"""A virtual clock, a faulty network and checkers from outside, around the same nodes that run live."""

from distributary.simulation.network import Faults
from distributary.simulation.scenario import Outcome, Scenario, draw, run
from distributary.simulation.world import SimulatedNode, World

__all__ = ["Faults", "Outcome", "Scenario", "SimulatedNode", "World", "draw", "run"]
