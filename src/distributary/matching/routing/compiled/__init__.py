"""The routing table's hot loop, compiled by numba."""
