"""One node, sans-IO: composes overlay, matching and merging; `handle(input, now)` returns effects."""
