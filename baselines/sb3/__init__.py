"""What the methods on stable-baselines3 share: the environment adapter, learners from a replay, goal methods' loop."""
