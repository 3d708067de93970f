"""PPO on the distance that is left at the end: what Sibling Rivalry calls the naive reward (equation 2)."""
