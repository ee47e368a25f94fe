"""Studies of paper 001: delivery trees under bandwidth limits."""
