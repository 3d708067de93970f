"""Worlds: tiles, objects, players, and how they are made."""
