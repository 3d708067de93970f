"""Stable-baselines3 behind our seams: the environment adapter, and learners from its replay."""
