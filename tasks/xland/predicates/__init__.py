"""Predicates: which atoms hold in a state of the simulation."""
