"""From bytes to arrays, compiled: a strict tokenizer, namespaces, numbers. Nothing here knows patterns or expat."""
