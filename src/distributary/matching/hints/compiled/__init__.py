"""The loops of the hints that numba compiles."""
