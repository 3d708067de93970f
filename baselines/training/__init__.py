"""The trainer and what it is made of: contracts, rows under a teacher, rollouts, evaluation, run folders."""
