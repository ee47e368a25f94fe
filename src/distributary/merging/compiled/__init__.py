"""The hot loops of merging, compiled: queries as arrays of ranges. Nothing here knows of members, filters or plans."""
