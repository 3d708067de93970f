"""Sweeps: many training runs, several at a time; their results, and their learning curves over seeds."""
