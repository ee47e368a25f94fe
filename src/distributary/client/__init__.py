"""Talking to a node from a program: publish and subscribe, async and sync."""
