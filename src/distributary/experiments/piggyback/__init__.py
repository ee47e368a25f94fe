"""The studies of paper 002: what hints from the router above save."""
