"""Selective data dissemination: each subscriber gets exactly what it asked for, at the least total cost."""

__all__ = ["__version__"]

__version__ = "0.1.0"
