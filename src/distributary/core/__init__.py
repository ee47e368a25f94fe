"""Values that every other package speaks of: ids, items, documents, headers, effects, errors, results, chance."""
