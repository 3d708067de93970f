"""Distributions over actions, made from a network's outputs, by the action space."""
