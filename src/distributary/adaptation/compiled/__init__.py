"""The hot loops of conversion planning, compiled: formats and nodes are numbers. Nothing here knows of names."""
