"""Deep Q-learning on the target task, as APT-Gen's students and its model-free rival learn (section B)."""
