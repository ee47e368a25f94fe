"""The commands, and the only place that wires concrete parts together."""
