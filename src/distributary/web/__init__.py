"""The read-only dashboard of a node; it reads records and knows no node."""
