"""Off-policy learning on goal environments with hindsight: what Sibling Rivalry's DDPG and DQN rivals share."""
