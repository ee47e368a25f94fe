"""Operators that convert an item's format, run in worker processes under limits."""
