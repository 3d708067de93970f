"""Sweeps: many training runs, several at a time; what they came to, and their learning curves over seeds."""
