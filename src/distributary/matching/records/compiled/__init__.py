"""Conjunctions of code ranges, compiled: encoding, arranging, searching. Nothing here knows of filters."""
