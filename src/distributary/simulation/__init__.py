"""A virtual clock, a faulty network and checkers from outside, around the same nodes that run live."""
