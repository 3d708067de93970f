"""Who solves it: one folder per method, over shared parts."""
