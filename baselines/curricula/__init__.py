"""Curricula: the teachers of this package."""
