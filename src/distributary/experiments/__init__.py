"""Studies of the papers' figures, one file each, with the papers' claims and whether ours hold."""
