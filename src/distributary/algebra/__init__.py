"""Filters, the one language of all planners: boxes, predicates, tree patterns, block sets; parse, compare, measure."""
