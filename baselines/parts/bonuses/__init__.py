"""Bonuses for exploring: learned ones over transitions, and counts of states and of regions that were visited."""
