"""Where to solve it: one folder per environment."""
