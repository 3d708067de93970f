"""What the methods on stable-baselines3 share: the environment adapter, the network, the training loop."""
