"""Planner of paper 003: where in a dissemination tree formats are converted."""
