"""What studies compute so often that it is compiled with numba."""
