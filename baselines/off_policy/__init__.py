"""Off-policy learning on goal environments from whole episodes: what Sibling Rivalry's DDPG and DQN rivals share."""
