"""The index of patterns and the walk through it, compiled. Everything is reached through the addresses of contexts."""
