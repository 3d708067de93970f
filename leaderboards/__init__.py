"""Leaderboards: benchmarks, evaluation, statistics, submissions, replay verification, the results page."""
