"""Bonuses for exploring: learned ones over transitions, and the count of regions that were visited."""
