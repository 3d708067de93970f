"""Policies that need no training: the floor of every leaderboard, and the exact solution as its ceiling."""
