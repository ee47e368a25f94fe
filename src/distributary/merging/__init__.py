"""Planner of paper 000: merges overlapping subscriptions under a cost model of server, network and client."""
