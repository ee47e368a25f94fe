"""Public test helpers: Hypothesis strategies for filters, records and documents."""
