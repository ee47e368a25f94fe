"""The hot loops of `delivery`, compiled by numba; tests compare each with a plain counterpart."""
