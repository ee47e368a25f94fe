"""Protocol of paper 004: how nodes find a parent, keep it, and leave; values in, values out."""
