"""Planner of paper 001: delivery trees under bandwidth limits, measured by drop and delay of every filter."""
