"""APT-Gen (Fang et al., 2021): a generator of tasks, as near the target as the student can handle."""
